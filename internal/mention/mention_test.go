package mention_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mention"
)

func written(text string) []string {
	var all []string
	for m := range mention.Find(text) {
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

func TestFind(t *testing.T) {
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
		{"own modality", "mail://box#lines=3", []string{"mail://box#lines=3"}},
		{"URLs", "https://example.org/?q=doc://a file://etc/doc://b xdoc://c", []string{"xdoc://c"}},
		{"virtual", "virtual://a/doc://b doc://c", []string{"doc://c"}},
		{"bad", "doc://book#page=3 doc://b#pages=0 mail://x#y", []string{"bad doc://book#page=3", "bad doc://b#pages=0"}},
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

func TestFindTellsWhere(t *testing.T) {
	text := "one\r\ntwo [x](doc://a\\_b#pages=4&amp;v=0123ABCD)\r\n"
	var got []mention.Mention
	for m := range mention.Find(text) {
		got = append(got, m)
	}
	from := strings.Index(text, "doc")
	want := []mention.Mention{{
		From: from, To: strings.Index(text, ")"), Fragment: strings.Index(text, "#"), Line: 2, Escaped: true,
		Address: citekit.Address{Resource: "a_b", Version: "0123abcd", Location: citekit.Location{
			Modality: citekit.Document, Pages: []citekit.Range{{First: 4, Last: 4}}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFindEndsEarly(t *testing.T) {
	n := 0
	for range mention.Find("doc://a doc://b\ndoc://c") {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d mentions", n)
	}
}

// Every address that is written in a form that others use is found again.
func FuzzAddresses(f *testing.F) {
	f.Add("book", "pages=3-5&v=01234567", 0)
	f.Add("a b_c.d", "lines=3-5", 1)
	f.Add("x", "t=1-", 2)
	f.Fuzz(func(t *testing.T, id, fragment string, form int) {
		var a citekit.Address
		err := citekit.ErrSyntax
		for _, scheme := range []string{"text", "doc", "video"} { // one of them has the selector
			if err != nil {
				a, err = citekit.ParseAddress(scheme + "://" + id + "#" + fragment)
			}
		}
		if err != nil || strings.HasSuffix(a.String(), ".") {
			return
		}
		forms := []string{"%s", "see %s, then", "[x](%s)", "<%s>", "“%s”", "`%s`", "(%s).", "[^1]: %s\r\n"}
		text := fmt.Sprintf(forms[uint(form)%uint(len(forms))], a)
		for m := range mention.Find(text) {
			if !m.Address.Equal(a) {
				t.Fatalf("%q: %v, want %v", text, m.Address, a)
			}
			return
		}
		t.Fatalf("%q: no address", text)
	})
}

func FuzzFind(f *testing.F) {
	f.Add("a doc://b#pages=3, https://x/doc://c _doc://d_ ```\n> ~~~\ndoc://\\_")
	f.Add("doc://c%%%% doc://c%%%%#lines=1")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for m := range mention.Find(text) {
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

func TestFindInHostileTexts(t *testing.T) {
	const n = 1 << 20
	for _, text := range []string{
		strings.Repeat("a", n) + "://b", "doc://" + strings.Repeat("a", n), strings.Repeat("doc://", n/6),
		"doc://a#" + strings.Repeat("pages=1,", n/8), strings.Repeat("doc://a#.", n/9), strings.Repeat("> ", n/2) + "doc://a",
		strings.Repeat("1. ", n/3), strings.Repeat("`", n), strings.Repeat("://", n/3), strings.Repeat("doc://a#pages=1-&", n/17),
		"doc://a#pages=" + strings.Repeat("1,", n/2), "doc://a" + strings.Repeat("_", n), "_doc://a" + strings.Repeat("_", n),
	} {
		written(text)
	}
}
