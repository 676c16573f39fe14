package jetstream

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
)

// maxThreadID is how long a thread id can be, in bytes.
const maxThreadID = 256

// errSubject says that a subject names no thread. Another program wrote it.
var errSubject = errors.New("store/jetstream: subject of no thread")

// names holds what the engine knows the log by.
type names struct {
	stream string // the stream
	thread string // what the subjects of threads begin with, and a dot
	bell   string // what the subjects of doorbells begin with, and a dot
}

func namesFor(name string) names {
	upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	return names{stream: upper + "_THREADS", thread: name + ".thread.", bell: name + ".bell."}
}

// address returns the end of a thread's subject: two tokens of a hash, which
// let a listing go through all threads in parts of bounded size, and the id in
// letters that any subject may have.
func address(thread string) (string, error) {
	if thread == "" || len(thread) > maxThreadID {
		return "", fmt.Errorf("store/jetstream: a thread id has 1 to %d bytes, not %d", maxThreadID, len(thread))
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(thread)) // a hash takes everything
	sum := hex.EncodeToString(h.Sum(nil))
	return sum[:2] + "." + sum[2:4] + "." + base64.RawURLEncoding.EncodeToString([]byte(thread)), nil
}

// threadOf returns the thread of a subject.
func (n names) threadOf(subject string) (string, error) {
	rest, ok := strings.CutPrefix(subject, n.thread)
	if !ok {
		return "", fmt.Errorf("%w: %q", errSubject, subject)
	}
	id, err := base64.RawURLEncoding.DecodeString(rest[strings.LastIndexByte(rest, '.')+1:])
	if err != nil {
		return "", fmt.Errorf("%w: %q: %w", errSubject, subject, err)
	}
	if want, err := address(string(id)); err != nil || want != rest {
		return "", fmt.Errorf("%w: %q", errSubject, subject)
	}
	return string(id), nil
}
