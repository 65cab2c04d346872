package htmlblocks_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// TestLooks: what style sheets and attributes strike out, raise, lower or hide. The page as a
// whole and its block have the same words.
func TestLooks(t *testing.T) {
	for name, c := range map[string]struct{ css, body, want string }{
		"struck":                 {"", `<p>for <span style="text-decoration: line-through">100</span> 80</p>`, "for ~~100~~ 80\n"},
		"struck, in capitals":    {"", `<p>for <SPAN STYLE='TEXT-DECORATION-LINE:underline LINE-THROUGH !IMPORTANT'>100</SPAN> 80</p>`, "for ~~100~~ 80\n"},
		"a block":                {"", `<p style="text-decoration:line-through">100 <b>or 90</b></p>`, "~~100 or 90~~\n"},
		"not below":              {".old{text-decoration:line-through} b{text-decoration:none}", `<p class=old>100 <b>90</b></p>`, "~~100 90~~\n"},
		"raised":                 {"", `<p>10<span style="font-size:70%;vertical-align:super">2</span> m</p>`, "10² m\n"},
		"lowered":                {".down{vertical-align:sub}", `<p>H<span class="x down">2</span>O</p>`, "H₂O\n"},
		"by a length":            {"", `<p>10<span style="vertical-align:.4em">2</span><span style="vertical-align:-30%">3</span><span style="vertical-align:1px">4</span></p>`, "10²₃4\n"},
		"a reset of sup":         {"sup{vertical-align:baseline;position:relative;top:-.5em}", `<p>10<sup>2</sup></p>`, "10²\n"},
		"twice":                  {"", `<p>10<sup><span style="vertical-align:super">2</span></sup></p>`, "10²\n"},
		"a position of a font":   {".p{font-variant-position:super}", `<p>10<i class=p>2</i></p>`, "10²\n"},
		"not displayed":          {"", `<p>1<span style="display:none">2<br>3</span> 4</p>`, "1 4\n"},
		"the attribute":          {"", `<p>1 <span hidden>2 <b>3</b></span>4</p>`, "1 4\n"},
		"to be found":            {"", `<p>1 <span hidden="until-found">2</span></p>`, "1 2\n"},
		"displayed all the same": {".v{display:inline}", `<p>1 <span hidden class=v>2</span></p>`, "1 2\n"},
		"unseen":                 {"", `<p>1 <span style="visibility:hidden">2 <b style="visibility:visible">3</b></span></p>`, "1 3\n"},
		"a tag":                  {"del{display:none}", `<p>1 <del>2</del>3</p>`, "1 3\n"},
		"an id":                  {"#no , .x{display:none}", `<p>1 <i id=no>2</i>3</p>`, "1 3\n"},
		"a tag and classes":      {"i.a.b{display:none}", `<p><i class="b a">1</i> <i class=a>2</i> <b class="a b">3</b></p>`, "2 3\n"},
		"any":                    {"*{text-decoration:line-through}", `<p>1</p>`, "~~1~~\n"},
		"escapes":                {`.sm\:off, .\31 x{display:none}`, `<p>1 <i class="sm:off">2</i><i class="1x">3</i></p>`, "1\n"},
		"the later":              {".a{display:none}.b{display:inline}", `<p>1 <i class="b a">2</i></p>`, "1 2\n"},
		"the more special":       {"i.a{display:none}.a{display:inline}", `<p>1 <i class="a">2</i></p>`, "1\n"},
		"the attribute first":    {"#a{display:none}", `<p>1 <i id=a style="display:inline">2</i></p>`, "1 2\n"},
		"an important one":       {".a{display:none!important}", `<p>1 <i class=a style="display:inline">2</i></p>`, "1\n"},
		"what others may show":   {".a{display:none} li:hover .a{display:block}", `<p>1 <i class=a>2</i></p>`, "1 2\n"},
		"no element":             {".a::before{display:none}.a:after{display:none}", `<p>1 <i class=a>2</i></p>`, "1 2\n"},
		"of other elements":      {".x .a, .x>.a, .a:hover, .a[b]{display:none}", `<p>1 <i class=a>2</i></p>`, "1 2\n"},
		"of a screen":            {"@media only screen{.a{display:none}} @media print{.b{display:none}} @layer x{.c{display:none}}", `<p><i class=a>1</i> <i class=b>2</i> <i class=c>3</i></p>`, "2\n"},
		"of a small screen":      {"@media (max-width:600px){.a{display:none}} .b{display:none} @media (min-width:600px){.b{display:block}}", `<p><i class=a>1</i> <i class=b>2</i></p>`, "1 2\n"},
		"comments and strings":   {`/* .a{ */ @import "x;{"; .c{content:"}"} .b/**/{display:none}`, `<p><i class=a>1</i> <i class=b>2</i></p>`, "1\n"},
		"rules in rules":         {`.b{color:red; &:hover{display:none} display:none; }`, `<p><i class=b>2</i>1</p>`, "1\n"},
		"around":                 {".old{text-decoration:line-through}", `<div class=old><section><p>1</p></section></div>`, "~~1~~\n"},
		"around, hidden":         {"", `<div><div style="display:none"><p>1</p></div></div>`, ""},
		"ended by the next":      {"", `<p style="text-decoration:line-through">1<p>2`, "~~1~~\n2\n"},
		"a list":                 {"", `<ul><li style="text-decoration:line-through">1<li>2</ul>`, "~~1~~\n2\n"},
		"ended by its parent":    {"", `<div><i><span style="text-decoration:line-through">1</i> 2</div>`, "~~1~~ 2\n"},
		"a row":                  {"", `<table><tr style="text-decoration:line-through"><td>1<td>2<tr><td>3<td style="display:none">4<td>5</table>`, "~~1~~\t~~2~~\n3\t\t5\n"},
		"a formula":              {"", `<p>1 <math style="display:none"><mn>2</mn></math> 3</p>`, "1 3\n"},
		"a drawing":              {"", `<p>1 <svg style="display:none"><g><text>2</text></g></svg> 3</p>`, "1 3\n"},
		"without scripts":        {`</style><noscript><style>p{display:none}</style></noscript><style media=print>p{display:none}</style><style>`, `<p>1</p>`, "1\n"},
		"nested":                 {"", `<p>2<sup>2<sup>3</sup></sup> x<sub>1<sub>2</sub></sub> and <s>2<sup>n<sup>2</sup>+1</sup></s>7</p>`, "2^(2³) x_(1₂) and ~~2^(n²+1)~~7\n"},
		"nested for nothing":     {"", `<p>2<sup><sup>3</sup></sup>4</p>`, "2³4\n"},
		"nested, not closed":     {"", `<p>2<sup>2<sup>3</p><p>4</p>`, "2^(2³)\n4\n"},
		"nested far away":        {"", `<p>2<sup>2<b title="` + strings.Repeat("x", 2000) + `"></b><sup>3</sup></sup></p>`, "2²^³\n"},
	} {
		page := `<html><head><style>` + c.css + `</style></head><body>` + c.body + `</body></html>`
		if got := htmlblocks.Text([]byte(page), false); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		hidden := c.want
		p, err := htmlblocks.Parse(t.Context(), []byte(page), false)
		if err != nil {
			t.Fatal(err)
		}
		var blocks, evidence strings.Builder
		for n := range p.Blocks {
			blocks.WriteString(p.Text(p.Bytes(n+1), p.Look(n+1)))
			evidence.WriteString(htmlblocks.Text(p.Cut(n+1, n+1).Data, false))
		}
		// A script may show what is hidden in a page.
		c.want = htmlblocks.Text([]byte(strings.NewReplacer("display", "x", "visibility", "x", " hidden", " x").Replace(page)), false)
		if blocks.String() != c.want || evidence.String() != hidden {
			t.Errorf("%s: by blocks %q, of the evidence %q; want %q and %q", name, &blocks, &evidence, c.want, hidden)
		}
		r, err := htmlblocks.Read(t.Context(), []byte(page), false)
		if got := strings.ReplaceAll(r.Text, "\n\n", "\n"); err != nil || got != c.want && !strings.Contains(name, "row") {
			t.Errorf("%s: laid out %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// TestSheetBounds: hostile sheets take little time.
func TestSheetBounds(t *testing.T) {
	rules := strings.Repeat(".a.b{display:none}", 10_000)
	for _, css := range []string{
		rules, strings.Repeat("@media screen{", 10_000), strings.Repeat("a{", 10_000), strings.Repeat("(", 10_000) + "{}", strings.Repeat(":not(", 10_000) + "{display:none}",
		strings.Repeat("/*", 10_000), strings.Repeat(`"`, 10_001), strings.Repeat(".a", 10_000) + "{display:none}", strings.Repeat("a,", 10_000) + "a{display:none}",
	} {
		page := "<style>" + css + "</style>" + strings.Repeat(`<p class="`+strings.Repeat("a b ", 50)+`">1`, 1000)
		if got := htmlblocks.Text([]byte(page), false); got != "" && !strings.HasPrefix(got, "1\n1\n") {
			t.Errorf("%.20s: %.20q", css, got)
		}
	}
}

// FuzzSheet reads a page with any style sheet and any tag: nothing panics, and the words are
// those of the page without styles, or fewer.
func FuzzSheet(f *testing.F) {
	f.Add(".a{display:none}", "a", "")
	f.Add("@media screen and (x:1){i.a#b:not(.c[d='}'])>e{text-decoration:line-through}", "c", "vertical-align:sub")
	f.Add(`\2e a,/*`, "", "visibility:hidden;display:x")
	f.Fuzz(func(t *testing.T, css, class, style string) {
		if strings.Contains(css, "<") {
			return
		}
		got := htmlblocks.Text(fmt.Appendf(nil, `<style>%s</style><p>one <i id="b" class="%s" style="%s">two</i> three</p>`, css, html.EscapeString(class), html.EscapeString(style)), false)
		words := strings.NewReplacer("~~", "", "^", "", "_", "").Replace(got)
		switch strings.Join(strings.Fields(words), " ") {
		case "", "one three", "one two three", "two":
		default:
			t.Errorf("%q", got)
		}
	})
}
