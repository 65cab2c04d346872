package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonFile is JSON, with or without comments and trailing commas; its value is the key
// of the object with the servers.
type jsonFile string

var byteOrderMark = []byte("\ufeff")

func (j jsonFile) servers() string { return string(j) }
func (j jsonFile) empty() []byte   { return []byte("{}\n") }

func (j jsonFile) decode(data []byte) (map[string]any, error) {
	if deep(data) {
		return nil, errors.New("it is nested too deeply")
	}
	plain, err := hujson.Standardize(bytes.Clone(bytes.TrimPrefix(data, byteOrderMark)))
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err := d.Decode(&all); err != nil || all == nil {
		return nil, errors.New("it is JSON, but not an object")
	}
	return all, nil
}

// maxDepth is how deep arrays and objects may be nested: the parsers have no bound.
const maxDepth = 1000

// deep reports whether more than maxDepth brackets are open somewhere, outside strings
// and comments of JSON.
func deep(data []byte) bool {
	for depth, i := 0, 0; i < len(data); i++ {
		switch rest := data[i:]; {
		case rest[0] == '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			i += len(rest) - 1
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				i += end - (len(rest) - 1)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			i += max(2, bytes.Index(rest[2:], []byte("*/"))+3)
		case rest[0] == '[' || rest[0] == '{':
			depth++
		case rest[0] == ']' || rest[0] == '}':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

func (j jsonFile) set(data []byte, name string, entry any) ([]byte, error) {
	root, l, err := j.parse(data)
	if err != nil {
		return nil, err
	}
	servers := member(root, string(j))
	if servers == nil { // no servers at all
		at, inner := l.indentOf(root), l.unit
		text := "{" + l.newline + at + inner + inner + quote(name) + ": " + l.write(entry, at+inner+inner) + l.newline + at + inner + "}"
		return l.insert(root, string(j), text), nil
	}
	if _, ok := servers.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("its %q is not an object", string(j))
	}
	text := l.write(entry, l.indentOf(servers)+l.unit)
	if old := member(servers, name); old != nil {
		return splice(data, old.StartOffset, old.EndOffset, text), nil
	}
	return l.insert(servers, name, text), nil
}

// remove takes out the member with a comma and the white space before it. Comments stay.
func (j jsonFile) remove(data []byte, name string) ([]byte, error) {
	root, _, err := j.parse(data)
	if err != nil {
		return nil, err
	}
	servers := member(root, string(j))
	if servers == nil {
		return data, nil
	}
	object, _ := servers.Value.(*hujson.Object)
	if object != nil {
		i := slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
		if i < 0 {
			return data, nil
		}
		start, end := object.Members[i].Name.StartOffset, object.Members[i].Value.EndOffset
		start = len(bytes.TrimRight(data[:start], " \t\r\n"))
		switch {
		case i < len(object.Members)-1 || object.Members[i].Value.AfterExtra != nil:
			end = comma(object.Members[i]) + 1
		case i > 0: // the comma is that of the one before
			if before := comma(object.Members[i-1]); before+1 == start {
				start = before
			} else {
				data = splice(data, before, before+1, " ")
			}
		default:
			if rest := data[end : servers.EndOffset-1]; start == servers.StartOffset+1 && len(bytes.TrimSpace(rest)) == 0 {
				end += len(rest)
			}
		}
		return splice(data, start, end, ""), nil
	}
	return data, nil
}

// comma returns where the comma after a member is, if there is one.
func comma(m hujson.ObjectMember) int { return m.Value.EndOffset + len(m.Value.AfterExtra) }

// A layout is how a file is written.
type layout struct {
	data          []byte
	unit, newline string
}

func (j jsonFile) parse(data []byte) (*hujson.Value, layout, error) {
	l := layout{data: data, unit: "  ", newline: "\n"}
	if bytes.Contains(data, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	for line := range bytes.Lines(data) {
		if indent := len(line) - len(bytes.TrimLeft(line, " \t")); indent > 0 && len(bytes.TrimSpace(line)) > 0 {
			l.unit = string(line[:indent])
			break
		}
	}
	// The parser wants no mark, and offsets are to be those of data.
	text := data
	if bytes.HasPrefix(data, byteOrderMark) {
		text = append([]byte("   "), data[len(byteOrderMark):]...)
	}
	root, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return nil, l, err
	}
	return &root, l, nil
}

func nameOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// member returns the value of a name in an object; of several the last one, which is the
// one that readers of JSON take.
func member(v *hujson.Value, name string) (found *hujson.Value) {
	if object, ok := v.Value.(*hujson.Object); ok {
		for i := range object.Members {
			if nameOf(object.Members[i]) == name {
				found = &object.Members[i].Value
			}
		}
	}
	return found
}

// indentOf returns the white space before the line in which a value begins.
func (l layout) indentOf(v *hujson.Value) string {
	line := l.data[bytes.LastIndexByte(l.data[:v.StartOffset], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// insert returns the data with a member added at the end of an object.
func (l layout) insert(v *hujson.Value, name, value string) []byte {
	object := v.Value.(*hujson.Object)
	outer := l.indentOf(v)
	text := l.newline + outer + l.unit + quote(name) + ": " + value
	if len(object.Members) == 0 {
		start, end := v.StartOffset+1, v.EndOffset-1
		if len(bytes.TrimSpace(l.data[start:end])) > 0 { // comments
			return splice(l.data, start, start, text+l.newline+outer)
		}
		return splice(l.data, start, end, text+l.newline+outer)
	}
	before := object.Members[len(object.Members)-1].Value
	last := before.EndOffset
	if bytes.IndexByte(l.data[v.StartOffset:v.EndOffset], '\n') < 0 { // all on one line
		return splice(l.data, last, last, ", "+quote(name)+": "+value)
	}
	// Comments after the last value stay with it.
	rest := l.data[last : v.EndOffset-1]
	end := last + len(bytes.TrimRight(rest, " \t\r\n"))
	if before.AfterExtra != nil { // it has a comma
		return splice(l.data, end, end, text+",")
	}
	return splice(splice(l.data, end, end, text), last, last, ",")
}

// write returns an entry as JSON, with each field on a line of its own.
func (l layout) write(entry any, indent string) string {
	var b strings.Builder
	b.WriteString("{")
	for i, f := range entry.([]field) {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(l.newline + indent + l.unit + quote(f.key) + ": " + quote(f.value))
	}
	b.WriteString(l.newline + indent + "}")
	return b.String()
}

// quote returns a value as JSON in one line.
func quote(v any) string {
	if list, ok := v.([]string); ok {
		quoted := make([]string, len(list))
		for i, s := range list {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings, numbers and booleans have a form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// splice returns data with the bytes from start up to end replaced.
func splice(data []byte, start, end int, text string) []byte {
	out := make([]byte, 0, len(data)+len(text))
	out = append(out, data[:start]...)
	out = append(out, text...)
	return append(out, data[end:]...)
}
