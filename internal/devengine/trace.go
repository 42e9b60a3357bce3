package devengine

import "strings"

// cleanTraceparent returns a traceparent as it reaches an executor: version 00
// with the caller's trace and parent id and the sampled flag; empty when the
// value is no traceparent.
func cleanTraceparent(v string) string {
	p := strings.Split(v, "-")
	if len(p) < 4 || !isHex(p[0], 2) || p[0] == "ff" || p[0] == "00" && len(p) != 4 ||
		!isHex(p[1], 32) || strings.Trim(p[1], "0") == "" ||
		!isHex(p[2], 16) || strings.Trim(p[2], "0") == "" || !isHex(p[3], 2) {
		return ""
	}
	flags := "00"
	if strings.IndexByte("13579bdf", p[3][1]) >= 0 {
		flags = "01"
	}
	return "00-" + p[1] + "-" + p[2] + "-" + flags
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

const functionBaggage = "iii.function.id"

// baggageWith is a baggage header with the called function added, or replaced.
// Entries that are no key=value are dropped.
func baggageWith(header, function string) string {
	var kept []string
	for entry := range strings.SplitSeq(header, ",") {
		entry = strings.TrimSpace(entry)
		name, _, ok := strings.Cut(entry, "=")
		if ok && strings.TrimSpace(name) != functionBaggage {
			kept = append(kept, entry)
		}
	}
	return strings.Join(append(kept, functionBaggage+"="+escapeBaggage(function)), ",")
}

// escapeBaggage percent-encodes what separates entries, white space, controls
// and everything beyond ASCII.
func escapeBaggage(v string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(v) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`",;=%`, c) >= 0 {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
