package agui

import (
	"bytes"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	interruptID = regexp.MustCompile(`^/outcome/interrupts/\d+/id$`)
	resumeID    = regexp.MustCompile(`^/resume/\d+/interruptId$`)
)

// RenameInterrupts gives the interrupts of a RUN_FINISHED other ids; names maps old to new
// ones. Everything else stays. The error matches ErrMalformed.
func RenameInterrupts(raw []byte, names map[string]string) ([]byte, error) {
	return rename(raw, "RUN_FINISHED", interruptID, names)
}

// RenameResume gives the entries of the resume list of an input other interrupt ids, as
// [RenameInterrupts] does.
func RenameResume(raw []byte, names map[string]string) ([]byte, error) {
	return rename(raw, "RunAgentInput", resumeID, names)
}

var runID = regexp.MustCompile(`^/runId$`)

// RenameRun gives a run event another run id, in place of old.
func RenameRun(raw []byte, from, to string) ([]byte, error) {
	return rename(raw, "event", runID, map[string]string{from: to})
}

// rename replaces the strings at places of raw that are keys of names.
func rename(raw []byte, what string, place *regexp.Regexp, names map[string]string) ([]byte, error) {
	if len(names) == 0 {
		return raw, nil
	}
	var out bytes.Buffer
	in, write := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out, jsontext.PreserveRawStrings(true))
	for depth := -1; depth != 0; depth = in.StackDepth() {
		token, err := in.ReadToken()
		if err != nil {
			return nil, malformed(what, err)
		}
		if token.Kind() == '"' && place.MatchString(string(in.StackPointer())) {
			if name, ok := names[token.String()]; ok {
				// A member's name is at the pointer of its value; it is no key of names
				// unless the agent calls an interrupt "id".
				if kind, length := in.StackIndex(in.StackDepth()); kind != '{' || length%2 == 0 {
					token = jsontext.String(name)
				}
			}
		}
		if err := write.WriteToken(token); err != nil {
			return nil, malformed(what, err)
		}
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
