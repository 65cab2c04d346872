package data

import (
	"bytes"
	"context"
	"strings"

	"github.com/citekit/citekit"
)

// mapINI maps the sections of files such as those of desktops, systemd and Git, and
// the keys before the first section.
func mapINI(ctx context.Context, src []byte) (*citekit.Draft, error) {
	t := &tomlScanner{ctx: ctx, src: src, b: newBuilder(), line: 1}
	sections := 0
	for t.pos < len(src) {
		if t.line%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line := t.rest()
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0:
		case text[0] == '#' || text[0] == ';':
			t.summary.add(text, t.line, 0)
		case line[0] == '[': // if indented, it continues a value
			name, ok := sectionName(text)
			if !ok {
				return nil, malformed(t.line, "no name of a section in brackets")
			}
			sections++
			t.openTable([]string{name}, name, false)
		default:
			t.iniKey(line)
		}
		t.pass(len(line))
	}
	if sections == 0 {
		return nil, malformed(1, "no section")
	}
	return t.structure(INI), nil
}

func sectionName(text []byte) (string, bool) {
	i := bytes.LastIndexByte(text, ']')
	if i < 2 {
		return "", false
	}
	name := strings.TrimSpace(string(text[1:i]))
	return name, name != ""
}

// iniKey reads a line with a key, or a line that continues the previous value.
func (t *tomlScanner) iniKey(line []byte) {
	t.last = t.line
	i := bytes.IndexAny(line, "=:")
	name := strings.TrimSpace(string(line[:max(i, 0)]))
	if name == "" || line[0] == ' ' || line[0] == '\t' || len(t.tables) > 0 {
		return
	}
	t.b.start("key", name, t.line, int64(t.pos))
	t.b.value(strings.TrimSpace(string(line[i+1:])))
	t.b.end(t.line, int64(t.pos+len(line)))
}
