package mcpadapter

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// A member is one key of a JSON object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of a JSON object in order, duplicates included. The
// values are parts of object. If object is not valid JSON, the result is an error
// or arbitrary members. It takes a tenth of the time of a [json.Decoder]; every
// tool call uses it several times.
func members(object []byte) ([]member, error) {
	at := skipSpace(object, 0)
	if at == len(object) || object[at] != '{' {
		return nil, badArgument("not an object")
	}
	list := make([]member, 0, 8)
	for {
		at = skipSpace(object, at+1)
		if len(list) == 0 && at < len(object) && object[at] == '}' {
			return list, nil
		}
		end := valueEnd(object, at)
		key, err := unquoted(object[at:end])
		if err != nil {
			return nil, err
		}
		at = skipSpace(object, end)
		at = skipSpace(object, at+1) // after the colon
		end = valueEnd(object, at)
		if at >= end {
			return nil, badArgument("not an object")
		}
		list = append(list, member{key, object[at:end:end]})
		if at = skipSpace(object, end); at == len(object) || object[at] != ',' {
			return list, nil
		}
	}
}

// skipSpace returns the first position from at on that is not space, or the end.
func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return min(at, len(text))
}

// valueEnd returns the end of the JSON value that begins at a position.
func valueEnd(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			if depth--; depth < 0 {
				return at // the end of the enclosing value
			}
			at++
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return at
			}
			at++
			continue
		default:
			at++
			continue
		}
		if depth == 0 {
			return at
		}
	}
	return at
}

// stringEnd returns the end of the JSON string that begins at a position.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// unquoted decodes a JSON string.
func unquoted(text []byte) (value string, err error) {
	if s, ok := plainString(text); ok {
		return s, nil
	}
	err = json.Unmarshal(text, &value)
	return value, err
}

// plainString returns the value of a JSON string without escapes, and whether
// text is one.
func plainString(text []byte) (value string, ok bool) {
	n := len(text)
	if n < 2 || text[0] != '"' || text[n-1] != '"' || bytes.IndexByte(text, '\\') >= 0 || !utf8.Valid(text) {
		return "", false
	}
	return string(text[1 : n-1]), true
}

// membersWithout encodes v, an object, and returns its members except those with
// the keys.
func membersWithout(v json.Marshaler, keys ...string) ([]member, error) {
	data, err := compact(v.MarshalJSON())
	if err != nil {
		return nil, err
	}
	all, err := members(data)
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, m := range all {
		if !slices.Contains(keys, m.key) {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// writeMember adds a member to the object at the end of b.
func writeMember(b *bytes.Buffer, key string, value []byte) {
	if last := b.Bytes()[b.Len()-1]; last != '{' {
		b.WriteByte(',')
	}
	name, _ := json.Marshal(key) // a string always encodes
	b.Write(name)
	b.WriteByte(':')
	b.Write(value)
}
