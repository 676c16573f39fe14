package aisdk

// What is said of a call that a history leaves open.
const (
	neverDecided = "Nobody allowed this call; it did not run."
	neverRun     = "Nobody ran this call."
)

// Disarm settles every call that the message leaves open, so that no agent acts on it: one
// that waits for a decision, or that the message says was decided, is denied, and one that
// waits for a result has failed. It is for history: what is really decided stands in the
// message of the run that asked. It reports whether anything was open.
func (m *Message) Disarm() bool {
	open := false
	for i := range m.Parts {
		p := &m.Parts[i]
		if !p.IsTool() {
			continue
		}
		switch {
		case p.State == StateApprovalRequested || p.State == StateApprovalResponded:
			p.deny(neverDecided)
		case p.ProviderExecuted.True():
			continue
		case p.State == StateInputAvailable || p.State == StateInputStreaming || p.State == StateOutputAvailable && p.Preliminary.True():
			p.State, p.ErrorText = StateOutputError, Set(neverRun)
			p.Output, p.Preliminary, p.Approval = nil, Unset, nil
		default:
			continue
		}
		open = true
	}
	return open
}

func (p *Part) deny(reason string) {
	var denied Approval
	if p.Approval != nil {
		denied = *p.Approval
	}
	no := false
	if denied.Approved == nil || *denied.Approved || !denied.Reason.Present() {
		denied.Reason = Set(reason)
	}
	denied.Approved = &no
	if len(p.Input) == 0 {
		p.Input = []byte("{}")
	}
	// An approval that could not be read stands among what is unknown.
	if rest, err := without(p.Extra, "approval"); err == nil {
		p.Extra = rest
	}
	p.State, p.Approval = StateOutputDenied, &denied
}

// Open reports whether a call of the message waits for a decision, or for a result.
func (m *Message) Open() bool {
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.IsTool() && !p.Settled() && !p.ProviderExecuted.True() {
			return true
		}
	}
	return false
}
