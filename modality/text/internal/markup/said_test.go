package markup_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/citekit/citekit/modality/text/internal/markup"
)

// TestSaid reads what documents say of themselves.
func TestSaid(t *testing.T) {
	both := map[string]any{"author": "Ada Lovelace; Charles Babbage", "keywords": []any{"engine", "maths"}, "date": "1843-09-01"}
	for name, c := range map[string]struct {
		format markup.Format
		src    string
		want   map[string]any
	}{
		"yaml":               {markup.Markdown, "---\ntitle: X\nauthors:\n  - Ada Lovelace\n  - name: Charles Babbage\n    url: x\ntags: [engine, maths]\ndate: 1843-09-01\n---\n\n# X\n", both},
		"flat":               {markup.Markdown, "---\nAuthor: Ada Lovelace; Charles Babbage\nkeywords: engine, maths\ndate: '1843-09-01'\n...\n\nText alone.\n", both},
		"list at the margin": {markup.Markdown, "---\nauthor:\n- Ada Lovelace\n- Charles Babbage\ntags:\n- engine\ncategories:\n- maths\ndate: 1843-09-01\n---\n# X\n", both},
		"toml":               {markup.Markdown, "+++\ntitle = \"X\"\nauthors = [\"Ada Lovelace\", 'Charles Babbage']\ntags = [\n  \"engine\",\n  \"maths\",\n]\ndate = 1843-09-01\n+++\n# X\n", both},
		"html":               {markup.HTML, "<html><head><title>X</title><meta name=author content='Ada Lovelace'><meta property=\"article:author\" content=\"Charles Babbage\"><meta content=\"engine, maths\" name=\"Keywords\"><meta property='article:published_time' content='1843-09-01'></head><body><h1>X</h1></body></html>", both},
		"scholar":            {markup.HTML, "<meta name=citation_author content='Ada Lovelace'><meta name=citation_author content='Charles Babbage'><meta name=citation_keywords content='engine; maths'><meta name=citation_publication_date content='1843/09/01'><p>x", both},
		"org":                {markup.Org, "#+TITLE: X\n#+AUTHOR: Ada Lovelace\n#+AUTHOR: Charles Babbage\n#+FILETAGS: :engine:maths:\n#+DATE: <1843-09-01>\n* X\n", both},
		"nothing":            {markup.Markdown, "---\ntitle: X\n---\n# X\n", map[string]any{}},
		"no matter":          {markup.Markdown, "# X\n\nauthor: Nobody\n", map[string]any{}},
		"alias":              {markup.Markdown, "---\na: &a [x, x]\ntags: [*a, *a]\n---\n# X\n", map[string]any{}},
		"signs":              {markup.Markdown, "---\nauthor: Simon & Schuster\ntags: [R&D, 2*3, '*a']\n---\n# X\n", map[string]any{"author": "Simon & Schuster", "keywords": []any{"R&D", "2*3", "*a"}}},
		"bomb":               {markup.Markdown, "---\ntags: [&a [x, x], &b [*a, *a], &c [*b, *b], *c]\n---\n# X\n", map[string]any{}},
		"nested":             {markup.Markdown, "---\ntags: [[[[a]]]]\nauthor: {first: A}\ndate: [1, 2]\n---\n# X\n", map[string]any{"date": "1"}},
		"broken":             {markup.Markdown, "---\ntags: [a, b\nauthor: \"A\ndate: 2024-99-99\n---\n# X\n", map[string]any{"author": "A", "keywords": []any{"[a", "b"}, "date": "2024-99-99"}},
		"open":               {markup.Markdown, "+++\ntags = [\"a\n+++\n# X\n", map[string]any{}},
		"in a template":      {markup.HTML, "<template><meta name=author content=X></template><h1>x</h1>", map[string]any{}},
		"a profile":          {markup.HTML, "<meta property='article:author' content='https://example.com/ada'><h1>x</h1>", map[string]any{}},
		"long":               {markup.Markdown, "---\ntags: " + strings.Repeat("a,", 20_000) + "\n---\n# X\n", map[string]any{}},
	} {
		draft, err := markup.Map(t.Context(), c.format, []byte(c.src))
		if err != nil || !reflect.DeepEqual(draft.Metadata, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, draft.Metadata, err, c.want)
		}
	}
}
