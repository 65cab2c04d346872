package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/internal/message"
)

// value reads a value, and returns what is wrong with it.
func (r *fileReader) value(m member, n *yaml.Node) (any, string) {
	if m.typ == jsonType {
		return objectOf(n)
	}
	if m.typ.Kind() == reflect.Slice {
		return listOf(n)
	}
	kind := kindOf(m.typ)
	if isNull(n) {
		return nil, "it has no value: write " + kind.words + ", or leave it out"
	}
	if n.Kind != yaml.ScalarNode {
		return nil, describe(n) + ": write " + kind.words
	}
	if !slices.Contains(kind.tags, n.ShortTag()) || m.typ.Kind() == reflect.Int && !isDecimal(n.Value) {
		quotes := ""
		if m.typ.Kind() == reflect.String {
			quotes = ", in quotes if it looks like a number"
		}
		return nil, bad(n.Value, "write "+kind.words+quotes)
	}
	value, err := kind.parse(n.Value)
	if err != nil {
		return nil, bad(n.Value, err.Error())
	}
	return value, ""
}

// isDecimal reports whether a number is decimal. YAML has other forms: 010 is
// 8.
func isDecimal(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}

func listOf(n *yaml.Node) (any, string) {
	texts := []string{}
	if isNull(n) {
		return texts, ""
	}
	if n.Kind != yaml.SequenceNode {
		return nil, describe(n) + ": write a list such as [a, b]"
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
			return nil, describe(item) + " in a list of texts: put it in quotes if it is a text"
		}
		texts = append(texts, item.Value)
	}
	return texts, ""
}

// objectOf returns as JSON a section that another part of the program reads.
func objectOf(n *yaml.Node) (any, string) {
	if isNull(n) {
		return JSON(""), ""
	}
	if n.Kind != yaml.MappingNode {
		return nil, describe(n) + ": write a section of settings"
	}
	if name := repeated(n); name != "" {
		return nil, message.Clip(name) + " is given twice; leave out one"
	}
	var members map[string]any
	if err := n.Decode(&members); err != nil {
		return nil, "it cannot be read: " + message.Clip(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	data, err := json.Marshal(members)
	if err != nil {
		return nil, "it has values that JSON cannot express"
	}
	if len(members) == 0 {
		return JSON(""), ""
	}
	return JSON(data), ""
}

// repeated returns a name that occurs twice in one section, or "".
func repeated(n *yaml.Node) string {
	seen := make(map[string]bool)
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[inner.Value] {
				return inner.Value
			}
			seen[inner.Value] = true
		}
		if name := repeated(inner); name != "" {
			return name
		}
	}
	return ""
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// describe describes a node of the file that has the wrong type.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "this is a section of settings"
	case yaml.SequenceNode:
		return "this is a list"
	}
	return "bad value " + message.Quote(n.Value)
}
