package agui

import (
	"maps"
	"slices"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// items holds what a run has named of one kind, by id: an id that was closed may open
// again and still has its owner.
type items map[string]*tracked

type tracked struct {
	open  bool
	owner owner
}

// A step is told apart by its name within its owner: a subagent may well run a step of
// the same name as the agent that called it.
type step struct {
	owner owner
	name  string
}

func (v *Verifier) item(f Frame) error {
	switch f.Type {
	case TypeTextMessageStart:
		return v.open(&v.text, f, "messageId", "message", ownerOf(f))
	case TypeTextMessageContent:
		return goOn(v.text, f, "messageId", "message", false)
	case TypeTextMessageEnd:
		return goOn(v.text, f, "messageId", "message", true)
	case TypeToolCallStart:
		return v.startCall(f)
	case TypeToolCallArgs:
		return goOn(v.calls, f, "toolCallId", "tool call", false)
	case TypeToolCallEnd:
		return goOn(v.calls, f, "toolCallId", "tool call", true)
	case TypeToolCallResult:
		return v.claim(&v.text, f, f.Text("messageId"), ownerOf(f))
	case TypeReasoningMessageStart:
		return v.openReasoning(&v.reasoning, &v.spans, f, "reasoning message")
	case TypeReasoningMessageContent:
		return goOn(v.reasoning, f, "messageId", "reasoning message", false)
	case TypeReasoningMessageEnd:
		return goOn(v.reasoning, f, "messageId", "reasoning message", true)
	case TypeReasoningStart:
		return v.openReasoning(&v.spans, &v.reasoning, f, "reasoning span")
	case TypeReasoningEnd:
		return goOn(v.spans, f, "messageId", "reasoning span", true)
	case TypeStepStarted:
		return v.startStep(f)
	case TypeStepFinished:
		return v.finishStep(f)
	}
	return v.other(f)
}

// other follows what opens and closes nothing.
func (v *Verifier) other(f Frame) error {
	switch f.Type {
	case TypeReasoningEncryptedValue:
		return v.encrypted(f)
	case TypeActivitySnapshot:
		return v.snapshotActivity(f)
	case TypeActivityDelta:
		return sameOwner(f, v.activity[f.Text("messageId")], "activity", f.Text("messageId"))
	case TypeMessagesSnapshot:
		return v.messages(f, f.Member("messages"), true)
	case TypeSubagentStarted:
		return v.startSubagent(f)
	case TypeSubagentFinished, TypeSubagentError:
		return v.endSubagent(f)
	}
	return nil
}

func (v *Verifier) open(s *items, f Frame, member, what string, who owner) error {
	id := f.Text(member)
	known := (*s)[id]
	if known != nil && known.open {
		return broken(f, AlreadyOpen, what+" "+id+" is already open")
	}
	if err := sameOwner(f, known, what, id); err != nil {
		return err
	}
	if known != nil {
		known.open = true
		return nil
	}
	if err := v.claim(s, f, id, who); err != nil {
		return err
	}
	(*s)[id].open = true
	return nil
}

// claim writes down whose id is, whatever was known of it.
func (v *Verifier) claim(s *items, f Frame, id string, who owner) error {
	if known := (*s)[id]; known != nil {
		known.owner = who
		return nil
	}
	if err := v.name(f); err != nil {
		return err
	}
	if *s == nil {
		*s = items{}
	}
	(*s)[id] = &tracked{owner: who}
	return nil
}

// goOn checks an event that needs its id to be open.
func goOn(s items, f Frame, member, what string, end bool) error {
	known, _ := shape.Lookup(s, f.Record, member)
	if known == nil || !known.open {
		return broken(f, NotOpen, what+" "+f.Text(member)+" is not open")
	}
	if f.Member("subagentRunId") != nil {
		if err := sameOwner(f, known, what, f.Text(member)); err != nil {
			return err
		}
	}
	if end {
		known.open = false
	}
	return nil
}

func (v *Verifier) startStep(f Frame) error {
	s := step{ownerOf(f), f.Text("stepName")}
	if _, open := v.steps[s]; open {
		return broken(f, AlreadyOpen, "step "+s.name+" of "+s.owner.String()+" is already open")
	}
	if err := v.name(f); err != nil {
		return err
	}
	if v.steps == nil {
		v.steps = map[step]struct{}{}
	}
	v.steps[s] = struct{}{}
	return nil
}

func (v *Verifier) finishStep(f Frame) error {
	s := step{ownerOf(f), f.Text("stepName")}
	if _, open := v.steps[s]; !open {
		return broken(f, NotOpen, "step "+s.name+" of "+s.owner.String()+" is not open")
	}
	delete(v.steps, s)
	return nil
}

// allClosed checks that nothing is left open. Of several things it names the first.
func (v *Verifier) allClosed(f Frame) error {
	for _, kind := range []struct {
		what string
		items
	}{{"message", v.text}, {"tool call", v.calls}, {"reasoning message", v.reasoning}, {"reasoning span", v.spans}} {
		if open := kind.openIDs(); len(open) > 0 {
			return broken(f, StillOpen, kind.what+" "+open[0]+" is still open")
		}
	}
	for _, s := range v.openSteps() {
		return broken(f, StillOpen, "step "+s.name+" of "+s.owner.String()+" is still open")
	}
	for _, id := range v.subagentsAtWork() {
		return broken(f, StillOpen, "subagent "+id+" is still at work")
	}
	return nil
}

// openIDs returns what is open, in a fixed order.
func (s items) openIDs() []string {
	var ids []string
	for id, known := range s {
		if known.open {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (v *Verifier) openSteps() []step {
	return slices.SortedFunc(maps.Keys(v.steps), func(a, b step) int {
		return slices.Compare([]string{a.owner.String(), a.name}, []string{b.owner.String(), b.name})
	})
}
