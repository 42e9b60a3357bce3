package agent

// Function is a tool offered to the model, as it stands in the request.
type Function struct {
	raw           []byte
	name          []byte
	description   str
	parameters    []byte
	label         []byte
	executionMode []byte
	size          int
}

// Raw returns the tool's bytes. They must not be changed.
func (f *Function) Raw() []byte { return f.raw }

// Name returns the name the model calls the tool by.
func (f *Function) Name() string { return string(f.name) }

// Description returns the text that tells the model what the tool does.
func (f *Function) Description() string { return string(f.description.bytes()) }

// Parameters returns the raw JSON Schema of the arguments; nil when absent.
func (f *Function) Parameters() []byte { return f.parameters }

// Size returns the bytes of the tool's canonical form.
func (f *Function) Size() int { return f.size }

// MarshalJSON returns the tool's own bytes.
func (f Function) MarshalJSON() ([]byte, error) { return f.raw, nil }

// decodeJSON reads a tool.
func (f *Function) decodeJSON(s *scanner) error {
	if k := s.kind(); k != kindObject {
		if k == 0 {
			return s.unexpected("a tool")
		}
		return fieldErr("want a tool (an object), got %v", k)
	}
	start := s.pos
	d := decoder{scanner: *s}
	*f = Function{}
	if err := d.enter(); err != nil {
		return err
	}
	var mem [len(functionKeys)]member
	var keys keyset
	for first := true; ; first = false {
		key, more, err := d.nextKey(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		id := functionKey(key)
		if !keys.add(id, key) {
			return duplicate(key)
		}
		v := &d.other
		if id >= 0 {
			v = &mem[id]
		}
		if err := d.memberValue(v); err != nil {
			return atKey(err, key)
		}
	}
	*s = d.scanner
	f.raw = s.data[start:s.pos]
	for id, w := range functionShapes {
		if !keys.has(id) {
			if id == fkName || id == fkDescription {
				return at(fieldErr("missing, want %s", w.want), functionKeys[id])
			}
			continue
		}
		if err := w.check(&mem[id]); err != nil {
			return at(err, functionKeys[id])
		}
	}
	if keys.has(fkExecutionMode) && mem[fkExecutionMode].kind == kindString {
		f.executionMode = mem[fkExecutionMode].str.bytes()
		if err := oneOf(string(f.executionMode), ExecutionMode("").SchemaEnum()); err != nil {
			return at(err, "execution_mode")
		}
	}
	f.name = mem[fkName].str.bytes()
	f.description = mem[fkDescription].str
	parameters := len("null")
	if keys.has(fkParameters) {
		f.parameters = s.data[mem[fkParameters].start:mem[fkParameters].end]
		parameters = mem[fkParameters].canon
	}
	f.size = len(`{"name":,"description":,"parameters":}`) + mem[fkName].canon + mem[fkDescription].canon + parameters
	if keys.has(fkLabel) && mem[fkLabel].kind == kindString {
		f.label = mem[fkLabel].str.bytes()
		f.size += len(`,"label":`) + mem[fkLabel].canon
	}
	if f.executionMode != nil {
		f.size += len(`,"execution_mode":`) + mem[fkExecutionMode].canon
	}
	return nil
}

const (
	fkName = iota
	fkDescription
	fkParameters
	fkLabel
	fkExecutionMode
)

var functionKeys = [...]string{"name", "description", "parameters", "label", "execution_mode"}

var functionShapes = [...]shape{wantString, wantString, wantAny, wantStringNull, wantStringNull}

func functionKey(key str) int {
	name := key.bytes()
	for i, k := range functionKeys {
		if string(name) == k {
			return i
		}
	}
	return -1
}
