package data_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality/text/internal/data"
)

const randomFiles = 300

// space returns white space of JSON.
func space(r *rand.Rand) string {
	return []string{"", " ", "\n", "\n\n", "\t\n ", "", "", ""}[r.IntN(8)]
}

// randomJSON writes a value with white space wherever it may be.
func randomJSON(r *rand.Rand, depth int) string {
	kind := r.IntN(6)
	if depth == 0 {
		kind = 4 + r.IntN(2)
	}
	if depth == 3 || kind > 3 {
		return []string{"1", "-2.5e3", `"a\n\"]}"`, "true", "null", `"` + strings.Repeat("word ", r.IntN(90)) + `"`}[r.IntN(6)]
	}
	var parts []string
	for i := range r.IntN(9) {
		part := space(r) + randomJSON(r, max(depth, 0)+1) + space(r)
		if kind%2 == 0 {
			part = fmt.Sprintf("%s\"k%d\"%s:%s", space(r), i, space(r), part)
		}
		parts = append(parts, part)
	}
	if kind%2 == 0 {
		return "{" + strings.Join(parts, ",") + space(r) + "}"
	}
	return "[" + strings.Join(parts, ",") + space(r) + "]"
}

// TestRandomJSON compares the keys of objects with the offsets that
// encoding/json gives.
func TestRandomJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range randomFiles {
		var b strings.Builder
		for i := range 1 + r.IntN(9) {
			fmt.Fprintf(&b, ",%s\"k%d\"%s:%s%s%s", space(r), i, space(r), space(r), randomJSON(r, 1), space(r))
		}
		src := "{\n" + b.String()[1:] + "}\n"
		var want, got []string
		d := json.NewDecoder(strings.NewReader(src))
		d.Token()
		for d.More() {
			key, _ := d.Token()
			first := 1 + strings.Count(src[:d.InputOffset()], "\n")
			var value json.RawMessage
			if err := d.Decode(&value); err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			want = append(want, fmt.Sprintf("%s %d-%d", key, first, 1+strings.Count(src[:d.InputOffset()], "\n")))
		}
		for _, n := range mapped(t, data.JSON, src).Nodes {
			got = append(got, fmt.Sprintf("%s %d-%d", n.Title, n.Location.Lines.First, n.Location.Lines.Last))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-encoding/json +got):\n%s", src, diff)
		}
	}
}

// TestRandomXML compares elements with the positions that encoding/xml gives.
func TestRandomXML(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"<a>\n", "</>", "</>", "</>", "text\n", "<!-- <x>\n -->", "<b\n c='>'/>\n", "<d e=\"\n\"></d\n>", "<![CDATA[</a>\n]]>", "<?pi\n?>", "&amp;", "\n"}
	for range randomFiles {
		src, depth := "<?xml version='1.0'?>\n<r>\n", 0
		for range r.IntN(40) {
			piece := pieces[r.IntN(len(pieces))]
			switch {
			case piece == "</>" && depth == 0:
				continue
			case piece == "</>":
				depth, piece = depth-1, "</a>"
			case piece == "<a>\n":
				depth++
			}
			src += piece
		}
		src += strings.Repeat("</a>", depth) + "</r>"
		var got []string
		for _, n := range mapped(t, data.XML, src).Nodes {
			got = append(got, fmt.Sprintf("%s %d-%d", n.Title, n.Location.Lines.First, n.Location.Lines.Last))
		}
		want := xmlElements(t, src)
		if len(want) == 0 {
			want = []string{fmt.Sprintf(" 1-%d", linetest.CountLines(src))}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-encoding/xml +got):\n%s", src, diff)
		}
	}
}

// xmlElements returns the elements below the root with their lines.
func xmlElements(t *testing.T, src string) (elements []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(src))
	depth, first := 0, 0
	for {
		before, _ := d.InputPos()
		token, err := d.Token()
		if err == io.EOF {
			return elements
		}
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth == 2 {
				first = before
			}
		case xml.EndElement:
			if depth == 2 {
				last, _ := d.InputPos()
				elements = append(elements, fmt.Sprintf("%s %d-%d", token.Name.Local, first, last))
			}
			depth--
		}
	}
}

// TestRandomTOML parses the lines of every node alone with another parser.
// Together they must give what the whole does.
func TestRandomTOML(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	values := []string{"1", "\"a # ]\"", "'''\n[x]\n'''", "[1, # ]\n 2,\n]", "{ a = \"}\" }", "\"\"\"\nq\"\" \\\\\n\"\"\"", "1979-05-27 # c", "[[1], [\n]]"}
	noise := []string{"", "", "# [no]\n", "\n", "  \n"}
	for range randomFiles {
		src := ""
		for i := range r.IntN(5) {
			src += fmt.Sprintf("%sk%d = %s\n", noise[r.IntN(len(noise))], i, values[r.IntN(len(values))])
		}
		for i := range 1 + r.IntN(5) {
			header := []string{"[t%d]", "[t%d.sub]", "[[u]] # %d", "[\"q.]\".t%d]"}[r.IntN(4)]
			src += noise[r.IntN(len(noise))] + fmt.Sprintf(header, i) + "\n"
			for k := range r.IntN(4) {
				src += fmt.Sprintf("%s k%d = %s\n", noise[r.IntN(len(noise))], k, values[r.IntN(len(values))])
			}
		}
		var whole, joined map[string]any
		if err := toml.Unmarshal([]byte(src), &whole); err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		lines := strings.SplitAfter(src, "\n")
		var together bytes.Buffer
		for _, n := range mapped(t, data.TOML, src).Nodes {
			part := strings.Join(lines[n.Location.Lines.First-1:n.Location.Lines.Last], "")
			together.WriteString(part)
			checkTOML(t, n, part)
		}
		if err := toml.Unmarshal(together.Bytes(), &joined); err != nil || !cmp.Equal(whole, joined) {
			t.Fatalf("%s: %v %s", src, err, cmp.Diff(whole, joined))
		}
	}
}

func checkTOML(t *testing.T, n *citekit.Node, part string) {
	t.Helper()
	var alone map[string]any
	if err := toml.Unmarshal([]byte(part), &alone); err != nil || len(alone) != 1 {
		t.Fatalf("%s %q alone has %d keys, %v:\n%s", n.Type, n.Title, len(alone), err, part)
	}
	if last := strings.TrimRight(part, "\n"); strings.HasSuffix(part, "\n\n") || last == "" {
		t.Fatalf("%q ends with a blank line", part)
	}
}
