package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/internal/message"
)

// YAML returns the settings as a file that sets the same values. Each has a
// comment with its origin.
func (s *Settings) YAML() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(s.node("", member{typ: configType}, reflect.ValueOf(s.Config))); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return out.Bytes(), nil
}

// node returns a setting or section as a node of YAML, or nil for a nil
// pointer.
func (s *Settings) node(p path, m member, v reflect.Value) *yaml.Node {
	section := &yaml.Node{Kind: yaml.MappingNode}
	add := func(name string, inner member, value reflect.Value) {
		if n := s.node(p.to(name), inner, value); n != nil {
			key := new(yaml.Node)
			key.SetString(name)
			section.Content = append(section.Content, key, n)
		}
	}
	switch m.typ.Kind() {
	case reflect.Struct:
		for _, inner := range members(m.typ) {
			add(inner.name, inner, v.Field(inner.index))
		}
	case reflect.Map:
		for _, name := range sortedKeys(v) {
			inner, _ := m.inner(name)
			add(name, inner, v.MapIndex(reflect.ValueOf(name)))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return s.scalar(p, v.Elem())
	default:
		return s.scalar(p, v)
	}
	if len(section.Content) == 0 {
		section.Style, section.LineComment = yaml.FlowStyle, s.comment(p)
	}
	return section
}

func (s *Settings) scalar(p path, v reflect.Value) *yaml.Node {
	n := new(yaml.Node)
	switch value := v.Interface().(type) {
	case Duration:
		n.SetString(value.String())
	case Size:
		*n = yaml.Node{Kind: yaml.ScalarNode, Value: value.String()}
	case JSON:
		n = objectNode(value)
	case []string:
		*n = yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, text := range value {
			item := new(yaml.Node)
			item.SetString(text)
			n.Content = append(n.Content, item)
		}
	default:
		if err := n.Encode(value); err != nil { // texts, numbers and booleans give no error
			return nil
		}
	}
	n.LineComment = s.comment(p)
	return n
}

// objectNode returns an object on one line.
func objectNode(object JSON) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	var document yaml.Node
	if object != "" && yaml.Unmarshal([]byte(object), &document) == nil && len(document.Content) == 1 {
		n = document.Content[0]
	}
	return n
}

// comment returns the comment with the origin of a setting.
func (s *Settings) comment(p path) string { return message.Clip(s.origins[p].String()) }

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
