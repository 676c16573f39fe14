package agui

import "github.com/go-json-experiment/json/jsontext"

// activitySnapshot makes an activity, or replaces one unless it is told to leave what
// is there. A message of another kind gives way to it.
func (c *Conversation) activitySnapshot(e *ActivitySnapshot) error {
	replace := e.Replace == nil || *e.Replace
	made := Message{
		ID: e.MessageID, Role: RoleActivity, ActivityType: Set(e.ActivityType), Content: e.Content, SubagentRunID: e.SubagentRunID,
	}
	h := c.byID[e.MessageID]
	switch {
	case h == nil:
		h = c.add(made)
	case h.Role != RoleActivity && !replace:
		return nil
	case h.Role != RoleActivity:
		c.forgetCalls(h)
		*h = held{Message: made}
	case replace:
		made.Metadata, made.Extra = h.Metadata, h.Extra
		h.Message = made
	}
	return merge(&h.Metadata, e.Metadata)
}

// forgetCalls drops the calls of a message that is one no longer.
func (c *Conversation) forgetCalls(h *held) {
	for _, k := range h.calls {
		if c.calls[k.ID] == k {
			delete(c.calls, k.ID)
		}
	}
}

func (c *Conversation) activityDelta(e *ActivityDelta) ([]Warning, error) {
	h := c.byID[e.MessageID]
	switch {
	case h == nil:
		return warn(UnknownEntity, "/messageId", "there is no activity "+e.MessageID), nil
	case h.Role != RoleActivity:
		return warn(EntityClash, "/messageId", "message "+e.MessageID+" is no activity"), nil
	}
	if err := merge(&h.Metadata, e.Metadata); err != nil {
		return nil, err
	}
	content, err := Patch(h.Content, e.Patch)
	if err != nil {
		return warn(PatchFailed, "/patch", err.Error()), nil
	}
	if content.Kind() != jsontext.Kind('{') {
		return warn(PatchFailed, "/patch", "the content of an activity must stay an object"), nil
	}
	h.Content, h.ActivityType = content, Set(e.ActivityType)
	return nil, nil
}
