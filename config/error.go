package config

import "fmt"

// FieldError says what is wrong with one setting.
type FieldError struct {
	// Key is the setting, or empty when the settings as a whole are no object.
	Key string
	// Value is the value as it was spelled, cut to 64 bytes. Empty when it is
	// the key that is wrong.
	Value string
	// Problem completes the sentence "reserved_pct: 101 …".
	Problem string
	// Want says what would be right.
	Want string
}

func (e *FieldError) Error() string {
	key, value := e.Key, e.Value
	if key == "" {
		key = "settings"
	}
	if value != "" {
		value += " "
	}
	return fmt.Sprintf("%s: %s%s, want %s", key, value, e.Problem, e.Want)
}

// FileError places an error in the settings file.
type FileError struct {
	// File is the path as it was given.
	File string
	// Line counts from 1; 0 means that the error has no line.
	Line int
	// Err is a *FieldError, or says why the file is no YAML.
	Err error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }
