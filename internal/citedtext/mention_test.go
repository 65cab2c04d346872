package citedtext_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/citedtext"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

func written(text string) []string {
	var all []string
	for m := range citedtext.Mentions(text) {
		s := text[m.From:m.To]
		if m.Err != nil {
			s = "bad " + s
		}
		if m.Fenced {
			s = "fenced " + s
		}
		all = append(all, s)
	}
	return all
}

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"bare", "see doc://book#pages=3-5 and text://notes#lines=1.", []string{"doc://book#pages=3-5", "text://notes#lines=1"}},
		{"brackets", "[doc://book#pages=3] (video://v#t=1:20-2:00), <audio://a#t=5->", []string{"doc://book#pages=3", "video://v#t=1:20-2:00", "audio://a#t=5-"}},
		{"link", "[page 3](doc://book#pages=3&v=0123abcd \"title\")", []string{"doc://book#pages=3&v=0123abcd"}},
		{"reference", "[^1]: doc://fhs-3.0#pages=1,3,5-9", []string{"doc://fhs-3.0#pages=1,3,5-9"}},
		{"end of a sentence", "So says doc://book. And text://b#lines=3-9: yes; image://c!", []string{"doc://book", "text://b#lines=3-9", "image://c"}},
		{"emphasis", "_doc://book_ *doc://b_c* ~~doc://d~~ **doc://e_**", []string{"doc://book", "doc://b_c", "doc://d", "doc://e_"}},
		{"code", "`doc://book#pages=3`", []string{"doc://book#pages=3"}},
		{"escapes", `<a href="doc://b#pages=3&amp;v=01234567">`, []string{"doc://b#pages=3&amp;v=01234567"}},
		{"backslashes", `doc://a\_b#pages=3 doc://c\\d`, []string{`doc://a\_b#pages=3`, `doc://c`}},
		{"percent", "doc://M%C3%BCnchen#pages=1", []string{"doc://M%C3%BCnchen#pages=1"}},
		{"commas", "doc://b#pages=1, doc://c#pages=1-, doc://d#", []string{"doc://b#pages=1", "doc://c#pages=1", "doc://d"}},
		{"names", "[doc://b#sheet=Q4%20Results&cells=D2:E3] `text://d#rows=2&cols=name,unit_price` (doc://w#table=a_b~c) text://z#member=my%20docs/a.zip!/read%20me.txt&lines=2-2!",
			[]string{"doc://b#sheet=Q4%20Results&cells=D2:E3", "text://d#rows=2&cols=name,unit_price", "doc://w#table=a_b~c", "text://z#member=my%20docs/a.zip!/read%20me.txt&lines=2-2"}},
		{"ends of names", "See text://d#cols=price. Or doc://b#sheet=R%26D, **text://z#member=a/b.txt**! text://z#member=a! <text://z#member=a!>, [x](text://z#member=a. \"b\")",
			[]string{"text://d#cols=price", "doc://b#sheet=R%26D", "text://z#member=a/b.txt", "text://z#member=a", "text://z#member=a!", "text://z#member=a."}},
		{"emphasis around names", "_text://d#cols=a_b_, ~~doc://b#sheet=Q4~~ _see doc://b#sheet=Q4_; snake_case text://d#cols=a_ *text://d#cols=_a_*",
			[]string{"text://d#cols=a_b", "doc://b#sheet=Q4", "doc://b#sheet=Q4", "text://d#cols=a_", "text://d#cols=_a_"}},
		{"numbers have no names", "doc://b#pages=3_ doc://b#pages=3/4 doc://b#pages=3!", []string{"doc://b#pages=3", "doc://b#pages=3", "doc://b#pages=3"}},
		{"half an escape", "doc://b#sheet=Q4%2 doc://b#pages=3%2C5 doc://b#sheet=50%", []string{"bad doc://b#sheet=Q4%2", "bad doc://b#pages=3%2C5", "doc://b#sheet=50"}},
		{"written in JSON and HTML", `"text://d#rows=2\u0026cols=a" \u003ctext://d#rows=2\u0026amp;cols=a\u003e text://d#rows=2&#38;cols=a &lt;text://d#rows\u003d2&#x26;cols=a&gt; text://d#rows=2&amp;cols=a&quot; text://d#rows=2\n`,
			[]string{`text://d#rows=2\u0026cols=a`, `text://d#rows=2\u0026amp;cols=a`, "text://d#rows=2&#38;cols=a", `text://d#rows\u003d2&#x26;cols=a`, "text://d#rows=2&amp;cols=a", "text://d#rows=2"}},
		{"not escaped", "doc://b#sheet=R&D text://d#rows=2&copy;", []string{"bad doc://b#sheet=R&D", "bad text://d#rows=2&copy"}},
		{"signs in between", "doc://b#sheet=R/D&cells=D2, [doc://b#sheet=Zürich&cells=D2] text://d#rows=2;cols=a. doc://b#pages=3/doc://c#sheet=x&cells=B2 doc://b#pages=3;see doc://c doc://b#pages=3（t=5） doc://b#pages=3、t=5 &lt;doc://b#pages=3&gt;t=5",
			[]string{"doc://b#sheet=R/D&cells=D2", "doc://b#sheet=Zürich&cells=D2", "bad text://d#rows=2;cols=a", "doc://b#pages=3", "doc://c#sheet=x&cells=B2", "doc://b#pages=3", "doc://c", "doc://b#pages=3", "doc://b#pages=3", "doc://b#pages=3"}},
		{"letters of all scripts", "doc://Bücher#pages=1 [doc://日本語#pages=1] doc://Q4売上#pages=2 см. doc://книга#pages=3, doc://b#sheet=Übersicht. doc://b#sheet=売上&cells=D2 text://d#cols=名前,値段 text://z#member=dokümente/lies mich doc://हिन्दी#pages=1",
			[]string{"doc://Bücher#pages=1", "doc://日本語#pages=1", "doc://Q4売上#pages=2", "doc://книга#pages=3", "doc://b#sheet=Übersicht", "doc://b#sheet=売上&cells=D2", "text://d#cols=名前,値段", "text://z#member=dokümente/lies", "doc://हिन्दी#pages=1"}},
		{"text of scripts without spaces", "doc://bookを参照、doc://日本語。「doc://本」、（doc://本）【doc://本#pages=3】doc://book#pages=3を見る doc://b#sheet=Resultsの表 doc://b#sheet=S&cells=D2を doc://日本語：次 doc://book¹ doc://Bücher，然后",
			[]string{"doc://book", "doc://日本語", "doc://本", "doc://本", "doc://本#pages=3", "doc://book#pages=3", "doc://b#sheet=Results", "doc://b#sheet=S&cells=D2", "doc://日本語", "doc://book", "doc://Bücher"}},
		{"names with spaces", "doc://My Book#pages=3 doc://b#sheet=Q4 Results", []string{"doc://My", "doc://b#sheet=Q4"}},
		{"wrong with letters", "doc://b#pages=x&sheet=ü", []string{"bad doc://b#pages=x&sheet=ü"}},
		{"own modality", "mail://box#lines=3", []string{"mail://box#lines=3"}},
		{"URLs", "https://example.org/?q=doc://a file://etc/doc://b xdoc://c", []string{"xdoc://c"}},
		{"virtual", "virtual://a/doc://b doc://c", []string{"doc://c"}},
		{"bad", "doc://book#page=3 doc://b#pages=0 mail://x#y", []string{"bad doc://book#page=3", "bad doc://b#pages=0", "bad mail://x#y"}},
		{"schemes that are meant", "document://book#pages=9, DOC://book and Video://v#t=1-2; docs://book, HTTPS://x/doc://y VIRTUAL://doc://z",
			[]string{"bad document://book#pages=9", "bad DOC://book", "bad Video://v#t=1-2", "docs://book"}},
		{"nothing", ":// doc:// doc://# ://a /doc://", nil},
		{"wide", "「doc://book#pages=3」、doc://b。", []string{"doc://book#pages=3", "doc://b"}},
		{"fences", "a doc://a\n```md\ndoc://b\n~~~\n```\ndoc://c\n> ~~~~\n> doc://d\n> ~~~\ndoc://e\n- 1. ```\n     doc://f\n     ```\n  doc://g\n``` a `doc://h`\n",
			[]string{"doc://a", "fenced doc://b", "doc://c", "fenced doc://d", "doc://e", "fenced doc://f", "doc://g", "doc://h"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, written(c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMentionsTellWhere(t *testing.T) {
	text := "one\r\ntwo [x](doc://a\\_b#pages=4&amp;v=0123ABCD)\r\n"
	var got []citedtext.Mention
	for m := range citedtext.Mentions(text) {
		got = append(got, m)
	}
	from := strings.Index(text, "doc")
	want := []citedtext.Mention{{
		From: from, To: strings.Index(text, ")"), Fragment: strings.Index(text, "#"), Line: 2, And: "&amp;",
		Address: citekit.Address{Resource: "a_b", Version: "0123abcd", Location: citekit.Location{
			Modality: citekit.Document, Pages: []citekit.Range{{First: 4, Last: 4}}}},
		Modality: citekit.Document, ID: "a_b",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMentionsEndEarly(t *testing.T) {
	n := 0
	for range citedtext.Mentions("doc://a doc://b\ndoc://c") {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d mentions", n)
	}
}

// Every address that is written in a form that others use is found again. The
// name replaces "*" in the fragment.
func FuzzAddresses(f *testing.F) {
	for i, fragment := range []string{
		"pages=3-5&v=01234567", "lines=3-5", "t=1-", "t=1:20-2:00.5", "bbox=0.1,0.2,0.5,1", "pages=3&bbox=0,0,0.5,0.5", "blocks=7&cells=B5:D10",
		"sheet=*&cells=B5:D10", "sheet=*&rows=2-3", "sheet=*&cols=B:D", "table=*&rows=5&cols=*,b,*", "cols=*", "rows=2&cols=*,price", "part=2.1", "part=3-4&blocks=2",
		"message=3&part=1.2&lines=2-3", "member=*", "member=*!/*&lines=2-3", "member=a/*&sheet=*", "v=01234567", "",
	} {
		for j, name := range []string{"Results", "R&D", "Q4 Results", "my docs/read me.txt", "a_b~c", "Zürich", "x!", "50%", "a:b,c"} {
			f.Add("book", fragment, name, 3*i+j)
		}
	}
	f.Add("a b_c.d", "lines=3-5", "", 1)
	f.Add("日本語", "lines=3-5", "", 1)
	forms := []string{
		"%s", "see %s, then", "[x](%s)", "<%s>", "“%s”", "`%s`", "(%s).", "[^1]: %s\r\n", "[%s]", "**%s**", "*%s*, so", "_%s_", "~~%s~~", "| %s | x |", "%s!", "[x](%s \"t\")", "%s: so",
		"{\"address\":\"%s\"}", "<a href=\"%s\">",
	}
	f.Fuzz(func(t *testing.T, id, fragment, name string, form int) {
		fragment = strings.ReplaceAll(fragment, "*", url.PathEscape(name))
		n := int(uint(form) % uint(len(forms)))
		for _, modality := range []citekit.Modality{citekit.Document, citekit.Video, citekit.Audio, citekit.Image, citekit.Text, citekit.Virtual} {
			a, err := citekit.ParseAddress(citekit.Address{Resource: "x", Location: citekit.Location{Modality: modality}}.String())
			if err != nil {
				t.Fatal(err)
			}
			scheme, _, _ := strings.Cut(a.String(), "://")
			a, err = citekit.ParseAddress(scheme + "://" + id + "#" + fragment)
			if err != nil || modality == citekit.Virtual {
				continue
			}
			written := a.String()
			if strings.ContainsAny(written[len(written)-1:], ".:!_~") && !strings.ContainsAny(forms[n], "<") {
				continue // the sign may belong to the sentence
			}
			switch forms[n][0] {
			case '{':
				written = strings.ReplaceAll(written, "&", `\u0026`)
			case '<':
				written = strings.ReplaceAll(written, "&", "&amp;")
			}
			text := fmt.Sprintf(strings.ReplaceAll(forms[n], "%s", "%[1]s"), written)
			found := false
			for m := range citedtext.Mentions(text) {
				if found = true; !m.Address.Equal(a) {
					t.Fatalf("%q: %v, want %v", text, m.Address, a)
				}
				break
			}
			if !found {
				t.Fatalf("%q: no address", text)
			}
		}
	})
}

func FuzzMentions(f *testing.F) {
	f.Add("a doc://b#pages=3, https://x/doc://c _doc://d_ ```\n> ~~~\ndoc://\\_")
	f.Add("doc://c%%%% doc://c%%%%#lines=1")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for m := range citedtext.Mentions(text) {
			if m.From < last || m.Fragment <= m.From || m.To < m.Fragment || m.To > len(text) {
				t.Fatalf("%+v after %d in %q", m, last, text)
			}
			if m.Err == nil && m.Address.Validate() != nil {
				t.Fatalf("%+v is no address", m)
			}
			last = m.To
		}
	})
}

func TestMentionsInHostileTexts(t *testing.T) {
	n := 1 << 15
	if sharedtest.Long() {
		n = 1 << 20
	}
	for _, text := range []string{
		strings.Repeat("a", n) + "://b", "doc://" + strings.Repeat("a", n), strings.Repeat("doc://", n/6),
		"doc://a#" + strings.Repeat("pages=1,", n/8), strings.Repeat("doc://a#.", n/9), strings.Repeat("> ", n/2) + "doc://a",
		strings.Repeat("1. ", n/3), strings.Repeat("`", n), strings.Repeat("://", n/3), strings.Repeat("doc://a#pages=1-&", n/17),
		"doc://a#pages=" + strings.Repeat("1,", n/2), "doc://a" + strings.Repeat("_", n), "_doc://a" + strings.Repeat("_", n),
		strings.Repeat("_doc://a#cols=a_", n/16), "doc://a#member=" + strings.Repeat("/", n), "doc://a#" + strings.Repeat(`\u0026`, n/6), strings.Repeat("doc://a#cols=a_", n/16),
	} {
		written(text)
	}
}
