package clients

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A yamlFile is YAML, with a mapping of servers under a key of the document.
type yamlFile string

func (y yamlFile) servers() string { return string(y) }
func (y yamlFile) empty() []byte   { return []byte("\n") }

func (y yamlFile) decode(data []byte) (map[string]any, error) {
	all := map[string]any{}
	if err := yaml.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("it is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return all, nil
}

func (y yamlFile) set(data []byte, name string, entry any) ([]byte, error) {
	newline := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		newline = "\r\n"
	}
	key, servers, err := y.parse(data)
	if err != nil {
		return nil, err
	}
	write := func(indent string) string {
		var b strings.Builder
		b.WriteString(indent + name + ":" + newline)
		for _, f := range entry.([]field) {
			// A string of JSON is one of YAML too, and so are lists of them.
			b.WriteString(indent + "  " + f.key + ": " + quote(f.value) + newline)
		}
		return b.String()
	}
	starts := lineStarts(data)
	switch {
	case key == nil:
		text := string(data)
		if strings.TrimSpace(text) == "" {
			text = ""
		} else if !strings.HasSuffix(text, "\n") {
			text += newline
		}
		return []byte(text + string(y) + ":" + newline + write("  ")), nil
	case servers.Kind == yaml.ScalarNode && servers.Tag == "!!null" || servers.Kind == yaml.MappingNode && len(servers.Content) == 0 && servers.Line == key.Line:
		line := data[starts[key.Line-1]:starts[key.Line]]
		if text, _, _ := bytes.Cut(line, []byte("#")); strings.TrimRight(string(text), " \t\r\n") != string(y)+":" && strings.TrimRight(string(text), " \t\r\n") != string(y)+": {}" {
			return nil, fmt.Errorf("line %d is written in a way that cannot be added to", key.Line)
		}
		head := bytes.Replace(line, []byte(": {}"), []byte(":"), 1)
		if !bytes.HasSuffix(head, []byte("\n")) {
			head = append(head, newline...)
		}
		return splice(data, starts[key.Line-1], starts[key.Line], string(head)+write("  ")), nil
	case servers.Kind != yaml.MappingNode || servers.Style&yaml.FlowStyle != 0:
		return nil, fmt.Errorf("line %d is written in a way that cannot be added to", key.Line)
	}
	indent := strings.Repeat(" ", servers.Content[0].Column-1)
	if start, end, ok := y.find(data, servers, name); ok {
		return splice(data, start, end, write(indent)), nil
	}
	start := starts[servers.Content[0].Line-1]
	for start > starts[key.Line] { // before the comments of the first one
		previous := bytes.LastIndexByte(data[:start-1], '\n') + 1
		if previous < starts[key.Line] {
			break
		}
		start = previous
	}
	return splice(data, start, start, write(indent)), nil
}

func (y yamlFile) remove(data []byte, name string) ([]byte, error) {
	key, servers, err := y.parse(data)
	if err != nil || key == nil || servers.Kind != yaml.MappingNode || servers.Style&yaml.FlowStyle != 0 {
		return data, err
	}
	start, end, ok := y.find(data, servers, name)
	if !ok {
		return data, nil
	}
	if len(servers.Content) == 2 { // the mapping is empty now
		line := lineStarts(data)[key.Line-1]
		after := line + len(y) // the colon
		if data[after] != ':' {
			return nil, fmt.Errorf("line %d is written in a way that cannot be changed", key.Line)
		}
		return splice(splice(data, start, end, ""), after+1, after+1, " {}"), nil
	}
	return splice(data, start, end, ""), nil
}

// parse returns the key of the servers and its value, or nil.
func (y yamlFile) parse(data []byte) (key, servers *yaml.Node, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, nil, err
	}
	if document.Kind == 0 {
		return nil, nil, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		if root.Tag == "!!null" {
			return nil, nil, nil
		}
		return nil, nil, errors.New("it is not a block of keys")
	}
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == string(y) && root.Content[i].Column == 1 {
			return root.Content[i], root.Content[i+1], nil
		}
	}
	return nil, nil, nil
}

// find returns the lines of a server: that of its name and those further in.
func (y yamlFile) find(data []byte, servers *yaml.Node, name string) (start, end int, ok bool) {
	starts := lineStarts(data)
	for i := 0; i < len(servers.Content); i += 2 {
		key := servers.Content[i]
		if key.Value != name {
			continue
		}
		start, end = starts[key.Line-1], starts[key.Line]
		for line := key.Line; line < len(starts)-1; line++ {
			text := data[starts[line]:starts[line+1]]
			indent := len(text) - len(bytes.TrimLeft(text, " "))
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			if indent < key.Column {
				break
			}
			end = starts[line+1]
		}
		return start, end, true
	}
	return 0, 0, false
}

// lineStarts returns where each line begins, and the length of data.
func lineStarts(data []byte) []int {
	starts := []int{0}
	for line := range bytes.Lines(data) {
		starts = append(starts, starts[len(starts)-1]+len(line))
	}
	return starts
}
