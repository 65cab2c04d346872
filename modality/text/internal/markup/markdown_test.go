package markup_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/modality/text/internal/markup"
)

func TestMarkdown(t *testing.T) {
	checkMaps(t, markup.Markdown, []mapCase{
		{
			name:  "nesting, titles as displayed, summaries from prose",
			src:   "Before.\n\n# The *Title* &amp; `code`\n\n![badge](b.svg)\n\nFirst sentence. Second [one].\n\n## A [link](x \"t\") <br>!\n\n```\n# not\n```\n\n- item\n\n#### Deep ####\ntext\n\nSetext\nover two\n---\nEnd.\n\n[one]: http://x\n",
			title: "The Title & code",
			want: `preamble 1-2 "" "Before."
section 3-25 "The Title & code" "First sentence. Second one."
  section 9-19 "A link !" ""
    section 17-19 "Deep" "text"
  section 20-25 "Setext over two" "End."
`,
		},
		{
			name:  "front matter",
			src:   "---\ntitle: \"From: matter\"\ntags:\n  - a\n---\n\n# One\n\n# Two\n",
			title: "From: matter",
			want:  "section 7-8 \"One\" \"\"\nsection 9-9 \"Two\" \"\"\n",
		},
		{
			name:  "front matter in TOML, and text before the heading",
			src:   "+++\ntitle = \"T\"\n+++\n\nHello.\n# One\n",
			title: "T",
			want:  "preamble 5-5 \"\" \"Hello.\"\nsection 6-6 \"One\" \"\"\n",
		},
		{
			name: "a rule is no front matter",
			src:  "---\n\n> quote\n\n---\n## A\n",
			want: "preamble 1-5 \"\" \"\"\nsection 6-6 \"A\" \"\"\n",
		},
		{
			name: "what is in quotes, lists, code and HTML begins no section",
			src:  "> # a\n\n- # b\n\n  c\n  ===\n\n    # d\n\n<div>\n# e\n</div>\n\n~~~\n# f\n~~~\n\n    # g\n\n\\# h\n\n#i\n\n####### j\n",
			want: "",
		},
		{
			name: "a heading closes quotes and lists, and HTML ends at a blank line",
			src:  "> a\n# b\n- c\n# d\n<p>\n\n# e\n",
			want: "preamble 1-1 \"\" \"\"\nsection 2-3 \"b\" \"\"\nsection 4-6 \"d\" \"\"\nsection 7-7 \"e\" \"\"\n",
		},
		{
			name:  "underlines of paragraphs alone",
			src:   "[a]: b\n===\nc\n===\n\n|x|\n|-|\n|y|\n---\n\n> q\n---\n",
			title: "=== c",
			want:  "preamble 1-1 \"\" \"\"\nsection 2-12 \"=== c\" \"\"\n",
		},
		{
			name:  "MDX",
			src:   "import X from './x'\nexport const a = 1\n\n# T\n\n<X prop={1}>\n\nHello.\n\n</X>\n",
			title: "T",
			want:  "preamble 1-3 \"\" \"\"\nsection 4-10 \"T\" \"Hello.\"\n",
		},
		{
			name: "a comment that nothing closes hides no later one",
			src:  "# a <!-- that nothing closes\n\n# x <!-- no --> y\n",
			want: "section 1-2 \"a <!-- that nothing closes\" \"\"\nsection 3-3 \"x y\" \"\"\n",
		},
		{name: "no headings", src: "Text.\n", want: ""},
		{name: "empty", src: "", want: ""},
	})
}

// TestThinning maps more headings than a map can have nodes: the deepest go
// first, and where there is one level every second.
func TestThinning(t *testing.T) {
	var b strings.Builder
	for range 3000 {
		b.WriteString("# a\n## b\n### c\n### d\n### e\n### f\n### g\n### h\n")
	}
	titles := titlesOf(t, markup.Markdown, []byte(b.String()))
	if len(titles) != 6000 || titles[0] != (title{1, 1, "a"}) || titles[5999] != (title{2, 23994, "b"}) {
		t.Errorf("%d sections, the last %v", len(titles), titles[len(titles)-1])
	}
	titles = titlesOf(t, markup.Markdown, []byte(strings.Repeat("# a\n", 50000)))
	if len(titles) != 12500 || titles[1].Line != 5 {
		t.Errorf("%d sections, the second at line %d", len(titles), titles[1].Line)
	}
}
