// Package strictjson reads and writes JSON where encoding/json is too lenient
// or too slow.
//
// Package encoding/json ignores the case of keys, and of several equal keys the
// last one wins, so that a checker and a reader of a document could see
// different values. A [Scanner] compares keys exactly, shows every key, and
// returns values as raw text.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrDepth reports JSON that is nested too deeply for encoding/json.
var ErrDepth = errors.New("JSON nested too deeply")

// A Scanner reads valid JSON step by step.
type Scanner struct {
	text string
	pos  int // offset of the next byte to read
}

// NewScanner returns a scanner of data, which must be one JSON value in UTF-8.
// A byte order mark is skipped. The error gives the position where data is not
// JSON, or is [ErrDepth].
func NewScanner(data []byte) (*Scanner, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8")
	}
	if !json.Valid(data) {
		return nil, describeInvalid(data)
	}
	return &Scanner{text: string(data)}, nil
}

func describeInvalid(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("empty; a JSON object was expected")
	}
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return errors.New("not JSON")
	}
	if strings.Contains(syntax.Error(), "max depth") {
		return ErrDepth
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return fmt.Errorf("not JSON: line %d, column %d: %v", line, column, syntax)
}

// Offset returns how many bytes of the text, without a byte order mark, have been read.
func (s *Scanner) Offset() int { return s.pos }

func (s *Scanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// Kind returns the first character of the next value: one of {["tfn or that
// of a number.
func (s *Scanner) Kind() byte {
	s.space()
	return s.text[s.pos]
}

// Skip skips the next value and returns its text.
func (s *Scanner) Skip() string {
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

func (s *Scanner) skipString() {
	for s.pos++; s.text[s.pos] != '"'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
}

func (s *Scanner) skipLiteral() {
	n := strings.IndexAny(s.text[s.pos:], ",]} \t\r\n")
	if n < 0 {
		n = len(s.text) - s.pos
	}
	s.pos += n
}

// Quoted reads the next value, which must be a string.
func (s *Scanner) Quoted() string {
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

// each reads the next value, which must be an object. It calls member at each
// value, and member must read or skip that value.
func (s *Scanner) each(member func(key string) error) error {
	s.space()
	for s.pos++; s.Kind() != '}'; {
		if s.text[s.pos] == ',' {
			s.pos++
		}
		key := s.Quoted()
		s.space()
		s.pos++ // ':'
		if err := member(key); err != nil {
			return err
		}
	}
	s.pos++
	return nil
}

// every reads the next value, which must be an array. It calls element at each
// element, and element must read or skip it.
func (s *Scanner) every(element func(i int) error) error {
	s.space()
	i := 0
	for s.pos++; s.Kind() != ']'; i++ {
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

// KindName returns the name of a kind of JSON value, for a message.
func KindName(kind byte) string {
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

// Pos returns the position of the scanner, for [Scanner.Reset].
func (s *Scanner) Pos() int { return s.pos }

// Reset goes back to a position.
func (s *Scanner) Reset(pos int) { s.pos = pos }
