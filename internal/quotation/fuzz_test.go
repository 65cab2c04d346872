package quotation

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzFind looks for any quote in any text, and for a part of that text in it.
func FuzzFind(f *testing.F) {
	f.Add(prose, "The kettle … certain", 1, 40, 0)
	f.Add(strings.Join(pages, ""), "the brewers of the lower town", 3, 90, 50)
	f.Add("ﬁne [12] ²\u00ad ñn\u0303 知らない。", "fine “知ら", 0, 10, 0)
	f.Fuzz(func(t *testing.T, text, quote string, from, to, page int) {
		if !utf8.ValidString(text) || len(text) > 4000 || len(quote) > 4000 {
			t.Skip()
		}
		opts := Options{Markdown: from%2 == 0}
		if page > 0 && page < len(text) {
			opts.Pages = []int{0, page}
		}
		prepared := Prepare(text, opts)
		if q, err := Parse(strings.ToValidUTF8(quote, "")); err == nil {
			check(t, prepared, q)
		}
		if from < 0 || to > len(text) || from >= to || !utf8.ValidString(text[from:to]) {
			return
		}
		q, err := Parse(text[from:to])
		if err != nil {
			return
		}
		places := check(t, prepared, q)
		at := strings.Index(text, q.raw)
		if prepared.beginsWord(at) && prepared.endsWord(at+len(q.raw)) && (len(places.Matches) == 0 || !hasExact(places.Matches)) {
			t.Errorf("%q is not found in %q", q.raw, text)
		}
	})
}

func hasExact(matches []Match) bool {
	for _, m := range matches {
		if m.Exact {
			return true
		}
	}
	return false
}

// check finds a quote, and holds what is found to the text.
func check(t *testing.T, text *Text, q *Quote) *Places {
	places := text.Find(q, 0, len(text.raw), 50)
	for _, m := range places.Matches {
		checkMatch(t, text, q, m)
		if m.Exact && text.raw[m.From:m.To] != q.raw {
			t.Errorf("%q is exactly %q", q.raw, text.raw[m.From:m.To])
		}
		if !m.Exact && len(m.Repairs) == 0 && text.raw[m.From:m.To] != q.raw {
			t.Errorf("%q is %q without repairs", q.raw, text.raw[m.From:m.To])
		}
	}
	if len(places.Matches) == 0 {
		if m, ok := text.Nearest(q, 0, len(text.raw), places); ok {
			checkMatch(t, text, q, m)
			if (len(m.Difference) == 0) == (len(m.Repairs) == 0) {
				t.Errorf("%q: %+v", q.raw, m)
			}
		}
	}
	return places
}

func checkMatch(t *testing.T, text *Text, q *Quote, m Match) {
	if m.From < 0 || m.To > len(text.raw) || m.From >= m.To || !utf8.ValidString(text.raw[m.From:m.To]) {
		t.Fatalf("%q is at %d-%d", q.raw, m.From, m.To)
	}
	last := m.From
	for _, p := range m.Shown() {
		if p[0] < last || p[1] < p[0] || p[1] > m.To {
			t.Fatalf("parts %v of %d-%d", m.Shown(), m.From, m.To)
		}
		last = p[1]
	}
}

// FuzzCompare compares any texts.
func FuzzCompare(f *testing.F) {
	f.Add("a b c", "a c d")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 8000 {
			t.Skip()
		}
		changes, alike := Compare(a, b)
		if alike < 0 || alike > 1 || alike < 1 && len(changes) == 0 {
			t.Errorf("%q and %q: %v, %v", a, b, changes, alike)
		}
		if again, same := Compare(a, a); len(again) > 0 || same != 1 {
			t.Errorf("%q and itself: %v", a, again)
		}
	})
}
