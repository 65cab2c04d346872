package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/message"
)

// maxFile is how large a file of settings may be, in bytes.
const maxFile = 1 << 20

// readFile returns the settings of a file. Its paths are relative to its folder.
func readFile(name string) *layer {
	l := newLayer()
	data, err := readBounded(name)
	if err != nil {
		l.fault(Origin{File: name}, "", "%s", err.Error())
		return l
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		dir = filepath.Dir(name)
	}
	parseFile(l, name, dir, data)
	return l
}

func readBounded(name string) ([]byte, error) {
	info, err := os.Stat(name) // opening a pipe would block
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, reason(err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("it is larger than 1 MiB, the limit for settings")
	}
	return data, nil
}

// reason returns the system's message without the path, which is shown anyway.
func reason(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// parseFile adds the settings of a file to a layer.
func parseFile(l *layer, name, dir string, data []byte) {
	r := &fileReader{layer: l, file: name, dir: dir}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if line := lineOf(data, func(line []byte) bool { return !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 }); line > 0 {
		l.fault(Origin{File: name, Line: line}, "", "the file is not text in UTF-8")
		return
	}
	if line := lineOf(data, hasTabIndent); line > 0 {
		l.fault(Origin{File: name, Line: line}, "", "the line begins with a tab; indent YAML with spaces")
		return
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return // nothing but comments
	} else if err != nil {
		r.syntax(err)
		return
	}
	if err := decoder.Decode(&second); err == nil {
		l.fault(r.at(&second), "", "a second document begins here; settings must be one document, without a line ---")
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	if len(document.Content) != 1 || !r.isPlain(&document) {
		return
	}
	r.section("", member{typ: configType}, document.Content[0])
}

func hasTabIndent(line []byte) bool {
	rest := bytes.TrimLeft(line, " ")
	return len(rest) > 0 && rest[0] == '\t' && len(bytes.TrimSpace(rest)) > 0 && bytes.TrimSpace(rest)[0] != '#'
}

// lineOf returns the number of the first line for which is returns true, or 0.
func lineOf(data []byte, is func([]byte) bool) int {
	n := 0
	for line := range bytes.Lines(data) {
		if n++; is(line) {
			return n
		}
	}
	return 0
}

// A fileReader reads settings from the nodes of YAML.
type fileReader struct {
	*layer
	file, dir string
}

func (r *fileReader) at(n *yaml.Node) Origin {
	return Origin{File: r.file, Line: max(1, n.Line), Column: n.Column}
}

var syntaxLine = lazyregexp.New(`^(?:yaml: )?(?:line (\d+): )?(.*)`)

// syntax adds the fault of a file that is not YAML.
func (r *fileReader) syntax(err error) {
	parts := syntaxLine.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	line, _ := strconv.Atoi(parts[1])
	r.fault(Origin{File: r.file, Line: max(1, line)}, "", "this is not YAML: %s", message.Clip(parts[2]))
}

// isPlain reports whether a document has no anchors, aliases and tags: with
// them, a small file can expand to a huge one.
func (r *fileReader) isPlain(n *yaml.Node) bool {
	plain := true
	switch {
	case n.Kind == yaml.AliasNode:
		r.fault(r.at(n), "", "*%s: settings cannot have aliases; write the value itself", message.Clip(n.Value))
		plain = false
	case n.Anchor != "":
		r.fault(r.at(n), "", "&%s: settings cannot have anchors; write the value itself", message.Clip(n.Anchor))
		plain = false
	case n.Style&yaml.TaggedStyle != 0:
		r.fault(r.at(n), "", "%s: settings cannot have tags", message.Clip(n.Tag))
		plain = false
	}
	if len(r.faults) > maxFaults {
		return false
	}
	for _, inner := range n.Content {
		plain = r.isPlain(inner) && plain
	}
	return plain
}

// section reads the settings of a section.
func (r *fileReader) section(p path, m member, n *yaml.Node) {
	if isNull(n) {
		return // everything in it is commented out
	}
	if n.Kind != yaml.MappingNode {
		r.fault(r.at(n), p, "%s: write %s", describe(n), kindOf(m.typ).words)
		return
	}
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if len(r.faults) > maxFaults {
			return
		}
		if key.Kind != yaml.ScalarNode {
			r.fault(r.at(key), p, "the name of a setting must be a word")
			continue
		}
		if first := lines[key.Value]; first > 0 {
			r.fault(r.at(key), p.to(key.Value), "it is given twice, first in line %d; leave out one", first)
			continue
		}
		lines[key.Value] = key.Line
		r.setting(p, m, key, value)
	}
}

// setting reads one setting of a section.
func (r *fileReader) setting(p path, m member, key, n *yaml.Node) {
	if m.typ.Kind() == reflect.Map {
		if wrong := checkKey(p, key.Value); wrong != "" {
			r.fault(r.at(key), "", "%s: %s", clipped(p, key.Value), wrong)
			return
		}
	}
	inner, ok := m.inner(key.Value)
	if !ok {
		r.fault(r.at(key), "", "%s: %s", clipped(p, key.Value), unknown(p, m, key.Value))
		return
	}
	p = p.to(key.Value)
	if inner.isSection() {
		if inner.typ.Kind() == reflect.Struct && m.typ.Kind() == reflect.Map {
			r.origins[p] = r.at(key) // a name chosen by the user
			r.values[p] = nil
		}
		r.section(p, inner, n)
		return
	}
	value, wrong := r.value(inner, n)
	if wrong != "" {
		r.fault(r.at(key), p, "%s", wrong)
		return
	}
	if inner.rules.path {
		value = absolute(r.dir, value)
	}
	r.set(p, inner, value, r.at(key))
}

// clipped returns a path that ends with a name from a file, shortened.
func clipped(p path, name string) string {
	if p == "" {
		return message.Clip(name)
	}
	return p.String() + "." + message.Clip(name)
}

// unknown returns the message for an unknown setting, with the setting that was
// probably meant.
func unknown(p path, m member, name string) string {
	if isSecret(name) {
		return "secrets are not settings: keys of models belong in environment variables such as OPENAI_API_KEY or CITEKIT_EMBEDDER_KEY, and keys of callers in the file that keys names"
	}
	var known []string
	for _, one := range members(m.typ) {
		known = append(known, one.name)
	}
	if near := nearest(name, known); near != "" {
		return "there is no such setting; did you mean " + p.to(near).String() + "?"
	}
	for _, elsewhere := range everySetting() {
		if names := elsewhere.names(); names[len(names)-1] == strings.ToLower(name) {
			return "there is no such setting here; did you mean " + elsewhere.String() + "?"
		}
	}
	where := "there are "
	if p != "" {
		where = p.String() + " has "
	}
	return "there is no such setting; " + where + strings.Join(known, ", ")
}
