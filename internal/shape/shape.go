package shape

// A Type is the form of value a Shape accepts.
type Type uint8

const (
	// Any accepts every JSON value, null too.
	Any Type = iota
	// NotNull accepts every JSON value but null.
	NotNull
	// String accepts a string; with Words, only one of them is known.
	String
	// Pointer accepts a string that is a JSON Pointer (RFC 6901).
	Pointer
	// Const accepts exactly the string Words[0].
	Const
	// Bool accepts true and false.
	Bool
	// Integer accepts a whole number from Min to Max.
	Integer
	// Number accepts any number.
	Number
	// Object accepts any object, whatever its members.
	Object
	// Struct accepts an object with the described members.
	Struct
	// Array accepts an array whose elements are of the shape Item.
	Array
	// Union accepts an object; the string member named Tag picks its shape among Variants.
	Union
	// StringOrArray accepts a string, or what Array accepts.
	StringOrArray
	// Map accepts an object whose members, whatever their names, are of the shape Item.
	Map
)

// SafeInteger is the largest whole number that every JSON peer keeps exact, 2^53−1.
const SafeInteger = 1<<53 - 1

// A Shape describes the values accepted in one place. Shapes are built once, at
// start, and are read-only afterwards.
type Shape struct {
	Type     Type
	Words    []string          // String: the known words, nil for any; Const: the one word
	Min, Max float64           // Integer: the bounds, both included
	Members  []Member          // Struct: what is known
	Open     bool              // Struct: members not described are accepted silently
	Item     *Shape            // Array, StringOrArray, Map
	MinItems int               // Array
	Tag      string            // Union: the member that tells the variants apart
	Variants map[string]*Shape // Union: by the value of Tag
}

// A Member is one described member of a Struct.
type Member struct {
	Name     string
	Shape    *Shape
	Required bool
}

// Index returns the place of the named member among s.Members, or -1.
func (s *Shape) Index(name string) int {
	for i := range s.Members {
		if s.Members[i].Name == name {
			return i
		}
	}
	return -1
}

// want says in words what the shape accepts, for error messages.
func (s *Shape) want() string {
	switch s.Type {
	case Any:
		return "any value"
	case NotNull:
		return "any value but null"
	case String:
		return "a string"
	case Pointer:
		return "a JSON Pointer, empty or /-separated"
	case Const:
		return `the string "` + s.Words[0] + `"`
	case Bool:
		return "true or false"
	case Integer:
		return "a whole number" + s.bounds()
	case Number:
		return "a number"
	case Object, Struct, Union, Map:
		return "an object"
	case Array:
		return "an array"
	default:
		return "a string or an array"
	}
}

func (s *Shape) bounds() string {
	switch {
	case s.Min == 0 && s.Max == SafeInteger:
		return ", not negative"
	case s.Max == SafeInteger:
		return " within ±(2^53−1)"
	}
	return ""
}
