package agui

import "slices"

// startSubagent checks that an invocation starts once, under a parent that has started.
func (v *Verifier) startSubagent(f Frame) error {
	id := f.Text("subagentRunId")
	atWork, known := v.subagents[id]
	switch {
	case atWork:
		return broken(f, SubagentRestarted, "subagent "+id+" is already at work")
	case known:
		return broken(f, SubagentRestarted, "subagent "+id+" has ended in this run; an id names one invocation")
	}
	if parent := f.Text("parentSubagentRunId"); f.Member("parentSubagentRunId") != nil {
		if _, started := v.subagents[parent]; !started {
			return broken(f, SubagentNotStarted, "parent subagent "+parent+" has not started")
		}
	}
	if err := v.name(f); err != nil {
		return err
	}
	if v.subagents == nil {
		v.subagents = map[string]bool{}
	}
	v.subagents[id] = true
	return nil
}

func (v *Verifier) endSubagent(f Frame) error {
	id := f.Text("subagentRunId")
	if !v.subagents[id] {
		return broken(f, SubagentNotStarted, "subagent "+id+" is not at work")
	}
	v.subagents[id] = false
	return nil
}

// subagentsAtWork returns who has not ended, in a fixed order.
func (v *Verifier) subagentsAtWork() []string {
	var ids []string
	for id, atWork := range v.subagents {
		if atWork {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
