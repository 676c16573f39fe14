package schema

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

const (
	// MaxSchemaBytes is how large a schema may be.
	MaxSchemaBytes = 256 << 10

	maxCached      = 256     // compiled schemas, and
	maxCachedBytes = 4 << 20 // the bytes they were compiled from
)

// A Checker checks values and remembers the schemas it has compiled. It is safe
// for concurrent use.
type Checker struct {
	mu    sync.Mutex
	items map[key]*list.Element // of *schema
	order *list.List            // the one used last in front
	bytes int
}

type key [sha256.Size]byte

// New returns a Checker.
func New() *Checker {
	return &Checker{items: map[key]*list.Element{}, order: list.New()}
}

// Check returns what is wrong with the value, or nil if the schema accepts it.
// Each issue says where and what was expected; they are in the order of their
// paths. A schema that cannot be used is one issue with an empty path.
func (c *Checker) Check(schema, value jsontext.Value) []hitl.Issue {
	if len(schema) > MaxSchemaBytes {
		return unusable("it is larger than 256 KiB")
	}
	v, err := decode(value)
	if err != nil {
		return []hitl.Issue{{Message: fault(err)}}
	}
	return c.compiled(schema).check(v)
}

// compiled returns the schema from the cache, where it is put if it is new.
func (c *Checker) compiled(text jsontext.Value) *schema {
	k := key(sha256.Sum256(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	if item := c.items[k]; item != nil {
		c.order.MoveToFront(item)
		return item.Value.(*schema)
	}
	s := &schema{key: k, text: text.Clone()}
	c.items[k] = c.order.PushFront(s)
	c.bytes += len(text)
	for len(c.items) > maxCached || c.bytes > maxCachedBytes {
		c.evict()
	}
	return s
}

func (c *Checker) evict() {
	old := c.order.Remove(c.order.Back()).(*schema)
	delete(c.items, old.key)
	c.bytes -= len(old.text)
}
