package clients

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlFile is TOML, with a table [servers.NAME] for each server; its value is the first
// word of these tables.
type tomlFile string

func (t tomlFile) servers() string { return string(t) }
func (t tomlFile) empty() []byte   { return []byte("\n") }

func (t tomlFile) decode(data []byte) (map[string]any, error) {
	all := map[string]any{}
	if deep(bytes.ReplaceAll(data, []byte(`"`), nil)) { // its strings and comments are others than those of JSON
		return nil, errors.New("it is nested too deeply")
	}
	if err := toml.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &all); err != nil {
		return nil, fmt.Errorf("it is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return all, nil
}

func (t tomlFile) set(data []byte, name string, entry any) ([]byte, error) {
	newline := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		newline = "\r\n"
	}
	var b strings.Builder
	b.WriteString("[" + string(t) + "." + name + "]" + newline)
	for _, f := range entry.([]field) {
		// A string of JSON is one of TOML too, and so are lists of them.
		b.WriteString(f.key + " = " + quote(f.value) + newline)
	}
	start, end, err := t.find(data, name)
	if err != nil {
		return nil, err
	}
	if start >= 0 {
		return splice(data, start, end, b.String()), nil
	}
	text := bytes.TrimRight(data, " \t\r\n")
	if len(text) == 0 {
		return []byte(b.String()), nil
	}
	end = len(text) + len(data[len(text):]) - len(bytes.TrimLeft(data[len(text):], " \t\r"))
	if bytes.HasPrefix(data[end:], []byte("\n")) {
		end++
		return append(splice(data[:end], end, end, newline+b.String()), data[end:]...), nil
	}
	return splice(data, end, end, newline+newline+b.String()), nil
}

func (t tomlFile) remove(data []byte, name string) ([]byte, error) {
	start, end, err := t.find(data, name)
	if err != nil || start < 0 {
		return data, err
	}
	if before := bytes.TrimRight(data[:start], "\r\n"); len(before) > 0 { // the empty line before it
		if rest := data[len(before):start]; bytes.Count(rest, []byte("\n")) > 1 {
			start = len(before) + bytes.IndexByte(rest, '\n') + 1
		}
	}
	return splice(data, start, end, ""), nil
}

// find returns where the tables of a server begin and end, without the empty lines and
// comments before the next table; start is negative if there are none.
func (t tomlFile) find(data []byte, name string) (start, end int, err error) {
	start, end = -1, len(data)
	own, ended := false, false
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		var keys []string
		at := -1
		for it := e.Key(); it.Next(); {
			if at < 0 {
				at = int(it.Node().Raw.Offset)
			}
			keys = append(keys, string(it.Node().Data))
		}
		if at < 0 {
			continue
		}
		line := bytes.LastIndexByte(data[:at], '\n') + 1
		is := len(keys) > 1 && keys[0] == string(t) && keys[1] == name
		switch {
		case is && ended:
			return 0, 0, errors.New("its tables of this server are not together")
		case is && !own:
			start, own = line, true
		case !is && own:
			end, own, ended = line, false, true
		}
	}
	if err := p.Error(); err != nil {
		return 0, 0, err
	}
	if start < 0 {
		return start, end, nil
	}
	return start, start + len(withoutTail(data[start:end])), nil
}

// withoutTail returns text without the empty lines and comments at its end.
func withoutTail(text []byte) []byte {
	for len(text) > 0 {
		line := text[bytes.LastIndexByte(text[:len(text)-1], '\n')+1:]
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' {
			return text
		}
		text = text[:len(text)-len(line)]
	}
	return text
}
