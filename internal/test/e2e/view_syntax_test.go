package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestViewerSyntax has the pages divide code of the main languages into tokens: each of
// them is found as what it is, and all of them together are the text.
func TestViewerSyntax(t *testing.T) {
	sharedtest.Once(t)
	node := sharedtest.Tool(t, "node")
	samples := []struct {
		Language string   `json:"language"`
		Text     string   `json:"text"`
		want     []string // kind and text of some tokens
	}{
		{"go", "// a func\nfunc Add(a int) string { return \"x // y\" + `raw\n\"text\"` + 'z' } /* over\nlines */", []string{
			"comment // a func", "keyword func", "call Add", "keyword int", "keyword return", `string "x // y"`, "string `raw\n\"text\"`", "string 'z'", "comment /* over\nlines */"}},
		{"py", "class Tide:\n    '''Says \"when\".\n    # no comment'''\n    def high(self, at=0x1F):  # a comment\n        return f\"{at}\" if at else None", []string{
			"keyword class", "type Tide", "string '''Says \"when\".\n    # no comment'''", "keyword def", "call high", "number 0x1F", "comment # a comment", "keyword None"}},
		{"js", "const re = 1.5e3; async function f() { return `a ${b} // c` } // end", []string{
			"keyword const", "number 1.5e3", "keyword async", "call f", "string `a ${b} // c`", "comment // end"}},
		{"tsx", "export interface Tide { name: string } let x = 'it\\'s'", []string{"keyword interface", "type Tide", "keyword string", `string 'it\'s'`}},
		{"rs", "fn main() { let life: &'static str = \"s\"; let c = 'c'; match c { _ => println!(\"no // comment\") } }", []string{
			"keyword fn", "call main", "keyword let", `string "s"`, "string 'c'", "keyword match", `string "no // comment"`}},
		{"c", "#include <stdio.h>\nint main(void) { return 0; } // done", []string{"keyword include", "keyword int", "call main", "keyword void", "number 0", "comment // done"}},
		{"java", "public class Tide { String name = \"http://tide.example\"; char c = '\\''; }", []string{"keyword public", "type Tide", "type String", `string "http://tide.example"`, `string '\''`}},
		{"rb", "def high # tide\n  puts 'low'\nend", []string{"keyword def", "comment # tide", "string 'low'", "keyword end"}},
		{"sh", "for f in *.md; do echo \"$f\" '# no comment' ${f#x}; done # end\n", []string{"keyword for", "keyword do", "keyword echo", "string '# no comment'", "name ${f#x}", "comment # end"}},
		{"sql", "SELECT name FROM tides WHERE height > 3.5 -- high\nand port = 'St. Malo'", []string{"keyword SELECT", "keyword FROM", "number 3.5", "comment -- high", "keyword and", "string 'St. Malo'"}},
		{"json", `{"name": "tide", "high": true, "at": -1.5e2, "none": null}`, []string{`name "name"`, `string "tide"`, "keyword true", "keyword null"}},
		{"yaml", "# tides\nname: \"high: water\"\non: true\n", []string{"comment # tides", "name name", `string "high: water"`, "keyword true"}},
		{"toml", "[port]\nname = 'x' # port\nat = 3\n", []string{"keyword [port]", "name name", "string 'x'", "comment # port", "number 3"}},
		{"html", "<!-- a\nb --><p class=\"x\">5 < 6 &amp; text</p>", []string{"comment <!-- a\nb -->", "keyword <p", "name class", `string "x"`, "number &amp;", "keyword </p>"}},
		{"css", "/* a */ @media print { a { color: #fff; content: \"x\" } }", []string{"comment /* a */", "keyword @media", "number #fff", `string "x"`}},
		{"md", "# Tides\n\nWords with `code`.\n> quoted\n", []string{"keyword # Tides", "string `code`", "comment > quoted"}},
		{"lua", "-- tides\nlocal function high() return \"x\" end", []string{"comment -- tides", "keyword local", "call high", `string "x"`}},
		{"tex", "\\section{Tides} % when\n$x^2$", []string{`keyword \section`, "comment % when", "string $x^2$"}},
		{"clj", "(defn high [x] ; when\n  \"x\")", []string{"keyword defn", "comment ; when", `string "x"`}},
		{".GO", "var x = 1", []string{"keyword var"}},
		{"unheard", "func x", []string{" func x"}},
		{"", "func x", []string{" func x"}},
		{"go", "", nil},
		// What does not end, is far from ASCII, or takes an expression long.
		{"go", "x := \"no end\ny := `no end\n/* nor this", nil},
		{"py", "'''never\n" + strings.Repeat("a", 5000), nil},
		{"rs", "let 変数 = \"日本語 😀\"; // 注釈", []string{`string "日本語 😀"`, "comment // 注釈"}},
		{"html", strings.Repeat("<", 20_000) + strings.Repeat("<!--", 5000), nil},
		{"js", strings.Repeat("`", 9999) + strings.Repeat("\\", 9999), nil},
		{"css", "a\u0000b\ud7ff\r\n", nil},
	}
	input, err := json.Marshal(samples)
	if err != nil {
		t.Fatal(err)
	}
	script, assets := filepath.Join("testdata", "browser", "syntax.mjs"), filepath.Join("..", "..", "..", "viewer", "assets", "syntax.js")
	sharedtest.Read(t, script) // so that a changed script is run again
	sharedtest.Read(t, assets)
	cmd := exec.CommandContext(t.Context(), node, script, assets)
	cmd.Stdin = bytes.NewReader(input)
	var noise strings.Builder
	cmd.Stderr = &noise
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, noise.String())
	}
	var got [][][2]string
	if err := json.Unmarshal(out, &got); err != nil || len(got) != len(samples) {
		t.Fatalf("%d of %d answers: %v", len(got), len(samples), err)
	}
	kinds := []string{"", "comment", "string", "number", "keyword", "name", "call", "type"}
	for i, sample := range samples {
		var text strings.Builder
		var found []string
		for _, token := range got[i] {
			text.WriteString(token[1])
			found = append(found, token[0]+" "+token[1])
			if !slices.Contains(kinds, token[0]) || token[1] == "" {
				t.Errorf("%q: a token %q", sample.Language, token)
			}
		}
		if text.String() != sample.Text {
			t.Errorf("%q: the tokens of %.200q are %.200q", sample.Language, sample.Text, text.String())
		}
		for _, want := range sample.want {
			if !slices.Contains(found, want) {
				t.Errorf("%q: no token %q in %s", sample.Language, want, fmt.Sprintf("%q", found))
			}
		}
	}
}
