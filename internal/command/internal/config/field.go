package config

import (
	"reflect"
	"slices"
	"strings"
)

// A member is a setting, or a section of settings, as the tags of a struct
// describe it.
type member struct {
	name  string
	about string
	rules rules
	typ   reflect.Type
	index int // in the struct
}

// members returns the members of a struct, in the order of its fields.
func members(t reflect.Type) []member {
	all := make([]member, t.NumField())
	for i := range all {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all[i] = member{name: name, about: f.Tag.Get("jsonschema"), rules: parseRules(f.Tag.Get("setting")), typ: f.Type, index: i}
	}
	return all
}

// The types whose values have their own parsers.
var (
	durationType = reflect.TypeFor[Duration]()
	sizeType     = reflect.TypeFor[Size]()
	jsonType     = reflect.TypeFor[JSON]()
	configType   = reflect.TypeFor[Config]()
)

// A path is the sequence of names that leads to a setting. Names of workspaces
// may have dots.
type path string

// separator cannot occur in a name: [checkKey] refuses it.
const separator = "\x1f"

func (p path) to(name string) path {
	if p == "" {
		return path(name)
	}
	return p + separator + path(name)
}

// String returns the path in the form that people write.
func (p path) String() string { return strings.ReplaceAll(string(p), separator, ".") }

func (p path) names() []string { return strings.Split(string(p), separator) }

// find returns the setting or section at a path, and whether the path is valid.
func find(p path) (member, bool) {
	m := member{typ: configType}
	for _, name := range p.names() {
		next, ok := m.inner(name)
		if !ok {
			return member{}, false
		}
		m = next
	}
	return m, true
}

// inner returns the member of a section with a name.
func (m member) inner(name string) (member, bool) {
	switch m.typ.Kind() {
	case reflect.Struct:
		for _, inner := range members(m.typ) {
			if inner.name == name {
				inner.rules.reload = inner.rules.reload || m.rules.reload
				return inner, true
			}
		}
	case reflect.Map:
		return member{name: name, about: m.about, rules: m.rules, typ: m.typ.Elem()}, true
	}
	return member{}, false
}

// isSection reports whether a member is a section.
func (m member) isSection() bool {
	return m.typ.Kind() == reflect.Struct || m.typ.Kind() == reflect.Map
}

// walk calls each for every setting of a value, section by section, and in maps
// in the order of their names.
func walk(p path, m member, v reflect.Value, each func(path, member, reflect.Value)) {
	switch m.typ.Kind() {
	case reflect.Struct:
		for _, inner := range members(m.typ) {
			walk(p.to(inner.name), inner, v.Field(inner.index), each)
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			inner, _ := m.inner(key)
			walk(p.to(key), inner, v.MapIndex(reflect.ValueOf(key)), each)
		}
	default:
		each(p, m, v)
	}
}

func sortedKeys(v reflect.Value) []string {
	keys := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return keys
}
