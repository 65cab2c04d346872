package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/message"
)

// An Error reports a value that differs from what its reader expects.
type Error struct {
	Path   string // of the value, such as "nodes[3].id"; "" for the whole text
	Reason string // such as "is null, not a string"
}

func (e *Error) Error() string {
	if e.Path == "" {
		return "it " + e.Reason
	}
	return e.Path + " " + e.Reason
}

// within puts a step before the path of an error, if it has one.
func within(step string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	path := e.Path
	if path != "" && path[0] != '[' {
		path = "." + path
	}
	return &Error{Path: step + path, Reason: e.Reason}
}

// want returns an [*Error] unless the next value is of a kind, given by its
// name from [KindName].
func (s *Scanner) want(kind string) error {
	if is := KindName(s.Kind()); is != kind {
		return &Error{Reason: "is " + is + ", not " + kind}
	}
	return nil
}

// Null skips the next value if it is null, and reports whether it was.
func (s *Scanner) Null() bool {
	if s.Kind() != 'n' {
		return false
	}
	s.Skip()
	return true
}

// Members reads the next value, which must be an object. It calls read at the
// value of each member, and read must read or skip that value. Any other value,
// or a repeated key, is an [*Error]. If read returns an [*Error], the key is
// put before its path.
func (s *Scanner) Members(read func(key string) error) error {
	if err := s.want("an object"); err != nil {
		return err
	}
	var seen keys
	return s.each(func(key string) error {
		if !seen.add(key) {
			return &Error{Path: key, Reason: "is given twice"}
		}
		if err := read(key); err != nil {
			return within(key, err)
		}
		return nil
	})
}

// Elements reads the next value, which must be an array. It calls read at each
// element, and read must read or skip that element. Any other value is an
// [*Error]. If read returns an [*Error], the index is put before its path.
func (s *Scanner) Elements(read func() error) error {
	if err := s.want("an array"); err != nil {
		return err
	}
	return s.every(func(i int) error {
		if err := read(); err != nil {
			return within("["+strconv.Itoa(i)+"]", err)
		}
		return nil
	})
}

// Text reads a string into field. Null leaves field unchanged; any other value
// is an [*Error].
func (s *Scanner) Text(field *string) error {
	if s.Null() {
		return nil
	}
	if err := s.want("a string"); err != nil {
		return err
	}
	*field = s.Quoted()
	return nil
}

// Name is [Scanner.Text] for a string that names something: one that could not be
// written back unchanged is an [*Error], as another could be read alike.
func (s *Scanner) Name(field *string) error {
	start := s.Pos()
	if !IsWholeText(s.Skip()) {
		return &Error{Reason: "has half a surrogate pair, which is no character"}
	}
	s.Reset(start)
	return s.Text(field)
}

// IsWholeText reports whether a valid JSON string consists of whole characters. Package
// json reads a lone surrogate, and bytes that are not UTF-8, as U+FFFD.
func IsWholeText(literal string) bool {
	if !utf8.ValidString(literal) {
		return false
	}
	high := rune(0) // the first half of a pair whose second half must follow
	for i := 0; i < len(literal); i++ {
		unit := rune(0)
		if literal[i] == '\\' {
			if i++; literal[i] == 'u' {
				n, _ := strconv.ParseUint(literal[i+1:i+5], 16, 16) // valid JSON
				unit, i = rune(n), i+4
			}
		}
		switch {
		case high != 0 && utf16.DecodeRune(high, unit) == utf8.RuneError:
			return false
		case high != 0:
			high = 0
		case utf16.IsSurrogate(unit): // nothing follows a second half as its other half
			high = unit
		}
	}
	return true
}

// Float reads a number. Any other value, or a number outside the range of
// float64, is an [*Error].
func (s *Scanner) Float() (float64, error) {
	literal, err := s.Number()
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return 0, &Error{Reason: "is too large a number"}
	}
	return v, nil
}

// Whole returns the value of a whole JSON number, even if it is written as 12.0
// or 1e3. A number with a point or an exponent must lie within ±2⁵³.
func Whole(literal string) (int, bool) {
	if n, err := strconv.Atoi(literal); err == nil {
		return n, n != math.MaxInt // so that a caller may count further
	}
	v, err := strconv.ParseFloat(literal, 64)
	if err != nil || !strings.ContainsAny(literal, ".eE") || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return 0, false
	}
	return int(v), float64(int(v)) == v
}

// Count reads the number of a unit, such as "page": a whole number from 1, which may be
// written as 12.0.
func (s *Scanner) Count(unit string) (int, error) {
	literal, err := s.Number()
	if err != nil {
		return 0, err
	}
	n, ok := Whole(literal)
	if !ok || n < 1 {
		return 0, fmt.Errorf("%s %s; %[1]ss are whole numbers from 1", unit, message.Clip(literal))
	}
	return n, nil
}

// EachCount calls yield with each number of an array of them, which [Scanner.Count]
// reads.
func (s *Scanner) EachCount(unit string, yield func(n int)) error {
	return s.Elements(func() error {
		n, err := s.Count(unit)
		if err == nil {
			yield(n)
		}
		return err
	})
}

// Counts returns the numbers of an array, which [Scanner.Count] reads.
func (s *Scanner) Counts(unit string) (counts []int, err error) {
	err = s.EachCount(unit, func(n int) { counts = append(counts, n) })
	return counts, err
}

// Floats returns the numbers of an array, which [Scanner.Float] reads.
func (s *Scanner) Floats() (floats []float64, err error) {
	err = s.Elements(func() error {
		v, err := s.Float()
		floats = append(floats, v)
		return err
	})
	return floats, err
}

// Number reads a number and returns it as written. Any other value is an
// [*Error].
func (s *Scanner) Number() (literal string, err error) {
	if err := s.want("a number"); err != nil {
		return "", err
	}
	return s.Skip(), nil
}

// Value reads any value as encoding/json does into an any with UseNumber,
// except that a repeated key in an object is an [*Error].
func (s *Scanner) Value() (value any, err error) {
	switch s.Kind() {
	case '{':
		object := make(map[string]any)
		return object, s.Members(func(key string) (err error) {
			object[key], err = s.Value()
			return err
		})
	case '[':
		array := []any{}
		return array, s.Elements(func() error {
			element, err := s.Value()
			array = append(array, element)
			return err
		})
	case '"':
		return s.Quoted(), nil
	case 'n':
		s.Skip()
		return nil, nil
	case 't', 'f':
		return s.Skip() == "true", nil
	}
	return json.Number(s.Skip()), nil
}

// Object reads an object into field as [Scanner.Value] does. Null leaves field
// unchanged; any other value is an [*Error].
func (s *Scanner) Object(field *map[string]any) error {
	if s.Null() {
		return nil
	}
	if err := s.want("an object"); err != nil {
		return err
	}
	value, err := s.Value()
	*field, _ = value.(map[string]any)
	return err
}

// Keep stores the next value as raw JSON in members under a key.
func (s *Scanner) Keep(members *map[string]json.RawMessage, key string) error {
	if *members == nil {
		*members = make(map[string]json.RawMessage)
	}
	(*members)[key] = json.RawMessage(s.Skip())
	return nil
}

// keys is a set of keys. Most objects have only a few keys, which need no map.
type keys struct {
	few  [8]string
	n    int // of few
	many map[string]bool
}

// add adds a key, and reports whether it is new.
func (k *keys) add(key string) bool {
	switch {
	case slices.Contains(k.few[:k.n], key) || k.many[key]:
		return false
	case k.n < len(k.few):
		k.few[k.n] = key
		k.n++
		return true
	case k.many == nil:
		k.many = make(map[string]bool)
	}
	k.many[key] = true
	return true
}
