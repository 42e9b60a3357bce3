package devengine

// fault is an error as it travels: what a caller sees of it.
type fault struct {
	code, message, stacktrace string
	traced                    bool // a stacktrace came with it
}

// Error makes a fault usable where Go wants an error.
func (f *fault) Error() string { return f.code + ": " + f.message }

// append writes the three members an error keeps.
func (f *fault) append(dst []byte) []byte {
	dst = appendString(append(dst, `{"code":`...), f.code)
	dst = appendString(append(dst, `,"message":`...), f.message)
	if f.traced {
		dst = appendString(append(dst, `,"stacktrace":`...), f.stacktrace)
	}
	return append(dst, '}')
}
