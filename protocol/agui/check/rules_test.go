package check

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var constant = regexp.MustCompile(`(?m)^\t\w+ +(?:SequenceRule|WarningCode|Code) += "(\w+)"`)

// Whatever package agui can name, the list explains. It is read from the source, so that
// a new one there cannot be forgotten here.
func TestEveryRuleOfAguiIsInTheList(t *testing.T) {
	n := 0
	for _, file := range []string{"../sequence_rule.go", "../warning.go", "../../../internal/shape/errors.go"} {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range constant.FindAllSubmatch(text, -1) {
			n++
			if severities[string(match[1])] == "" {
				t.Errorf("%s names %s, which is not in the list", file, match[1])
			}
		}
	}
	if n < 25 {
		t.Errorf("found %d rules only; the test looks at the wrong place", n)
	}
}
