package gateway

import (
	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// An oldPeer makes a run's events readable for a client that declared no protocol
// version. It has to be given them from the first one on; then whoever reads the run
// again gets the same. A nil *oldPeer changes nothing.
type oldPeer struct {
	log    *zap.Logger
	down   agui.Downgrader
	logged map[agui.WarningCode]struct{}
	out    [][]byte
}

// peerOf returns nil for a client of today.
func peerOf(in agui.RunInput, log *zap.Logger) *oldPeer {
	if !agui.Predates(in.DeclaredVersion()) {
		return nil
	}
	return &oldPeer{log: log, logged: map[agui.WarningCode]struct{}{}}
}

// modern takes the client for one of today. The binary form has a place only for what 1.0
// has, so that whoever asks for it is no client of before.
func (a *aguiReader) modern() { a.old = nil }

// lower returns what the client gets for events, which is good until the next call.
func (o *oldPeer) lower(events [][]byte) ([][]byte, error) {
	if o == nil {
		return events, nil
	}
	o.out = o.out[:0]
	for _, raw := range events {
		f, _, err := agui.ParseFrame(raw)
		if err != nil {
			return o.out, err
		}
		if f.Raw == nil {
			continue // nothing of it is known to anybody
		}
		frames, warnings, err := o.down.Next(f)
		for _, w := range warnings {
			o.lost(w)
		}
		if err != nil {
			return o.out, err
		}
		for _, f := range frames {
			o.out = append(o.out, f.Raw)
		}
	}
	return o.out, nil
}

// lost says each kind of loss once a run: every delta of a stream may have it.
func (o *oldPeer) lost(w agui.Warning) {
	if _, said := o.logged[w.Code]; said {
		return
	}
	o.logged[w.Code] = struct{}{}
	o.log.Warn("the client declares no protocol version; something is lost to it",
		zap.String("code", string(w.Code)), zap.String("path", w.Path), zap.String("detail", w.Detail))
}
