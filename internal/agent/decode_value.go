package agent

import (
	"reflect"
	"slices"
	"strings"
)

func readRaw(s *scanner, v reflect.Value) error {
	start := s.pos
	if _, err := s.value(); err != nil {
		return err
	}
	v.SetBytes(s.data[start:s.pos])
	return nil
}

func readSelf(s *scanner, v reflect.Value) error {
	return v.Addr().Interface().(jsonDecoder).decodeJSON(s)
}

func (s *scanner) wantKind(k kind, want string) error {
	switch got := s.kind(); got {
	case k:
		return nil
	case 0:
		return s.unexpected(want)
	default:
		return fieldErr("want %s, got %v", want, got)
	}
}

func readString(s *scanner, v reflect.Value) error {
	if err := s.wantKind(kindString, "a string"); err != nil {
		return err
	}
	t, err := s.str()
	if err != nil {
		return err
	}
	v.SetString(string(t.bytes()))
	return nil
}

func readEnum(values []string) func(*scanner, reflect.Value) error {
	return func(s *scanner, v reflect.Value) error {
		if err := readString(s, v); err != nil {
			return err
		}
		return oneOf(v.String(), values)
	}
}

// oneOf refuses a string outside a closed set.
func oneOf(got string, values []string) error {
	if slices.Contains(values, got) {
		return nil
	}
	return fieldErr("unknown value %q, want one of %s", short([]byte(got)), strings.Join(values, ", "))
}

func readBool(s *scanner, v reflect.Value) error {
	if err := s.wantKind(kindBool, "true or false"); err != nil {
		return err
	}
	v.SetBool(s.data[s.pos] == 't')
	_, err := s.value()
	return err
}

func (s *scanner) numberBytes(want string) ([]byte, error) {
	if err := s.wantKind(kindNumber, want); err != nil {
		return nil, err
	}
	start := s.pos
	if err := s.number(); err != nil {
		return nil, err
	}
	return s.data[start:s.pos], nil
}

func readUint(s *scanner, v reflect.Value) error {
	num, err := s.numberBytes("an integer")
	if err != nil {
		return err
	}
	n, err := uint64Of(num)
	if err != nil {
		return err
	}
	v.SetUint(n)
	return nil
}

func readInt(s *scanner, v reflect.Value) error {
	num, err := s.numberBytes("an integer")
	if err != nil {
		return err
	}
	n, err := int64Of(num)
	if err != nil {
		return err
	}
	v.SetInt(n)
	return nil
}

func readSlice(t reflect.Type) func(*scanner, reflect.Value) error {
	read, _ := readerOf(t.Elem())
	return func(s *scanner, v reflect.Value) error {
		if err := s.wantKind(kindArray, "an array"); err != nil {
			return err
		}
		if err := s.enter(); err != nil {
			return err
		}
		out := reflect.MakeSlice(t, 0, 0)
		if !s.leave(']') {
			for i := 0; ; i++ {
				out = reflect.Append(out, reflect.Zero(t.Elem()))
				if err := read(s, out.Index(i)); err != nil {
					return atIndex(err, i)
				}
				done, err := s.next(']', "a comma or ]")
				if err != nil {
					return err
				}
				if done {
					break
				}
			}
		}
		v.Set(out)
		return nil
	}
}
