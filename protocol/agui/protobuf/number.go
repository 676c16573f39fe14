package protobuf

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// maxSafe is the largest whole number that the reference reads back as it was.
const maxSafe = 1<<53 - 1

// sameNumber reports whether f, which raw was parsed to, stands for what raw says: the
// shortest text that means f and raw itself have the same digits in the same places.
func sameNumber(raw []byte, f float64) bool {
	if len(raw) <= 15 && !bytes.ContainsAny(raw, "eE") {
		return true // a float holds any number of so few digits
	}
	var short [32]byte
	digits, point := decimal(strconv.AppendFloat(short[:0], math.Abs(f), 'e', -1, 64))
	gotDigits, gotPoint := decimal(bytes.TrimPrefix(raw, []byte("-")))
	return bytes.Equal(digits, gotDigits) && point == gotPoint
}

// decimal returns the digits of a number without the zeros around them, and where the
// point stands: 0.d1d2d3… × 10^point. Zero has no digits.
func decimal(text []byte) (digits []byte, point int) {
	mantissa, exponent := text, 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent, _ = strconv.Atoi(string(bytes.TrimPrefix(text[i+1:], []byte("+")))) // saturates
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits = append(append(digits, whole...), fraction...)
	point = len(whole) + exponent
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	digits = bytes.TrimRight(digits, "0")
	if len(digits) == 0 {
		return nil, 0
	}
	return digits, point
}

// clip shortens what an error or a warning quotes.
func clip(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}
