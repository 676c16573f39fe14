// Package archtest fails when the code grows an arrow that the architecture
// does not have.
package archtest

const module = "github.com/agui-bridge/agui-bridge"

// A rule says what a package may import. Tests may import more.
type rule struct {
	project []string            // packages of the project; "*" is any
	std     []string            // forbidden: paths, or path/* for what is under them
	only    map[string][]string // allowed in these files alone: import path → file names
	clock   bool                // may ask for the time, or wait
}

// pure is what a package may not import whose results depend on nothing but
// its arguments. The rule of who may know the time goes with it.
var pure = []string{"net", "net/*", "os", "os/*", "log", "log/*", "math/rand", "math/rand/*", "crypto/rand", "sync", "sync/*", "syscall", "unsafe", "context"}

// everywhere is forbidden in every package: JSON has one parser here.
var everywhere = []string{"encoding/json", "encoding/json/*", "math/rand"}

// rules holds every package. One that is missing fails the test: whoever adds a
// package says where it stands.
var rules = map[string]rule{
	"hitl":                   {std: pure, only: map[string][]string{"context": {"approver.go"}}},
	"protocol/agui":          {std: pure, project: []string{"hitl", "internal/shape"}},
	"protocol/agui/protobuf": {std: pure, project: []string{"protocol/agui"}},
	"protocol/aisdk":         {std: pure, project: []string{"hitl", "internal/shape"}},
	"protocol/translate": {
		std: pure, only: map[string][]string{"net/url": {"media.go"}},
		project: []string{"hitl", "internal/shape", "protocol/agui", "protocol/aisdk"},
	},
	"protocol/agui/check": {std: pure, project: []string{"internal/shape", "protocol/agui"}},

	"store":           {clock: true},
	"store/storetest": {clock: true, project: []string{"store"}},
	"store/jetstream": {clock: true, project: []string{"store"}},

	"session": {clock: true, project: []string{"hitl", "store"}, std: []string{"net", "net/*"}},

	"upstream": {clock: true, project: []string{
		"hitl", "session", "protocol/agui", "protocol/aisdk", "protocol/translate", "internal/sse", "upstream/asked", "upstream/builtin",
	}},
	"upstream/asked":   {std: pure, project: []string{"session", "protocol/agui", "protocol/aisdk", "protocol/translate"}},
	"upstream/builtin": {clock: true, project: []string{"hitl", "session", "protocol/agui", "protocol/aisdk", "upstream/asked"}, std: []string{"net", "net/*"}},
	"upstream/inproc":  {clock: true, project: []string{"hitl", "session", "protocol/agui", "upstream/asked"}, std: []string{"net", "net/*", "os", "os/*"}},
	"gateway": {clock: true, project: []string{
		"hitl", "session", "protocol/agui", "protocol/agui/protobuf", "protocol/aisdk", "protocol/translate",
		"internal/sse", "internal/shape",
	}},

	"internal/archtest": {},
	"internal/chaos":    {clock: true},
	"internal/findings": {project: []string{"protocol/agui/check"}, std: []string{"os", "os/*", "net", "net/http", "net/http/*"}},
	"internal/mutate":   {clock: true},
	"internal/recorded": {project: []string{"internal/shape", "protocol/agui/check"}, std: []string{"net", "net/*", "os", "os/*"}},
	"internal/schema":   {project: []string{"hitl"}, std: []string{"net", "net/*", "os", "os/*"}},
	"internal/shape":    {std: []string{"net", "net/*", "os", "os/*"}},
	"internal/sse":      {std: []string{"net", "net/*", "os", "os/*"}},

	"cmd/agui-bridge": {clock: true, project: []string{"*"}},
	"examples/inproc": {clock: true, project: []string{"*"}}, // examples may import anything
}
