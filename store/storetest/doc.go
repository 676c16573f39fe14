// Package storetest holds what every [store.Log] must do, as a test suite, and
// a [store.Log] that fails on demand for the tests of those who use one.
package storetest
