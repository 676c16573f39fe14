package hitl

import (
	"bytes"
	"strconv"
)

// appendNumber appends the JSON number raw in the one spelling of its exact value:
// digits without a zero at either end, times a power of ten if that is not 1. Short
// whole numbers are written out. Nothing is rounded, whatever the size.
//
//	1.0, 1, 10e-1 → 1      -0 → 0      1.50 → 15e-1      1e30 → 1e30
//
// An exponent of more than 17 digits is kept as it is written: such a number is equal
// to the same text only, which errs on the side of asking again.
func appendNumber(dst, raw []byte) []byte {
	if len(raw) <= maxWrittenOut && !bytes.ContainsAny(raw, ".eE") && !bytes.Equal(raw, []byte("-0")) {
		return append(dst, raw...) // a short whole number is written out already
	}
	digits, exponent, ok := decimal(raw)
	if !ok {
		return append(dst, raw...)
	}
	if len(digits) == 0 {
		return append(dst, '0')
	}
	if raw[0] == '-' {
		dst = append(dst, '-')
	}
	dst = append(dst, digits...)
	switch {
	case exponent == 0:
		return dst
	case exponent > 0 && len(digits)+exponent <= maxWrittenOut:
		return append(dst, bytes.Repeat([]byte("0"), exponent)...)
	}
	return strconv.AppendInt(append(dst, 'e'), int64(exponent), 10)
}

const (
	maxWrittenOut     = 20 // digits of a whole number that are written out
	maxExponentDigits = 17 // so that adding the length of a number to it cannot overflow
)

// decimal takes a JSON number apart: its value is digits × 10^exponent, apart from the
// sign. digits neither begins nor ends with 0; none means zero.
func decimal(raw []byte) (digits []byte, exponent int, ok bool) {
	mantissa, power := bytes.TrimPrefix(raw, []byte("-")), []byte(nil)
	if i := bytes.IndexAny(mantissa, "eE"); i >= 0 {
		mantissa, power = mantissa[:i], mantissa[i+1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits = append(bytes.Clone(whole), fraction...)
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		return nil, 0, true
	}
	exponent, ok = exponentOf(power)
	trimmed := bytes.TrimRight(digits, "0")
	return trimmed, exponent - len(fraction) + len(digits) - len(trimmed), ok
}

func exponentOf(power []byte) (int, bool) {
	negative := bytes.HasPrefix(power, []byte("-"))
	power = bytes.TrimLeft(bytes.TrimLeft(power, "+-"), "0")
	if len(power) == 0 {
		return 0, true
	}
	if len(power) > maxExponentDigits {
		return 0, false
	}
	n, err := strconv.Atoi(string(power))
	if negative {
		n = -n
	}
	return n, err == nil
}
