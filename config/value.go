package config

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what JSON and YAML have in common.
type kind int

const (
	null kind = iota
	boolean
	number
	text
	other // a list, an object, …
)

// scalar is one value of the JSON entry or of the YAML file.
type scalar struct {
	kind kind
	// text is the spelling of a null, boolean or number, the content of a text,
	// and what an other is, such as "a list".
	text string
}

// shown is the value in an error message.
func (v scalar) shown() string {
	const most = 64
	t := v.text
	if len(t) > most {
		for t = t[:most]; t != "" && !utf8.ValidString(t); {
			t = t[:len(t)-1]
		}
		t += "…"
	}
	if v.kind == text {
		return strconv.Quote(t)
	}
	return t
}

// plain reads an unquoted YAML scalar by the core schema of YAML 1.2. The YAML
// package's own reading would come before ${VAR} is expanded, and has 1_000 and
// 017 for numbers and 5e3 for a text.
func plain(s string) scalar {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return scalar{null, "null"}
	case "true", "True", "TRUE":
		return scalar{boolean, "true"}
	case "false", "False", "FALSE":
		return scalar{boolean, "false"}
	}
	if _, _, ok := digits(s); ok {
		return scalar{number, s}
	}
	for prefix, base := range map[string]int{"0x": 16, "0o": 8} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			// ParseUint takes no sign and, with a base given, no underscore.
			if n, err := strconv.ParseUint(rest, base, 64); err == nil {
				return scalar{number, strconv.FormatUint(n, 10)}
			}
		}
	}
	return scalar{text, s}
}

// The ways in which a number is no setting.
const (
	notInteger = "is not an integer"
	outOfRange = "is out of range"
)

// integer reads a number that is integral and not negative in whatever
// spelling: 5, 5.0, 5e3, 0.05e2. It computes with digits, since a float would
// round what must be refused and 1e999999999 would be a long number.
func integer(s string) (n uint64, problem string) {
	ds, point, ok := digits(s)
	if !ok {
		return 0, notInteger
	}
	significant := strings.TrimLeft(ds, "0")
	point -= len(ds) - len(significant)
	significant = strings.TrimRight(significant, "0")
	switch {
	case significant == "":
		return 0, ""
	case len(significant) > point:
		return 0, notInteger
	case s[0] == '-' || point > 19:
		return 0, outOfRange
	}
	n, err := strconv.ParseUint(significant+strings.Repeat("0", point-len(significant)), 10, 64)
	if err != nil {
		return 0, outOfRange
	}
	return n, ""
}

// digits splits a decimal number into its digits and the position of the
// decimal point among them, which may lie outside.
func digits(s string) (ds string, point int, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	ds, point = whole+fraction, len(whole)
	if ds == "" || strings.Trim(ds, "0123456789") != "" {
		return "", 0, false
	}
	if !hasExponent {
		return ds, point, true
	}
	// Out of range it is clamped, which decides as the true exponent would: no
	// spelling has as many digits.
	e, err := strconv.ParseInt(exponent, 10, 31)
	if errors.Is(err, strconv.ErrSyntax) {
		return "", 0, false
	}
	return ds, point + int(e), true
}
