package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/internal/message"
)

// YAML returns the settings as a file that sets the same values. Each has a
// comment with its origin.
func (s *Settings) YAML() []byte {
	var out bytes.Buffer
	s.print(&out, "", member{typ: configType}, reflect.ValueOf(s.Config), "")
	return out.Bytes()
}

// print writes the members of a section, each on a line of its own.
func (s *Settings) print(out *bytes.Buffer, p path, m member, v reflect.Value, indent string) {
	each := func(name string, inner member, value reflect.Value) {
		at := p.to(name)
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				return
			}
			value = value.Elem()
		}
		fmt.Fprintf(out, "%s%s:", indent, scalar(name))
		if inner.isSection() && (value.Kind() == reflect.Struct || value.Len() > 0) {
			out.WriteByte('\n')
			s.print(out, at, inner, value, indent+"  ")
			return
		}
		fmt.Fprintf(out, " %s # %s\n", printed(value), message.Clip(s.origins[at].String()))
	}
	if m.typ.Kind() == reflect.Struct {
		for _, inner := range members(m.typ) {
			each(inner.name, inner, v.Field(inner.index))
		}
		return
	}
	for _, name := range sortedKeys(v) {
		inner, _ := m.inner(name)
		each(name, inner, v.MapIndex(reflect.ValueOf(name)))
	}
}

// printed returns a value on one line. JSON is YAML.
func printed(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case string:
		return scalar(value)
	case []string:
		texts := make([]string, len(value))
		for i, text := range value {
			texts[i] = scalar(text)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case JSON:
		return cmp.Or(string(value), "{}")
	}
	if v.Kind() == reflect.Map { // without members
		return "{}"
	}
	return fmt.Sprint(v.Interface())
}

// scalar returns a text as a scalar of YAML, in quotes unless it is read as the same
// text without them.
func scalar(text string) string {
	var document yaml.Node
	if yaml.Unmarshal([]byte("["+text+"]"), &document) == nil && len(document.Content) == 1 {
		list := document.Content[0].Content
		if len(list) == 1 && list[0].Kind == yaml.ScalarNode && list[0].Value == text && list[0].ShortTag() == "!!str" && list[0].Anchor == "" {
			return text
		}
	}
	return strconv.Quote(text)
}

// effective is the JSON form of the settings.
type effective struct {
	File     string            `json:"file,omitempty"`
	Settings *Config           `json:"settings"`
	Origins  map[string]string `json:"origins"` // of those that are not the default
}

// MarshalJSON implements [json.Marshaler]. The object has the file, the
// settings, and the origins of settings that are not the default.
func (s *Settings) MarshalJSON() ([]byte, error) {
	e := effective{File: s.File, Settings: &s.Config, Origins: make(map[string]string)}
	for p, origin := range s.origins {
		if m, ok := find(p); ok && !m.isSection() {
			e.Origins[p.String()] = origin.String()
		}
	}
	return json.Marshal(e)
}
