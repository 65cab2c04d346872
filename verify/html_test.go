package verify_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/verify"
)

const rainPage = `<!DOCTYPE html>
<html><head><title>Weather</title>
<script>
var secret = "scripted words";
</script></head>
<body>
<h1 class="top">Rain &amp; <i>sun</i></h1>
<p>It rained on
<b>Mon</b>day &mdash; all <a href="x.html">day long</a>.</p>
<!-- a remark of the author -->
<ul>
<li>Take an <em>umbrella</em>.
<li>Close the &laquo;windows&raquo;.
</ul>
<table>
<tr>
<td>Monday</td>
<td>12&nbsp;mm</td>
</tr>
<tr><td>Tuesday</td><td>3 mm</td></tr>
</table>
<pre>
if (a &lt; b) {
    rain();
}
</pre>
</body></html>
`

// A part of a word or number that the page shows in another way does not hold by the
// markup.
func TestMarkupCutsShown(t *testing.T) {
	page := `<!doctype html><title>Catch</title>
<p>The catch was &minus;910 tons in all.</p>
<p>The Area 10<sup>2</sup> m is small.</p>
<p>Of these 12<b>34</b> ships sailed.</p>
<p>The load was 2&nbsp;345 tons.</p>
<p>It is not 3<span>.5</span> litres.</p>
<p>Less than &lt;5 mg of it.</p>
<p>It cost <del>100 crowns</del> 80 crowns, and <s class="old">five</s> six.</p>
<!-- a secret of 77 tons --><p title="a ship of 88 tons">Seen.</p>
`
	s := newShelf(t, map[string]string{"n.html": page})
	for quote, holds := range map[string]bool{
		"910 tons": false, "The Area 10": false, "Of these 12": false, "345 tons": false, "It is not 3": false, "5 mg of it": false,
		"34</b> ships": false, "a secret of 77 tons": true, "a ship of 88 tons": true, "10<sup>2</sup> m": true, "was &minus;910 tons": true,
		"100 crowns": false, "five": false, "80 crowns": true, "~~100 crowns~~ 80": true, "<del>100 crowns</del>": true,
		"−910 tons": true, "1234 ships": true, "3.5 litres": true, "<5 mg of it": true,
	} {
		for _, lines := range []citekit.Range{{}, {First: 2, Last: 9}} {
			at := citekit.Location{Modality: citekit.Text, Lines: lines}
			v, err := s.Quote(t.Context(), verify.Request{Quote: quote, Only: true, Address: citekit.Address{Resource: "n", Location: at}})
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Class == verify.Exact || v.Class == verify.Repaired; got != holds {
				t.Errorf("%q in %v: %s %v, want that it holds: %t", quote, lines, v.Class, v.Notes, holds)
			}
		}
	}
}

// TestHTML checks quotes of what a page shows, and of its markup.
func TestHTML(t *testing.T) {
	cp1252, err := charmap.Windows1252.NewEncoder().String(strings.ReplaceAll(rainPage, "&laquo;windows&raquo;", "«windows»"))
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	if w, err := z.Create("rain.html"); err != nil {
		t.Fatal(err)
	} else if _, err = w.Write([]byte(rainPage)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	s := newShelf(t, map[string]string{
		"rain.html": rainPage, "old.htm": cp1252, "crlf.html": strings.ReplaceAll(rainPage, "\n", "\r\n"),
		"mac.html": strings.ReplaceAll(rainPage, "\n", "\r"), "flat.html": strings.ReplaceAll(strings.ReplaceAll(rainPage, "\n", " "), "> <", "><"),
		"wide.html": utf16Of(rainPage), "unnamed": rainPage, "pages.zip": archive.String(),
	})
	for _, c := range []struct{ quote, at, want string }{
		{"Rain & sun", "lines=7", "exact lines=7-7"},
		{"It rained on Monday — all day long.", "lines=8-9", "exact lines=8-9"},
		{"It rained on Monday — all day long.", "", "exact lines=8-9"},
		{"Monday — all day long", "lines=8", "elsewhere lines=9-9"},
		{"Take an umbrella.", "lines=12", "exact lines=12-12"},
		{"Take an umbrella. Close the «windows».", "lines=12-13", "exact lines=12-13"},
		{"Monday 12 mm", "lines=16-19", "exact lines=17-18"},
		{"12 mm", "lines=18", "exact lines=18-18"},
		{"Monday", "lines=18", "elsewhere lines=9-9"},
		{"Tuesday 3 mm", "lines=20", "exact lines=20-20"},
		{"if (a < b) { rain(); }", "lines=23-25", "exact lines=23-25"},
		{"It rained on Tuesday — all day long.", "lines=8-9", "altered lines=8-9"},

		{`<h1 class="top">Rain &amp; <i>sun</i></h1>`, "lines=7", "exact lines=7-7 markup"},
		{`<h1 class="top">Rain`, "lines=9", "elsewhere lines=7-7 markup"},
		{`<h1 class="top">Rain`, "", "exact lines=7-7 markup"},
		{"a remark of the author", "lines=10", "exact lines=10-10 markup"},
		{`var secret = "scripted words";`, "lines=3-5", "exact lines=4-4 markup"},
		{"<title>Weather</title>", "lines=2", "exact lines=2-2 markup"},
		{"<title>Sunshine</title>", "lines=2", "not_found"},
	} {
		for _, id := range []string{"rain", "old", "crlf", "mac", "wide", "unnamed", "pages"} {
			req := verify.Request{Quote: c.quote, Only: true}
			req.Address = citekit.Address{Resource: id, Location: citekit.Location{Modality: citekit.Text}}
			member := ""
			if id == "pages" {
				req.Address.Location.Member, member = "rain.html", "member=rain.html&"
			}
			if c.at != "" {
				loc, err := citekit.ParseAddress("text://x#" + c.at)
				if err != nil {
					t.Fatal(err)
				}
				req.Address.Location.Lines = loc.Location.Lines
			}
			v, err := s.Quote(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			got := string(v.Class)
			if v.Problem != nil {
				got += " " + v.Problem.Error()
			}
			if v.Class != verify.NotFound {
				_, at, _ := strings.Cut(v.Address.String(), "#")
				got += " " + strings.TrimPrefix(at, member)
			}
			if strings.Contains(fmt.Sprint(v.Notes), "markup") {
				got += " markup"
			}
			if want := c.want; got != want {
				t.Errorf("%q at %s of %s: %s, want %s (%v, %q)", c.quote, c.at, id, got, want, v.Repairs, v.Notes)
			}
		}
	}
	v, err := s.Quote(t.Context(), verify.Request{Quote: "It rained on Monday — all day long. Take an umbrella.", Address: citekit.Address{Resource: "flat"}})
	if err != nil || v.Class == verify.NotFound || v.Address.Location.Lines != (citekit.Range{First: 1, Last: 1}) {
		t.Errorf("on one line: %+v, %v", v, err)
	}
}

// TestTagsJoinNoWords quotes words that tags stand between, and numbers above the line.
func TestTagsJoinNoWords(t *testing.T) {
	page := "<table><tr><td>Item no</td><td>thing bought</td></tr></table>\n<ul><li>It is not</li><li>able and quick</li></ul>\n" +
		"<p>There he had no<br>thing to say.</p><p>He has no</p><p>table.</p>\n<h2>We can</h2><p>not do that today.</p>\n<p>The speed was 10<sup>2</sup> metres.</p>"
	s := newShelf(t, map[string]string{"page.html": page, "page.md": "There he had no<br>thing to say.\n"})
	for _, c := range []struct {
		quote, id string
		holds     bool
	}{
		{"Item nothing bought", "page", false},
		{"It is notable and quick", "page", false},
		{"There he had nothing to say.", "page", false},
		{"There he had nothing to say.", "page-md", false},
		{"He has notable.", "page", false},
		{"We cannot do that today.", "page", false},
		{"The speed was 102 metres.", "page", false},
		{"The speed was 10² metres.", "page", true},
		{"There he had no thing to say.", "page", true},
	} {
		v, err := s.Quote(t.Context(), verify.Request{Quote: c.quote, Only: true, Address: citekit.Address{Resource: c.id, Location: citekit.Location{Modality: citekit.Text}}})
		if err != nil || v.Problem != nil || v.Holds() != c.holds {
			t.Errorf("%q in %s: %+v, %v", c.quote, c.id, v, err)
		}
	}
}

// utf16Of returns ASCII and Latin text in UTF-16.
func utf16Of(text string) string {
	out := []byte{0xff, 0xfe}
	for _, r := range text {
		out = append(out, byte(r), byte(r>>8))
	}
	return string(out)
}
