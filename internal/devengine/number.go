package devengine

import (
	"math"
	"strconv"
)

// number scans the number at hand. Integers from -2^63 to 2^64-1 keep their
// digits; everything else becomes the nearest 64-bit float in the spelling of
// appendFloat. A number beyond the range of a float is an error.
func (s *scanner) number() error {
	in, start := s.in, s.pos
	i := start
	if in[i] == '-' {
		i++
	}
	digits := i
	switch {
	case i < len(in) && in[i] == '0':
		i++
	default:
		i = skipDigits(in, i)
		if i == digits {
			return errSyntax
		}
	}
	whole := i
	if i < len(in) && in[i] == '.' {
		i = skipDigits(in, whole+1)
		if i == whole+1 {
			return errSyntax
		}
	}
	if i < len(in) && (in[i] == 'e' || in[i] == 'E') {
		i++
		if i < len(in) && (in[i] == '+' || in[i] == '-') {
			i++
		}
		exponent := i
		if i = skipDigits(in, i); i == exponent {
			return errSyntax
		}
	}
	s.pos = i
	text := in[start:i]
	if i == whole && fits(in[digits:whole], digits > start) {
		s.out = append(s.out, text...)
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(f, 0) {
		return errNumber
	}
	s.out = appendFloat(s.out, f)
	return nil
}

func skipDigits(in []byte, i int) int {
	for i < len(in) && '0' <= in[i] && in[i] <= '9' {
		i++
	}
	return i
}

// fits says whether an integer keeps its digits. Minus zero does not: it only
// exists as a float.
func fits(digits []byte, negative bool) bool {
	limit := "18446744073709551615"
	if negative {
		if digits[0] == '0' {
			return false
		}
		limit = "9223372036854775808"
	}
	if len(digits) != len(limit) {
		return len(digits) < len(limit)
	}
	return string(digits) <= limit
}

// appendFloat spells f as serde_json does: the shortest digits that read back
// as f, always with a point or an exponent, plain between 1e-5 and 1e16.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		if math.Signbit(f) {
			dst = append(dst, '-')
		}
		return append(dst, "0.0"...)
	}
	if a := math.Abs(f); a >= 1e16 || a < 1e-5 {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		return trimExponent(dst)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// trimExponent turns Go's 1e+07 and 1e-07 at the end of dst into 1e7 and 1e-7.
func trimExponent(dst []byte) []byte {
	e := len(dst) - 1
	for dst[e] != 'e' {
		e--
	}
	tail := dst[e+1:]
	out := dst[:e+1]
	if tail[0] == '-' {
		out = append(out, '-')
	}
	tail = tail[1:]
	if len(tail) == 2 && tail[0] == '0' {
		tail = tail[1:]
	}
	return append(out, tail...)
}
