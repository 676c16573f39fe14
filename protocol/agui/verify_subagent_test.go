package agui

import (
	"strings"
	"testing"
)

func begun(id, more string) string {
	return `{"type":"SUBAGENT_STARTED","subagentRunId":"` + id + `","name":"n"` + more + `}`
}

func done(id string) string { return `{"type":"SUBAGENT_FINISHED","subagentRunId":"` + id + `"}` }

func gaveUp(id string) string {
	return `{"type":"SUBAGENT_ERROR","subagentRunId":"` + id + `","message":"m"}`
}

func TestLifecycleOfSubagents(t *testing.T) {
	under := func(parent string) string { return `,"parentSubagentRunId":"` + parent + `"` }
	for _, tc := range []struct {
		rule  string
		lines []string
		bad   bool // the last line breaks the rule
	}{
		{"starts and is finished", []string{begun("s", ""), done("s"), finished}, false},
		{"starts and fails, and the run goes on", []string{begun("s", ""), gaveUp("s"), custom, finished}, false},
		{"two are at work at once", []string{begun("s", ""), begun("u", ""), done("s"), gaveUp("u"), finished}, false},
		{"is not announced twice", []string{begun("s", ""), begun("s", "")}, true},
		{"escapes do not make another invocation", []string{begun("s", ""), begun(`\u0073`, "")}, true},
		{"an id names one invocation of a run", []string{begun("s", ""), done("s"), begun("s", "")}, true},
		{"also after a failure", []string{begun("s", ""), gaveUp("s"), begun("s", "")}, true},
		{"but may come again in the next run", []string{begun("s", ""), done("s"), finished, started, begun("s", ""), done("s"), finished}, false},
		{"what has not started is not finished", []string{done("s")}, true},
		{"nor does it fail", []string{gaveUp("s")}, true},
		{"what was only named has not started", []string{with(custom, tagged("s")), done("s")}, true},
		{"nothing is finished twice", []string{begun("s", ""), done("s"), done("s")}, true},
		{"nor fails when it is finished", []string{begun("s", ""), done("s"), gaveUp("s")}, true},
		{"nor is finished when it has failed", []string{begun("s", ""), gaveUp("s"), done("s")}, true},
		{"another one's end is not its own", []string{begun("s", ""), done("u")}, true},
		{"all are over before the run is", []string{begun("s", ""), begun("u", ""), done("u"), finished}, true},
		{"a failed run ends them", []string{begun("s", ""), failed, started, finished}, false},
		{"and they are forgotten with it", []string{begun("s", ""), failed, started, done("s")}, true},
		{"a subagent may call another", []string{begun("s", ""), begun("u", under("s")), done("u"), done("s"), finished}, false},
		{"one that nobody announced calls nobody", []string{begun("u", under("s"))}, true},
		{"and nobody calls itself", []string{begun("s", under("s"))}, true},
		{"the caller may be over already", []string{begun("s", ""), done("s"), begun("u", under("s")), done("u"), finished}, false},
		{"a caller of the run before is unknown", []string{begun("s", ""), done("s"), finished, started, begun("u", under("s"))}, true},
		{"a caller without a name is unknown, too", []string{begun("u", under(""))}, true},
		{"the name may be empty", []string{begun("", ""), begun("u", under("")), done("u"), done(""), finished}, false},
		{"nobody needs to be announced", []string{with(item(TypeTextMessageStart, "messageId", "m"), tagged("s")), item(TypeTextMessageEnd, "messageId", "m"), finished}, false},
		{"what it streams may outlast it when it is no chunk", []string{begun("s", ""), with(item(TypeTextMessageStart, "messageId", "m"), tagged("s")), done("s"), item(TypeTextMessageEnd, "messageId", "m"), finished}, false},
		{"suspended is an end", []string{begun("s", ""), with(done("s"), `,"outcome":{"type":"suspended"}`), finished}, false},
	} {
		check(t, tc.rule, append([]string{started}, tc.lines...), tc.bad)
	}
	check(t, "not before the run", []string{begun("s", "")}, true)
	check(t, "not behind it", []string{started, finished, begun("s", "")}, true)
}

// Of several subagents at work, the error names the same one each time.
func TestTheSubagentThatIsNamedIsTheFirst(t *testing.T) {
	for range 20 {
		var v Verifier
		_, err := feed(&v, frames(t, started, begun("c", ""), begun("a", ""), begun("b", ""), finished))
		if err == nil || !strings.Contains(err.Error(), "subagent a is still") {
			t.Fatal(err)
		}
	}
}

// Steps are told apart by their owner.
func TestStepsBelongToTheirOwner(t *testing.T) {
	start := func(owner string) string { return with(item(TypeStepStarted, "stepName", "x"), tagged(owner)) }
	end := func(owner string) string { return with(item(TypeStepFinished, "stepName", "x"), tagged(owner)) }
	for _, tc := range []struct {
		rule  string
		lines []string
		bad   bool
	}{
		{"one name, two owners", []string{start(""), start("s"), end(""), end("s"), finished}, false},
		{"each closes its own", []string{start(""), end("s")}, true},
		{"a step of a subagent is not the agent's", []string{start("s"), end("")}, true},
		{"nor another subagent's", []string{start("s"), end("u")}, true},
		{"one owner, one name at a time", []string{start("s"), start("s")}, true},
		{"and again when it is over", []string{start("s"), end("s"), start("s"), end("s"), finished}, false},
		{"a subagent's step is closed before the run", []string{start("s"), finished}, true},
		{"an owner without a name is not the agent", []string{with(item(TypeStepStarted, "stepName", "x"), `,"subagentRunId":""`), end("")}, true},
	} {
		check(t, tc.rule, append([]string{started}, tc.lines...), tc.bad)
	}
}
