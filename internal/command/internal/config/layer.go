package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit/server"
)

// A layer has the settings of one source.
type layer struct {
	values  map[path]any // of settings; nil for a section that may have none
	origins map[path]Origin
	faults  Faults
}

func newLayer() *layer { return &layer{values: make(map[path]any), origins: make(map[path]Origin)} }

func (l *layer) fault(from Origin, p path, format string, args ...any) {
	l.faults = append(l.faults, Fault{Origin: from, Setting: p.String(), Message: fmt.Sprintf(format, args...)})
}

// set checks a value and stores it.
func (l *layer) set(p path, m member, value any, from Origin) {
	if wrong := m.rules.check(value); wrong != "" {
		l.fault(from, p, "%s", wrong)
		return
	}
	l.values[p], l.origins[p] = value, from
}

// setText reads the value of a setting from untyped text.
func (l *layer) setText(p path, m member, text string, from Origin) {
	value, err := kindOf(m.typ).parse(text)
	if err != nil {
		if hasPassword(text) || m.typ == jsonType {
			l.fault(from, p, "%s", err.Error())
		} else {
			l.fault(from, p, "%s", bad(text, err.Error()))
		}
		return
	}
	l.set(p, m, value, from)
}

// absolute makes the paths of a file relative to its folder.
func absolute(dir string, value any) any {
	join := func(name string) string {
		if name == "" || filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	switch v := value.(type) {
	case string:
		return join(v)
	case []string:
		all := make([]string, len(v))
		for i, name := range v {
			all[i] = join(name)
		}
		return all
	}
	return value
}

// checkKey returns what is wrong with a name in a section with free names, or
// "".
func checkKey(p path, name string) string {
	switch p {
	case path("oauth").to("grants"):
		if name == "" || len(name) > maxScope || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			return "scopes have 1 to 200 ASCII characters, without spaces, quotes and backslashes"
		}
		return ""
	case "workspaces":
		if err := server.CheckName(name); err != nil {
			return "names have 1 to 64 ASCII letters, digits, \"-\", \"_\" and \".\", and begin with a letter or digit"
		}
		return ""
	}
	section, _ := find(p)
	if !slices.Contains(section.rules.oneOf, name) {
		return "there is no such tool; " + orNear(name, section.rules.oneOf)
	}
	return ""
}

// maxScope is how long the name of a scope may be, in bytes.
const maxScope = 200
