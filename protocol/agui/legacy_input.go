package agui

// ReadRunInput is ParseRunInput for inputs of any age: what is retired is translated
// before anything is taken out as unknown (AG-UI 1.1, basic/processing). An input of
// today's shape is read once, and Raw is raw itself.
func ReadRunInput(raw []byte) (RunInput, []Warning, error) {
	in, warnings, err := ParseRunInput(raw)
	if err == nil && len(warnings) == 0 {
		return in, nil, nil
	}
	// A retired shape is either unknown today or malformed.
	now, retired, upgradeErr := UpgradeInput(raw)
	if upgradeErr != nil || len(retired) == 0 {
		return in, warnings, err
	}
	in, warnings, err = ParseRunInput(now)
	return in, append(retired, warnings...), err
}

// DeclaredVersion returns the version that the sender declares, if it declares one. An
// empty text is a declaration, though not one that can be read.
func (in RunInput) DeclaredVersion() (declared string, present bool) {
	return in.ProtocolVersion.String(), in.ProtocolVersion.Present()
}
