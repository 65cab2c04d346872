package htmlblocks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// read returns what a page shows, with the lines of the page before each line.
func read(t testing.TB, src string, xml bool) string {
	t.Helper()
	r, err := htmlblocks.Read(t.Context(), []byte(src), xml)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := 0
	for line := range strings.Lines(r.Text) {
		if line != "\n" {
			first, last := r.Lines(at, at+len(line))
			if b.WriteString(fmt.Sprint(first)); last > first {
				fmt.Fprintf(&b, "-%d", last)
			}
			b.WriteString(" ")
		}
		b.WriteString(line)
		at += len(line)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		src  string
		xml  bool
		want string
	}{
		{src: "<!DOCTYPE html>\n<title>T</title>\n<h1>Rain &amp; <i>sun</i></h1>\n<p>It rained\n  on <b>Monday</b>.\n<p>Then &lt;it&gt;\nstopped.",
			want: "3 Rain & sun\n\n4 It rained\n5 on Monday.\n\n6 Then <it>\n7 stopped.\n"},
		{src: "<p>see <a\nhref=x>the</a\n> docs and un<b\nclass=c>able</b>", want: "1 see\n2 the\n3-4 docs and unable\n"},
		{src: "<pre>\na  b\n\n  c &lt;\n</pre>\n<p>d", want: "2 a  b\n\n4   c <\n\n6 d\n"},
		{src: "<ul><li>a<li>b <p>more</p>\n<ol start=3><li>c</li>\n<li>d</ol></ul>e<dl><dt>f<dd>g</dl>", want: "1 a\n\n1 b\n\n1 more\n\n2 c\n\n3 d\n\n3 e\n\n3 f\n3 g\n"},
		{src: "<table>\n<tr>\n<th>day</th>\n<th>mm</th>\n</tr>\n<tr><td><p>Mon</p></td><td></td><td><p>3\nor 4</p></td></tr>\n</table>x", want: "3-4 day\tmm\n6-7 Mon\t\t3 or 4\n\n8 x\n"},
		{src: "<table><tr><td>menu</td><td><h1>Top</h1>\n<p>one</p><p>two</p></td><td>side</td></tr><tr><td>a<td>b</table>", want: "1 menu\n\n1 Top\n\n2 one\n\n2 two\n\n2 side\n2 a\tb\n"},
		{src: "<script>\nvar a = '<p>no</p>'\n</script><style>\nb</style><!-- no\n --><template><template>n</template>no</template><iframe>no</iframe>yes", want: "5 yes\n"},
		{src: "a&#10;b&NewLine;c\nd &#13;e\rf", want: "1 a b c\n2 d e f\n"},
		{src: "one<br>two<br><br>three<div>four</div>", want: "1 one\n1 two\n\n1 three\n\n1 four\n"},
		{src: "<?xml version='1.0'?>\n<html><head><title/><script/></head><body><p/>\n<![CDATA[a < b\nc]]> d<br/>e</body></html>", xml: true, want: "3 a < b\n4 c d\n4 e\n"},
		{src: "<p>x<math><semantics><mi>y</mi><annotation>\\y</annotation></semantics></math>", want: "1 xy\n"},
		{src: "<p>10<sup>2</sup> m, 10<sup>&minus;3</sup>, the 5<sup>th</sup>, as said<sup>12</sup>.<p>x<sup>2<p>34", want: "1 10² m, 10⁻³, the 5th, as said¹².\n\n1 x²\n\n1 34\n"},
		{src: "<ruby>潮汐<rp>(</rp><rt>ちょうせき</rt><rp>)</rp></ruby>は<ruby>月<rp>(<rt>つき<rp>)</ruby>だ", want: "1 潮汐ちょうせきは月つきだ\n"},
		{src: "<pre>a" + strings.Repeat("\n", 1<<20+1) + "b</pre>", want: ""},
		{src: "", want: ""},
		{src: "<p></p>\n\n", want: ""},
	} {
		if got := read(t, test.src, test.xml); got != test.want {
			t.Errorf("%q:\n got %q\nwant %q", test.src, got, test.want)
		}
	}
}

// TestReadSpans has the text of each line of a page put together again.
func TestReadSpans(t *testing.T) {
	src := "<h1>a</h1>\n\n<table>\n<tr><td>b\n<td>c</tr></table><p>d</p><p>e\nf"
	r, err := htmlblocks.Read(t.Context(), []byte(src), false)
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for line := range strings.Count(src, "\n") + 1 {
		part := r.Span(line+1, line+1)
		all += r.Text[part.Start:part.End]
		if part.Start < part.End {
			if first, last := r.Lines(part.Start, part.End); first != line+1 || last != line+1 {
				t.Errorf("%q of line %d stands on %d-%d", r.Text[part.Start:part.End], line+1, first, last)
			}
		}
	}
	if all != r.Text {
		t.Errorf("together %q, want %q", all, r.Text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("<table><tr><td>a\n<td><ul><li>b<pre>\nc\n</table>&#10;x<svg><title>t", true)
	f.Add("<ol start=9><li><p>a\r\n<br><br></ol>b&amp;c\n", false)
	f.Fuzz(func(t *testing.T, src string, xml bool) {
		src = strings.ToValidUTF8(src, "?")
		r, err := htmlblocks.Read(t.Context(), []byte(src), xml)
		if err != nil {
			t.Fatal(err)
		}
		if r.Text == "" {
			return
		}
		first, last := r.Lines(0, len(r.Text))
		if first < 1 || last < first || last > strings.Count(src, "\n")+1 || !strings.HasSuffix(r.Text, "\n") {
			t.Fatalf("%q stands on lines %d-%d", r.Text, first, last)
		}
		if whole := r.Span(first, last); whole.Start != 0 || whole.End != len(r.Text) {
			t.Fatalf("lines %d-%d have %v of %d", first, last, whole, len(r.Text))
		}
		words := strings.Join(strings.Fields(htmlblocks.Text([]byte(src), xml)), "")
		if shown := strings.Join(strings.Fields(r.Text), ""); len(shown) < len(words) {
			t.Fatalf("%q has less than %q", shown, words)
		}
	})
}
