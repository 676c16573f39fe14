package findings

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

// NewSARIF returns a writer of one SARIF 2.1.0 document (OASIS Standard), which is
// written by Close. Findings are held until then; whoever writes them bounds their number.
func NewSARIF(w io.Writer, version string) Writer {
	s := &sarif{w: w, index: map[string]int{}}
	driver := sarifDriver{Name: "agui-bridge check", Version: version}
	for i, r := range check.Rules() {
		s.index[r.ID] = i
		driver.Rules = append(driver.Rules, sarifRule{
			ID: r.ID, Name: pascal(r.ID), Short: sarifText{r.Help}, Full: sarifText{r.Help},
			Help:    sarifText{r.Help + " See docs/check.md of agui-bridge, and the specification of AG-UI."},
			Default: sarifLevel{string(r.Severity)},
		})
	}
	s.run = sarifRun{Tool: sarifTool{driver}, Results: []sarifResult{}, Columns: "unicodeCodePoints"}
	return s
}

type sarif struct {
	w     io.Writer
	index map[string]int
	run   sarifRun
}

type (
	sarifDocument struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Columns string        `json:"columnKind"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string     `json:"id"`
		Name    string     `json:"name"`
		Short   sarifText  `json:"shortDescription"`
		Full    sarifText  `json:"fullDescription"`
		Help    sarifText  `json:"help"`
		Default sarifLevel `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID     string          `json:"ruleId"`
		RuleIndex  int             `json:"ruleIndex"`
		Level      string          `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations"`
		Properties sarifProperties `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifProperties struct {
		Event *int   `json:"event,omitzero"`
		Type  string `json:"type,omitzero"`
		Path  string `json:"path,omitzero"`
	}
)

// Write implements Writer.
func (s *sarif) Write(file string, f check.Finding) error {
	message := f.Message
	if where := strings.TrimSpace(string(f.Type) + " " + f.Path); where != "" {
		message = where + ": " + message
	}
	s.run.Results = append(s.run.Results, sarifResult{
		RuleID: f.Rule, RuleIndex: s.index[f.Rule], Level: string(f.Severity), Message: sarifText{message},
		Locations:  []sarifLocation{{sarifPhysical{sarifArtifact{artifact(file)}, sarifRegion{max(f.Line, 1)}}}},
		Properties: sarifProperties{event(f), string(f.Type), f.Path},
	})
	return nil
}

// Close implements Writer.
func (s *sarif) Close() error {
	out, err := json.Marshal(sarifDocument{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{s.run},
	}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = s.w.Write(append(out, '\n'))
	return err
}

// artifact makes a URI reference of a file name; a URL is one.
func artifact(file string) string {
	if strings.HasPrefix(file, "http://") || strings.HasPrefix(file, "https://") {
		return file
	}
	file = filepath.ToSlash(file)
	u := url.URL{Path: file}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}

// pascal writes a rule's id as SARIF likes names: NotOpen.
func pascal(id string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(id, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
