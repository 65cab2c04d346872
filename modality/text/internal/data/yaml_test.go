package data_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text/internal/data"
)

func TestYAML(t *testing.T) {
	s := checkOutline(t, data.YAML, `# a licence

# What it is.
name: a.b  # c
"quoted: key": |
  # no comment
  not: a key

  more

'it''s': >-
  folded
# end
list:
- x: 1
  y: 2
-
  - deep
? explicit
: value
&anchor plain: text
  that goes on
  # not here
last: {a: [1,
  "}"], b: 2}
`, `
4 key "name" – What it is.
5-9 key "quoted: key" – # no comment not: a key more
11-12 key "it's" – folded
14-18 key "list" – end
19-20 key "explicit"
21-22 key "plain"
24-25 key "last"
`)
	if s.Metadata["documents"] != nil {
		t.Errorf("metadata %v", s.Metadata)
	}
	s = checkOutline(t, data.YAML, "%YAML 1.2\n---\n# c\nkind: Deployment\nmetadata:\n  name: web\n...\n---\n# nothing\n---\n- a\n--- |\ntext\n", `
2-6 element "web" id Deployment-web
10-11 element ""
12-13 element ""
`)
	if s.Metadata["documents"] != 3 {
		t.Errorf("metadata %v", s.Metadata)
	}
	checkOutline(t, data.YAML, "{{- if .Values.x }}\na: {{ .Values.y }}\n{{- end }}\nb:\n{% raw %}\n  - 1\n", `
2 key "a"
4-6 key "b"
`)
	checkOutline(t, data.YAML, "- name: one\n  id: 3\n- [flow,\n  list]\n- |\n text\n", `
1-2 element "one"
3-4 element ""
5-6 element ""
`)
	checkOutline(t, data.YAML, "{a: 1,\nb: 2}\n", "1-2 element \"\"\n")
}

// hard has what readers of YAML that only look at indentation get wrong.
var hard = []string{
	"a: |\n  x\n\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n", "a: |2\n    x\n  y\nb: 1\n", "a: >1-\n  x\n # y\n\nb: 1\n",
	"a: \"x\n\n  # y\n  b: z\"\nc: 1\n", "a: 'it''s\n  b: c'\nd: 2\n", "a: \"\\\"x\\\\\"\nb: 1\n",
	"a:\n- 1\n- b: 2\n\n  c: 3\n# x\nd: 4\n", "a:\n  - - 1\n    - 2\n  - - 3\nb: 1\n", "a: [\n1, # ]\n\"]\"\n]\nb: 1\n",
	"a: {\n}\nb: 1\n", "a: x # y\n\nb: #\n  c\n", "a: x\n  y: no key\nb: 1\n", "a: http://x:80/y#z\nb: c:d\n",
	"? a\n: b\nc: 1\n", "? - a\n  - b\n: - c\nd: 1\n", "? a\n: - x\n  - y\nd: 1\n", "? a\nb: 1\n",
	"!!map\na: 1\nb: 2\n", "a: &x\n  b: 1\nc: *x\n", "a: !!str\n  text\nb: !t &q [1]\n", "a: &x |\n  text\nb: 1\n",
	"a: -\n", "- - - a\n- b\n", "- a: |\n   x\n  b: 1\n- c\n", "a:\n  b:\n\n\n    c\nd: 1\n", "a: |\n\nb: 1\n", "a: |\n", "a:\n",
	"\"a\": 1\n'b' : 2\nc : 3\n", "a b: 1\n[x]: 2\n", "-a: 1\n?b: 2\n:c: 3\n", "a:\tb\nc:\t\n  d\n", "a: 'x' # y\nb: [] # z\n",
	"a: |\n  x\n # c\nb: 1\n", "a: |\n  - x\n  ---\n  ...\nb: 1\n", "a: >\n\n\n  x\n\n   y\n\n\nb: 1\n", "a: [it's, \"x\"]\nb: {c: it's}\n",
	"a:\n  - b\n  -\n    c: 1\n  - |\n    d\ne: 1\n", "a: -1\nb: - 2\n", "x:\n  - a: 1\n    b:\n    - 2\n  - c\ny: 1\n",
}

// TestYAMLValues parses the lines of every key alone. They must give what the
// key has in the whole, as another parser reads it.
func TestYAMLValues(t *testing.T) {
	for _, src := range hard {
		var root yaml.Node
		if err := yaml.Unmarshal([]byte(src), &root); err != nil {
			continue // not everything above is YAML
		}
		s := mapped(t, data.YAML, src)
		checkYAML(t, src, root.Content[0], s.Nodes)
	}
}

func checkYAML(t *testing.T, src string, want *yaml.Node, got []*citekit.Node) {
	t.Helper()
	if got[0].Type == "rows" {
		return
	}
	each := 1
	if want.Kind == yaml.MappingNode {
		each = 2
	}
	if len(got)*each != len(want.Content) {
		t.Errorf("%q: got\n%s", src, outline(got))
		return
	}
	lines := strings.SplitAfter(src, "\n")
	for i, n := range got {
		at := n.Location.Lines
		first, value := want.Content[each*i], want.Content[each*i+each-1]
		if first.Line < at.First || first.Line > at.Last || each == 2 && first.Kind == yaml.ScalarNode && n.Title != strings.Join(strings.Fields(first.Value), " ") {
			t.Errorf("%q: %q at %v, want %q at %d", src, n.Title, at, first.Value, first.Line)
		}
		if strings.Contains(src, "*") {
			continue
		}
		var alone yaml.Node
		slice := strings.Join(lines[at.First-1:at.Last], "")
		if err := yaml.Unmarshal([]byte(slice), &alone); err != nil || len(alone.Content) == 0 || len(alone.Content[0].Content) != each {
			t.Errorf("%q: lines %v do not parse alone: %v", src, at, err)
			continue
		}
		if a, b := dump(alone.Content[0].Content[each-1]), dump(value); a != b {
			t.Errorf("%q: lines %v are %s, want %s", src, at, a, b)
		}
	}
}

func dump(n *yaml.Node) string {
	if n == nil {
		return "nothing"
	}
	s := fmt.Sprintf("%d %s %q (", n.Kind, n.ShortTag(), n.Value)
	for _, child := range n.Content {
		s += dump(child) + ", "
	}
	return s + ")"
}
