package agent

// BlocksRead returns how often a block was taken into the index while a list of
// messages was read. It is the number of blocks when none is read twice.
func BlocksRead(data []byte) (int, error) {
	d := decoder{scanner: scanner{data: data}}
	_, err := d.messages()
	read := d.outer.read
	for _, f := range d.frames {
		read += f.read
	}
	return read, err
}

// KeysToCompare returns how many keys a further key of an object is compared
// with, one by one, once the object has n unknown ones.
func KeysToCompare(n int) int {
	var k keyset
	for i := range n {
		name := []byte{byte(i), byte(i >> 8), byte(i >> 16)}
		k.add(-1, str{raw: name})
	}
	if k.many != nil {
		return 0
	}
	return len(k.unknown)
}
