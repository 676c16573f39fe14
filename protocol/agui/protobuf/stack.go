package protobuf

// A stack keeps its first elements in itself, so that an encoder that needs no more of
// them allocates nothing.
type stack[T any] struct {
	few  [6]T
	rest []T
	size int
}

func (s *stack[T]) push(v T) {
	if s.size < len(s.few) {
		s.few[s.size] = v
	} else {
		s.rest = append(s.rest, v)
	}
	s.size++
}

func (s *stack[T]) pop() {
	s.size--
	if s.size >= len(s.few) {
		s.rest = s.rest[:s.size-len(s.few)]
	}
}

func (s *stack[T]) at(i int) *T {
	if i < len(s.few) {
		return &s.few[i]
	}
	return &s.rest[i-len(s.few)]
}

// all returns the elements in their order.
func (s *stack[T]) all() []T {
	n := min(s.size, len(s.few))
	return append(append(make([]T, 0, s.size), s.few[:n]...), s.rest...)
}
