package agui

import (
	"strconv"
	"strings"
)

// A ProtocolVersion is a declared version of the protocol, MAJOR.MINOR. The parts are
// compared as numbers (AG-UI 1.1, basic/versioning).
type ProtocolVersion struct{ Major, Minor int }

// ParseVersion reads a declared version; ok is false for what cannot be interpreted.
func ParseVersion(text string) (v ProtocolVersion, ok bool) {
	major, minor, found := strings.Cut(text, ".")
	if !found || !digits(major) || !digits(minor) {
		return v, false
	}
	var err error
	if v.Major, err = strconv.Atoi(major); err != nil {
		return ProtocolVersion{}, false
	}
	if v.Minor, err = strconv.Atoi(minor); err != nil {
		return ProtocolVersion{}, false
	}
	return v, true
}

func digits(text string) bool {
	for _, r := range text {
		if r < '0' || r > '9' {
			return false
		}
	}
	return text != "" && (text == "0" || text[0] != '0')
}

// implemented is Version as numbers.
var implemented, _ = ParseVersion(Version)

// VersionWarnings says what there is to warn about in a version that a peer declares, at
// the given path. A peer that declares none is one of before 1.0 and is served in
// silence, one of a newer minor is served with a warning, and so is one whose declaration
// cannot be read, or names another major: what it sends is judged for what it is.
func VersionWarnings(path, declared string, present bool) []Warning {
	if !present {
		return nil
	}
	v, ok := ParseVersion(declared)
	switch {
	case !ok:
		return warn(UnreadableVersion, path, "cannot interpret protocol version "+strconv.Quote(declared)+"; expected MAJOR.MINOR")
	case v.Major != implemented.Major:
		return warn(ForeignVersion, path, "the peer speaks protocol version "+declared+", this side "+Version)
	case v.Minor > implemented.Minor:
		return warn(NewerVersion, path, "the peer speaks protocol version "+declared+", this side "+Version)
	}
	return nil
}
