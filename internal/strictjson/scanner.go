package citekit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// encoding/json matches object keys without regard to case and lets the last
// of several equal keys win, so that a map could show one source_path to a
// checker and another to us. This scanner takes keys as they are, refuses
// duplicates of the ones we read, and keeps the rest as raw text.

// A jsonScanner steps through JSON that has been found valid.
type jsonScanner struct {
	text string
	pos  int
}

// newJSONScanner checks that data is one JSON value in UTF-8. A byte order
// mark is skipped.
func newJSONScanner(data []byte) (*jsonScanner, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, syntaxError("not UTF-8")
	}
	if !json.Valid(data) {
		return nil, describeInvalid(data)
	}
	return &jsonScanner{text: string(data)}, nil
}

func describeInvalid(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return syntaxError("empty; a JSON object was expected")
	}
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return syntaxError("not JSON")
	}
	if strings.Contains(syntax.Error(), "max depth") {
		return fmt.Errorf("JSON nested too deeply: %w", ErrTooLarge)
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return syntaxError("not JSON: line %d, column %d: %v", line, column, syntax)
}

func (s *jsonScanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// kind returns the first character of the next value: one of {["tfn or that
// of a number.
func (s *jsonScanner) kind() byte {
	s.space()
	return s.text[s.pos]
}

// skip passes the next value and returns its text.
func (s *jsonScanner) skip() string {
	s.space()
	start := s.pos
	for depth := 0; ; {
		switch s.text[s.pos] {
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case '"':
			s.skipString()
		case ',', ':', ' ', '\t', '\r', '\n':
			s.pos++
		default:
			s.skipLiteral()
		}
		if depth == 0 {
			return s.text[start:s.pos]
		}
	}
}

func (s *jsonScanner) skipString() {
	for s.pos++; s.text[s.pos] != '"'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
}

func (s *jsonScanner) skipLiteral() {
	n := strings.IndexAny(s.text[s.pos:], ",]} \t\r\n")
	if n < 0 {
		n = len(s.text) - s.pos
	}
	s.pos += n
}

// quoted reads the next value, which must be a string.
func (s *jsonScanner) quoted() string {
	s.space()
	start := s.pos
	s.skipString()
	literal := s.text[start:s.pos]
	if strings.IndexByte(literal, '\\') < 0 {
		return literal[1 : len(literal)-1]
	}
	var unquoted string
	_ = json.Unmarshal([]byte(literal), &unquoted) // valid: it was checked
	return unquoted
}

// object steps through the next value, which must be an object, calling
// member at each value, which it must pass.
func (s *jsonScanner) object(member func(key string) error) error {
	s.space()
	for s.pos++; s.kind() != '}'; {
		if s.text[s.pos] == ',' {
			s.pos++
		}
		key := s.quoted()
		s.space()
		s.pos++ // ':'
		if err := member(key); err != nil {
			return err
		}
	}
	s.pos++
	return nil
}

// array steps through the next value, which must be an array, calling element
// at each value, which it must pass.
func (s *jsonScanner) array(element func(i int) error) error {
	s.space()
	i := 0
	for s.pos++; s.kind() != ']'; i++ {
		if s.text[s.pos] == ',' {
			s.pos++
		}
		if err := element(i); err != nil {
			return err
		}
	}
	s.pos++
	return nil
}

// kindName names the kind of a JSON value for a message.
func kindName(kind byte) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
