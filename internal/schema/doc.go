// Package schema holds a JSON value against a JSON Schema that somebody else
// wrote. [Checker.Check] is a hitl.SchemaCheck.
//
// The schema comes from an agent, the value from a front end, and neither is
// trusted:
//
//   - A schema refers to nothing outside itself. No file and no address is ever
//     opened, and the metaschemas are no exception. $dynamicRef and
//     $recursiveRef are refused: what they refer to depends on the way taken.
//   - Schema and value have limits of size, depth and of the length of numbers.
//   - A check has a budget. Schemas whose branches refer to each other can ask
//     for exponentially many steps of a small value; such a check ends early.
//   - Patterns are Go's RE2 syntax, so matching takes time linear in the text and no
//     pattern can be made to backtrack. What RE2 lacks, such as looking ahead,
//     makes a schema unusable. The size of patterns is limited, since a counted
//     repetition takes memory.
//
// Whatever goes wrong is an issue: a schema that cannot be used, or a check
// that could not be finished, is never a pass.
//
// Drafts 4, 6, 7, 2019-09 and 2020-12 are understood. A schema without $schema
// is of draft 2020-12. Formats are asserted in all of them; unknown formats and
// unknown keywords are ignored, as the standard says.
package schema
