package agent

import (
	"bytes"
	"math/big"
	"strconv"
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

// integer reads a number that stands for a whole number in any spelling (5,
// 5.0, 5e3). ok is false for a fraction; huge exponents are refused before
// anything of their size is built.
func integer(num []byte) (v *big.Int, ok bool) {
	if bytes.IndexAny(num, ".eE") < 0 {
		v, ok := new(big.Int).SetString(string(num), 10)
		return v, ok
	}
	mantissa, exp := num, 0
	if i := bytes.IndexAny(num, "eE"); i >= 0 {
		mantissa = num[:i]
		e, err := strconv.Atoi(string(bytes.TrimPrefix(num[i+1:], []byte("+"))))
		if err != nil {
			e = 1 << 20
			if num[i+1] == '-' {
				e = -e
			}
		}
		exp = e
	}
	whole, frac, _ := bytes.Cut(mantissa, []byte("."))
	frac = bytes.TrimRight(frac, "0")
	all := string(whole) + string(frac)
	exp -= len(frac)
	trimmed := bytes.TrimLeft([]byte(all), "-0")
	if len(trimmed) == 0 {
		return new(big.Int), true
	}
	for exp < 0 && len(trimmed) > 0 && trimmed[len(trimmed)-1] == '0' {
		trimmed, exp = trimmed[:len(trimmed)-1], exp+1
	}
	if exp < 0 {
		return nil, false
	}
	if len(trimmed)+exp > 40 { // beyond any 64-bit range: the caller reports it as too large
		exp, trimmed = 40, []byte("1")
	}
	v, ok = new(big.Int).SetString(string(trimmed), 10)
	if !ok {
		return nil, false
	}
	v.Mul(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exp)), nil))
	if num[0] == '-' {
		v.Neg(v)
	}
	return v, true
}

// int64Of reads a validated number as an int64. The quick path serves plain
// digits, which is how every timestamp seen so far is spelled.
func int64Of(num []byte) (int64, error) {
	if v, ok := plainDigits(num); ok {
		return int64(v), nil
	}
	v, ok := integer(num)
	switch {
	case !ok:
		return 0, fieldErr("want an integer, got %s", short(num))
	case !v.IsInt64():
		return 0, fieldErr("%s is out of range, want an integer of 64 bits", short(num))
	}
	return v.Int64(), nil
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
	case v.Sign() < 0 || !v.IsUint64():
		return 0, fieldErr("%s is out of range, want an integer from 0 to 18446744073709551615", short(num))
	}
	return v.Uint64(), nil
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
