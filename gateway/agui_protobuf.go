package gateway

import (
	"errors"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/agui/protobuf"
	"github.com/agui-bridge/agui-bridge/session"
)

// A binaryForm turns the events of streams into their binary form.
type binaryForm struct {
	log    *zap.Logger
	append func(e protobuf.Encoder, dst []byte, f agui.Frame) ([]byte, error)
	told   bool // a loss was logged already
}

func framedForm(log *zap.Logger) *binaryForm {
	return &binaryForm{log: log, append: protobuf.Encoder.AppendFramed}
}

func plainForm(log *zap.Logger) *binaryForm {
	return &binaryForm{log: log, append: protobuf.Encoder.Append}
}

// encode appends one event to dst. An unknown event gives nothing: every reader leaves
// such events out. For another event that has no binary form it appends a
// RUN_ERROR that names it and returns why; the stream has to end there, since what
// follows may make no sense without it.
func (b *binaryForm) encode(dst, event []byte) ([]byte, error) {
	f, _, err := agui.ParseFrame(event)
	if err == nil {
		var out []byte
		out, err = b.append(protobuf.Encoder{Lost: b.lost(f)}, dst, f)
		if err == nil {
			return out, nil
		}
	}
	if errors.Is(err, protobuf.ErrUnknown) {
		b.log.Warn("unknown event is left out of a binary stream", zap.String("type", string(f.Type)))
		return dst, nil
	}
	b.log.Warn("event has no binary form", zap.Error(err))
	failure, _, parseErr := agui.ParseFrame((&refusal{code: session.CodeInternal, message: err.Error()}).event())
	if parseErr != nil {
		return dst, errors.Join(err, parseErr)
	}
	dst, appendErr := b.append(protobuf.Encoder{}, dst, failure)
	return dst, errors.Join(err, appendErr)
}

// lost says so in the log, once for a connection, when something has no binary form.
func (b *binaryForm) lost(f agui.Frame) func(protobuf.Loss) {
	if b.told {
		return nil
	}
	return func(l protobuf.Loss) {
		if !b.told {
			b.told = true
			b.log.Warn("binary events lose something", zap.String("type", string(f.Type)), zap.String("path", l.Path), zap.String("detail", l.Detail))
		}
	}
}
