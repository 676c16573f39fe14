package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

// A Warning reports something that a peer did and that is no error: what it was, where,
// and which rule it is about. Warnings are values, so that whoever reads a stream
// decides who hears of them.
type Warning = shape.Warning

// A WarningCode names the rule behind a Warning.
type WarningCode = shape.Code

// The codes of the warnings of this package, beside those of the shapes.
const (
	UnknownProperty              = shape.UnknownProperty
	UnknownValue                 = shape.UnknownValue
	UnknownEventType WarningCode = "unknown_event" // an event of an unknown type was dropped

	RetiredShape      WarningCode = "retired_shape"      // a shape of an older version was translated
	PatchFailed       WarningCode = "patch_failed"       // a well-formed patch does not apply; the old value stays
	UnknownEntity     WarningCode = "unknown_entity"     // an event is about a message or call that nobody has
	EntityClash       WarningCode = "entity_clash"       // an id is used by messages of kinds that do not mix
	NewerVersion      WarningCode = "newer_version"      // the peer declares a newer minor version
	ForeignVersion    WarningCode = "foreign_version"    // the peer declares another major version
	UnreadableVersion WarningCode = "unreadable_version" // the declared version is not MAJOR.MINOR
)
