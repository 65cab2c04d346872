package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/citekit/citekit"
)

const (
	maxAnswer      = 8 << 20 // largest answer that is read, in bytes
	maxAnswerDepth = 256     // of objects and arrays
	maxValues      = 1 << 20 // of an answer, about: an empty object takes fifty times its bytes
	maxStarts      = 16      // possible beginnings of JSON that are tried
)

// Repair returns the JSON object or array in an answer of a model, and whether
// it had to be changed. It puts right the usual faults of models: fences and
// prose around it, comments, missing and extra commas, keys without quotes,
// single quotes, line breaks in strings, NaN and other words of programming
// languages. If the end is missing, it closes the JSON after the last whole
// object in an array.
//
// The error matches [citekit.ErrSyntax] if there is no JSON, or
// [citekit.ErrTooLarge] if it is too long or too deep. Time is linear in the
// length of the answer.
func Repair(answer []byte) (repaired []byte, changed bool, err error) {
	if len(answer) > maxAnswer {
		return nil, false, fmt.Errorf("an answer of %d bytes; at most %d: %w", len(answer), maxAnswer, citekit.ErrTooLarge)
	}
	answer = bytes.TrimSpace(bytes.TrimPrefix(answer, []byte("\ufeff")))
	if isObjectOrArray(answer) && json.Valid(answer) && deepest(answer) <= maxAnswerDepth {
		return answer, false, nil
	}
	text := strings.ToValidUTF8(string(answer), "\ufffd")
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	err = errNoJSON
	for start := range starts(text) {
		m := mender{text: text, pos: start}
		switch mendErr := m.root(); {
		case mendErr == nil:
			return m.out, true, nil
		case errors.Is(mendErr, citekit.ErrTooLarge):
			return nil, false, mendErr
		}
	}
	return nil, false, err
}

var errNoJSON = fmt.Errorf("the answer has no JSON: %w", citekit.ErrSyntax)

func isObjectOrArray(text []byte) bool {
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// deepest returns the depth to which the arrays and objects of valid JSON are
// nested.
func deepest(valid []byte) int {
	depth, deepest := 0, 0
	for c := range punctuation(valid) {
		switch c {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// valuesIn returns the approximate number of values in valid JSON.
func valuesIn(valid []byte) int {
	n := 1
	for c := range punctuation(valid) {
		if c == '{' || c == '[' || c == ',' {
			n++
		}
	}
	return n
}

// punctuation yields the characters outside the strings of valid JSON.
func punctuation(valid []byte) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		inString := false
		for i := 0; i < len(valid); i++ {
			switch c := valid[i]; {
			case inString && c == '\\':
				i++
			case c == '"':
				inString = !inString
			case !inString && !yield(c):
				return
			}
		}
	}
}

// starts yields the offsets in text where the JSON may begin, likeliest first:
// at once, after a fence, then at braces, then at brackets.
func starts(text string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		tried := 0
		try := func(i int) bool {
			tried++
			return tried <= maxStarts && yield(i)
		}
		trimmed := strings.TrimSpace(text)
		if isObjectOrArray([]byte(trimmed[:min(1, len(trimmed))])) && !try(strings.Index(text, trimmed)) {
			return
		}
		if fence := strings.Index(text, "```"); fence >= 0 {
			if i := strings.IndexAny(text[fence:], "{["); i >= 0 && !try(fence+i) {
				return
			}
		}
		for _, opener := range []byte("{[") {
			found := 0
			for i := 0; i < len(text) && found < maxStarts/2; i++ {
				if text[i] != opener {
					continue
				}
				found++
				if !try(i) {
					return
				}
			}
		}
	}
}
