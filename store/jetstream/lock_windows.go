package jetstream

import (
	"errors"
	"fmt"
	"syscall"
)

// sharingViolation is how the system says that somebody else has a file open.
const sharingViolation = syscall.Errno(32)

// lock takes a lock that the system releases with the process, however it
// ends: a file that is open and shared with nobody.
func lock(name string) (unlock func(), err error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { _ = syscall.CloseHandle(h) }, nil
}
