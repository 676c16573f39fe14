// Package findings writes what a check has found, for people, for programs and for
// services that show it beside the code: one line of text, one JSON object a line, or one
// SARIF 2.1.0 document.
package findings
