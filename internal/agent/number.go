package agent

import (
	"bytes"
	"math"
	"math/bits"
)

// number passes a number in JSON's grammar.
func (s *scanner) number() error {
	d, i := s.data, s.pos
	if i < len(d) && d[i] == '-' {
		i++
	}
	switch {
	case i < len(d) && d[i] == '0':
		i++
	case i < len(d) && d[i] >= '1' && d[i] <= '9':
		i = digits(d, i)
	default:
		s.pos = i
		return s.unexpected("a digit")
	}
	if i < len(d) && d[i] == '.' {
		j := digits(d, i+1)
		if j == i+1 {
			s.pos = j
			return s.unexpected("a digit")
		}
		i = j
	}
	if i < len(d) && (d[i] == 'e' || d[i] == 'E') {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		j := digits(d, i)
		if j == i {
			s.pos = j
			return s.unexpected("a digit")
		}
		i = j
	}
	s.pos = i
	return nil
}

func digits(d []byte, i int) int {
	for i < len(d) && d[i] >= '0' && d[i] <= '9' {
		i++
	}
	return i
}

// integral is the value of a number that stands for a whole number.
type integral struct {
	negative  bool
	magnitude uint64
	huge      bool // the magnitude does not fit 64 bits
}

// integer reads a validated number that stands for a whole number in any
// spelling (5, 5.0, 5e3). ok is false for a fraction. Nothing is built that
// grows with the number, however many digits or whatever exponent it has.
func integer(num []byte) (v integral, ok bool) {
	if num[0] == '-' {
		v.negative, num = true, num[1:]
	}
	mantissa, exp := num, int64(0)
	if i := bytes.IndexAny(num, "eE"); i >= 0 {
		mantissa, exp = num[:i], exponent(num[i+1:])
	}
	point := bytes.IndexByte(mantissa, '.')
	if point < 0 {
		point = len(mantissa)
	}
	const zeros = "0."
	significant := bytes.Trim(mantissa, zeros)
	if len(significant) == 0 {
		return integral{}, true
	}
	last := len(bytes.TrimRight(mantissa, zeros)) - 1
	if last < point {
		exp += int64(point - 1 - last)
	} else {
		exp -= int64(last - point)
	}
	if exp < 0 {
		return v, false
	}
	if int64(len(significant))+exp > 21 { // a uint64 has 20 digits, and there may be a point
		v.huge = true
		return v, true
	}
	for _, c := range significant {
		if c != '.' {
			v.shift(uint64(c - '0'))
		}
	}
	for range exp {
		v.shift(0)
	}
	return v, true
}

// shift appends a digit.
func (v *integral) shift(digit uint64) {
	hi, lo := bits.Mul64(v.magnitude, 10)
	sum, carry := bits.Add64(lo, digit, 0)
	v.magnitude = sum
	v.huge = v.huge || hi != 0 || carry != 0
}

// exponent reads the digits after an e, up to a size that no text can make up
// for with zeros.
func exponent(digits []byte) int64 {
	const most = 1 << 40
	e, negative := int64(0), digits[0] == '-'
	for _, c := range digits {
		if c >= '0' && e < most {
			e = e*10 + int64(c-'0')
		}
	}
	if negative {
		return -e
	}
	return e
}

// int64Of reads a validated number as an int64. The quick path serves plain
// digits, which is how every timestamp seen so far is spelled.
func int64Of(num []byte) (int64, error) {
	if v, ok := plainDigits(num); ok {
		return int64(v), nil
	}
	v, ok := integer(num)
	if !ok {
		return 0, fieldErr("want an integer, got %s", short(num))
	}
	if !v.huge && !v.negative && v.magnitude <= math.MaxInt64 {
		return int64(v.magnitude), nil
	}
	if !v.huge && v.negative && v.magnitude <= 1<<63 {
		return -int64(v.magnitude), nil // -1<<63 is its own negative
	}
	return 0, fieldErr("%s is out of range, want an integer of 64 bits", short(num))
}

// uint64Of reads a validated number as a uint64.
func uint64Of(num []byte) (uint64, error) {
	if v, ok := plainDigits(num); ok {
		return v, nil
	}
	v, ok := integer(num)
	switch {
	case !ok:
		return 0, fieldErr("want an integer, got %s", short(num))
	case v.huge || v.negative: // zero has no sign
		return 0, fieldErr("%s is out of range, want an integer from 0 to 18446744073709551615", short(num))
	}
	return v.magnitude, nil
}

// plainDigits reads up to 18 digits, which fit int64 and uint64 alike.
func plainDigits(num []byte) (v uint64, ok bool) {
	if len(num) > 18 {
		return 0, false
	}
	for _, c := range num {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, true
}

// short quotes a value for an error message.
func short(b []byte) string {
	if len(b) > 40 {
		return string(bytes.ToValidUTF8(b[:40], nil)) + "…"
	}
	return string(b)
}
