package agui

import "testing"

func TestVersionsAreComparedAsNumbers(t *testing.T) {
	for _, tc := range []struct {
		declared string
		present  bool
		want     WarningCode
	}{
		{"", false, ""},
		{"1.0", true, ""},
		{Version, true, ""},
		{"1.2", true, NewerVersion},
		{"1.10", true, NewerVersion},
		{"2.0", true, ForeignVersion},
		{"0.9", true, ForeignVersion},
		{"", true, UnreadableVersion},
		{"1", true, UnreadableVersion},
		{"1.1.0", true, UnreadableVersion},
		{"v1.1", true, UnreadableVersion},
		{"1.01", true, UnreadableVersion},
		{"1.-1", true, UnreadableVersion},
		{"1.99999999999999999999", true, UnreadableVersion},
		{"٣.١", true, UnreadableVersion},
	} {
		warnings := VersionWarnings("/protocolVersion", tc.declared, tc.present)
		var got WarningCode
		if len(warnings) > 0 {
			got = warnings[0].Code
		}
		if got != tc.want || len(warnings) > 1 {
			t.Errorf("%q (%v): %v, want %q", tc.declared, tc.present, warnings, tc.want)
		}
	}
}
