package htmlblocks_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

func parse(t testing.TB, src string, xml bool) *htmlblocks.Page {
	t.Helper()
	p, err := htmlblocks.Parse(t.Context(), []byte(src), xml)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBlocks(t *testing.T) {
	for _, test := range []struct {
		src  string
		xml  bool
		want []string
	}{
		{src: "<!DOCTYPE html><title>T</title><p>a<p>b\n<h1>c</h1>", want: []string{"<p>a", "<p>b", "<h1>c</h1>"}},
		{src: "<body><div id=x><section><p>a</p> words <b>bold</b> <img src=x>\n</section></div>tail</body>",
			want: []string{"<p>a</p>", "words <b>bold</b> <img src=x>", "tail"}},
		{src: "<div><script>var p = '<p>no</p>'</script><ul><li>a<li>b<ul><li>c</ul></ul><!-- c --><hr><noscript><p>n</p></noscript></div>",
			want: []string{"<ul><li>a<li>b<ul><li>c</ul></ul>", "<hr>"}},
		{src: "<table><tr><td><div>a</td></div><td><p>b</td></table><p>c", want: []string{"<table><tr><td><div>a</td></div><td><p>b</td></table>", "<p>c"}},
		{src: "<div><p>a</div>b", want: []string{"<p>a", "b"}},
		{src: "<a href=x><p>a</p><p>b</p></a><p>c</p>", want: []string{"<p>a</p>", "<p>b</p>", "<p>c</p>"}},
		{src: "<a href=x><p>a</p></a>", xml: true, want: []string{"<p>a</p>"}},
		{src: "<i>x<p>a</p></i>", xml: true, want: []string{"<i>x<p>a</p></i>"}},
		{src: "<i>x<p>a</p></i>", want: []string{"<i>x", "<p>a</p>"}},
		{src: "<p>a<b>b</p></b><p>c<br/>d</p>", want: []string{"<p>a<b>b</p>", "<p>c<br/>d</p>"}},
		{src: "<html><head><script src='a'/><title/></head><body><p/><div/><p>x</p></body></html>", xml: true, want: []string{"<p/>", "<p>x</p>"}},
		{src: "<p><svg><title>t</title><p></p></svg></p><h1>a<h2>b", want: []string{"<p><svg><title>t</title><p></p></svg></p>", "<h1>a", "<h2>b"}},
		{src: "<blockquote><p>a</p><p>b</p></blockquote><blockquote>c</blockquote>", want: []string{"<p>a</p>", "<p>b</p>", "c"}},
		{src: "<a name=top></a><br>", want: nil},
		{src: "", want: nil},
	} {
		p := parse(t, test.src, test.xml)
		var got []string
		for n := range p.Blocks {
			got = append(got, string(p.Bytes(n+1)))
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", test.want) {
			t.Errorf("%q:\n got %q\nwant %q", test.src, got, test.want)
		}
	}
}

const page = "\ufeff<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8><meta name=author content=me>\n" +
	"<title>A &amp; B</title><script>x</script><style>p { color: red }</style>\n<link rel=stylesheet href=a.css><link rel=author href=me>\n" +
	"</head>\n<body class=c>\n<div class=d><p>one<script>y()</script></p>\n<div><p>two</p></div></div><p>three</p>\n</body>\n</html>\n"

func TestCut(t *testing.T) {
	p := parse(t, page, false)
	cut := p.Cut(1, 3)
	want := "\ufeff<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n" +
		"<title>A &amp; B</title>\n<style>p { color: red }</style>\n<link rel=stylesheet href=a.css>\n" +
		"</head>\n<body class=c>\n<div class=d><p>one</p>\n<div><p>two</p>\n</div></div><p>three</p>\n</body></html>\n"
	if string(cut.Data) != want || cut.Scripts != 2 {
		t.Errorf("%d scripts, got\n%s\nwant\n%s", cut.Scripts, cut.Data, want)
	}
	again := parse(t, string(cut.Data), false)
	if len(again.Blocks) != 3 || string(again.Cut(1, 3).Data) != want {
		t.Errorf("the cut of the cut has %d blocks:\n%s", len(again.Blocks), again.Cut(1, 3).Data)
	}
}

func TestText(t *testing.T) {
	for src, want := range map[string]string{
		"<p>a  b\n<b>c</b>d &amp;<br>e</p>": "a b cd &\ne\n",
		"<ul><li>a<li> b </ul>":             "a\nb\n",
		"<table><caption>C</caption><tr><th>a<td><p>b</p><p>c</p><tr><td><td>d</table>": "C\na\tb c\n\td\n",
		"<pre>a\n  b\r\nc</pre>":                        "a\n  b\nc\n",
		"x<script>no</script><style>n</style>\n y ":     "x y\n",
		"<svg><title>t</title><path/></svg>":            "t\n",
		"":                                              "",
		"<p>10<sup>2</sup>, the 5<sup>th</sup>":         "10², the 5th\n",
		"<td>x<sup>2<td>34<sup>-1</sup>":                "x²\t34⁻¹\n",
		"<td><ruby>月<rp>(</rp><rt>つき<rp>)</ruby>は":      "月つきは\n",
		"<blockquote><p>a</p><div>b</div></blockquote>": "a\nb\n",
	} {
		if got := htmlblocks.Text([]byte(src), false); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	p := parse(t, "<title>t</title><table class=x><thead><tr><th>a<th colspan=2>b</thead><tr class=y><td rowspan=2>c</td><td>d</td><td>e</td></tr>"+
		"<tr><td><table><tr><td>in</table></td><td>f</td></tr></table>", false)
	table := p.Table(1)
	if table == nil || table.Rows != 3 || table.Cols != 3 {
		t.Fatalf("table %+v", table)
	}
	cut, reached := p.CutCells(1, table, htmlblocks.Span{Start: 2, End: 3}, htmlblocks.Span{Start: 1, End: 2})
	want := "<title>t</title>\n<table class=x>\n<tr class=y><td rowspan=2>c</td><td>d</td></tr>\n<tr><td><table><tr><td>in</table></td></tr>\n</table>\n"
	if string(cut.Data) != want || reached != 0 {
		t.Errorf("%d reach in, got\n%s\nwant\n%s", reached, cut.Data, want)
	}
	cut, reached = p.CutCells(1, table, htmlblocks.Span{Start: 1, End: 1}, htmlblocks.Span{Start: 3, End: 3})
	if reached != 1 || !strings.Contains(string(cut.Data), "<tr><td></td></tr>") {
		t.Errorf("%d reach in:\n%s", reached, cut.Data)
	}
	if parse(t, "<p>a", false).Table(1) != nil {
		t.Error("a paragraph is a table")
	}
}

// TestTableSpans has cells that end with their group of rows.
func TestTableSpans(t *testing.T) {
	for _, test := range []struct {
		src  string
		xml  bool
		want string
	}{
		{src: "<thead><tr><th rowspan=2>A<th>B<th>C</thead><tbody><tr><td>1<td>2<td>3<tr><td>4<td>5<td>6</tbody>", want: "A1 B1 C1 A2 B2 C2 A3 B3 C3"},
		{src: "<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d", want: "A1:A3 B1 B2 B3"},
		{src: "<tbody><tr><td rowspan=0 colspan=2>a<td>b<tr><td>c</tbody><tbody><tr><td>d", want: "A1:B2 C1 C2 A3"},
		{src: "<tr><td rowspan=9>a<td>b<tr><td>c", want: "A1:A2 B1 B2"},
		{src: "<tr><td rowspan=2>a<td>b<tbody><tr><td>c", want: "A1 B1 A2"},
		{src: "<tr><td rowspan=2>a<td>b</tbody><tr><td>c", want: "A1 B1 A2"},
		{src: "<tbody><tr><td rowspan=3>a<td>b</tr></tbody><tr><td>c<td>d<tr><td>e", want: "A1 B1 A2 B2 A3"},
		{src: "<tr><td rowspan=2>a<td>b</tr><col><tr><td>c", want: "A1 B1 A2"},
		{src: "<thead><tr><td rowspan=2>a<td>b<tfoot><tr><td rowspan=2>c<td>d<tr><td>e", want: "A1 B1 A2:A3 B2 B3"},
		{src: "<tr><td rowspan='2'>a</td></tr><tr><td>b</td></tr><tbody><tr><td>c</td></tr></tbody>", xml: true, want: "A1:A2 B2 A3"},
		{src: "<tr><td rowspan='0'>a</td></tr><tr><td>b</td></tr><tbody/><tr><td>c</td></tr>", xml: true, want: "A1:A2 B2 A3"},
		{src: "<tr><td rowspan=-1>a<td rowspan=x>b<tr><td>c", want: "A1 B1 A2"},
	} {
		src := "<table>" + test.src + "</table>"
		p := parse(t, src, test.xml)
		table := p.Table(1)
		if got := placesOf(table); got != test.want {
			t.Errorf("%s: got %s, want %s", src, got, test.want)
			continue
		}
		cut, _ := p.CutCells(1, table, htmlblocks.Span{Start: 1, End: table.Rows}, htmlblocks.Span{Start: 1, End: table.Cols})
		got := strings.Fields(placesOf(parse(t, string(cut.Data), test.xml).Table(1))) // with those that were empty
		for _, place := range strings.Fields(test.want) {
			if !slices.Contains(got, place) {
				t.Errorf("the cut of %s has %s, not %s:\n%s", src, got, place, cut.Data)
			}
		}
	}
}

// placesOf returns the places of the cells of a table.
func placesOf(table *htmlblocks.Table) string {
	var all []string
	for c := range table.Cells() {
		place := fmt.Sprintf("%c%d", 'A'+c.Col-1, c.Row)
		if c.Rows*c.Cols > 1 {
			place += fmt.Sprintf(":%c%d", 'A'+c.Col+c.Cols-2, c.Row+c.Rows-1)
		}
		all = append(all, place)
	}
	return strings.Join(all, " ")
}

// TestFeet has feet of tables that stand before their bodies, and are shown after them.
func TestFeet(t *testing.T) {
	for _, test := range []struct {
		src     string
		headers int
		want    string
	}{
		{"<thead><tr><th>h<th>i</thead><tfoot><tr><td rowspan=2>f<td>g<tr><td>e</tfoot><tbody><tr><td rowspan=2>a<td>b<tr><td>c", 1, "A1=h B1=i A2:A3=a B2=b B3=c A4:A5=f B4=g B5=e"},
		{"<tfoot><tr><td>f</tfoot><thead><tr><td>h</thead><tr><td>a<tfoot><tr><td>g", 1, "A1=h A2=a A3=f A4=g"},
		{"<tfoot><tr><td>f</tfoot>", 0, "A1=f"},
		{"<tr><td>a<tfoot><tr><td>f</tfoot>", 0, "A1=a A2=f"},
	} {
		p := parse(t, "<table>"+test.src+"</table>", false)
		table := p.Table(1)
		places := strings.Fields(placesOf(table))
		for c := range table.Cells() {
			cell, begins := p.CellBytes(table, c.Row, c.Col)
			if !begins || string(cell) != string(p.Part(c.Span)) {
				t.Errorf("%s: %q begins %v at row %d, column %d", test.src, cell, begins, c.Row, c.Col)
			}
			i := slices.IndexFunc(places, func(place string) bool { return !strings.Contains(place, "=") })
			places[i] += "=" + strings.TrimSpace(htmlblocks.Text(cell, false))
		}
		if got := strings.Join(places, " "); got != test.want || table.Headers != test.headers {
			t.Errorf("%s: %s, %d headers; want %s, %d", test.src, got, table.Headers, test.want, test.headers)
		}
		cut, _ := p.CutCells(1, table, htmlblocks.Span{Start: 1, End: 1}, htmlblocks.Span{Start: 1, End: 1})
		if first, _, _ := strings.Cut(test.want[3:], " "); !strings.Contains(string(cut.Data), "<td>"+first) && !strings.Contains(string(cut.Data), "<th>"+first) {
			t.Errorf("%s: its first cell is cut as %s", test.src, cut.Data)
		}
	}
}

// TestHostilePages has pages that would take long if each tag went through all
// that are open.
func TestHostilePages(t *testing.T) {
	size := 1 << 15
	if sharedtest.Long() {
		size = 1 << 20
	}
	for _, part := range []string{"<div>", "<b>", "<b><div>", "</b>", "<table><tr><td>", "<td>", "<p><b>", "<a><p></a>", "<hr>", "<svg>", "<!--", "<li><i>"} {
		src := strings.Repeat(part, size/len(part)) + strings.Repeat("</b></div>", size/16)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		p, err := htmlblocks.Parse(ctx, []byte(src), false)
		if err != nil {
			t.Errorf("%s: %v", part, err)
		} else if len(p.Blocks) > 0 {
			p.Cut(1, len(p.Blocks))
			p.Table(1)
			htmlblocks.Text(p.Bytes(1), false)
		}
		cancel()
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(page), false)
	f.Add([]byte("<table><tr><td rowspan=3>a<td>b<p>c</table>x<p><a><div>"), true)
	f.Add([]byte("<a><svg><title></a><template><p></template><xmp><p></xmp>&amp"), false)
	f.Fuzz(func(t *testing.T, src []byte, xml bool) {
		p, err := htmlblocks.Parse(t.Context(), src, xml)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for n, b := range p.Blocks {
			if b.Start < end || b.End <= b.Start || b.End > len(src) {
				t.Fatalf("block %d is %v behind %d of %d", n+1, b.Span, end, len(src))
			}
			end = b.End
			htmlblocks.Text(p.Bytes(n+1), xml)
			if table := p.Table(n + 1); table != nil && table.Rows > 0 && table.Cols > 0 {
				p.CutCells(n+1, table, htmlblocks.Span{Start: 1, End: table.Rows}, htmlblocks.Span{Start: 1, End: table.Cols})
			}
		}
		if n := len(p.Blocks); n > 0 {
			p.Cut(1, n)
		}
	})
}
