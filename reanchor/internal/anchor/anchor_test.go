package anchor_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/reanchor/internal/anchor"
)

func TestFind(t *testing.T) {
	const old = "# One\n\nThe kettle is descaled with vinegar every month.\n\n# Two\n\nChalk settles where water boils away.\nIt is white and hard.\n"
	for _, c := range []struct {
		name, new, cited string
		want             anchor.Place
		text             string
	}{
		{"the same", old, "Chalk settles", anchor.Place{How: anchor.Unique, Kept: 1, Around: true, Places: 1}, "Chalk settles where water boils away.\n"},
		{"moved down", "New\n\n" + old, "Chalk settles", anchor.Place{How: anchor.Unique, Kept: 1, Around: true, Places: 1}, "Chalk settles where water boils away.\n"},
		{"other line ends", strings.ReplaceAll(old, "\n", "\r\n"), "Chalk settles", anchor.Place{How: anchor.Unique, Kept: 1, Around: true, Places: 1}, "Chalk settles where water boils away.\r\n"},
		{"twice", old + "\nMore text of its own\nChalk settles where water boils away.\nThe end\n", "Chalk settles", anchor.Place{How: anchor.Context, Kept: 1, Around: true, Places: 2}, "Chalk settles where water boils away.\n"},
		{"to another place", "Chalk settles where water boils away.\n" + strings.Replace(old, "Chalk settles where water boils away.\n", "", 1), "Chalk settles", anchor.Place{How: anchor.Unique, Kept: 1, Places: 1}, "Chalk settles where water boils away.\n"},
		{"a word", strings.Replace(old, "settles", "gathers", 1), "Chalk settles", anchor.Place{How: anchor.Similar, Kept: 5. / 6}, "Chalk gathers where water boils away.\n"},
		{"wrapped", strings.Replace(old, "settles where", "settles\nwhere", 1), "Chalk settles", anchor.Place{How: anchor.Similar, Kept: 1}, "Chalk settles\nwhere water boils away.\n"},
		{"deleted", strings.Replace(old, "Chalk settles where water boils away.\n", "", 1), "Chalk settles", anchor.Place{How: anchor.Gone}, ""},
		{"empty", "", "Chalk settles", anchor.Place{How: anchor.Gone}, ""},
		{"binary", "\x00\xff\xfe\x00\n\x80", "Chalk settles", anchor.Place{How: anchor.Gone}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := strings.Index(old, c.cited)
			got := anchor.Align(old, c.new, anchor.Options{}).Find(at, at+len(c.cited))
			if text := c.new[got.From:got.To]; text != c.text {
				t.Errorf("found %q, want %q", text, c.text)
			}
			got.From, got.To = 0, 0
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestFindWhereTextFlows(t *testing.T) {
	page := func(n, text string) string { return "Kettles: a manual\n" + text + "\nPage " + n + "\n" }
	pages := func(texts ...string) (all string, starts []int) {
		for i, text := range texts {
			starts = append(starts, len(all))
			all += page(string(rune('1'+i)), text)
		}
		return all, starts
	}
	old, oldPages := pages("What a kettle is for.", "Descaling. Pour the vin-\negar in and wait\nfor an hour.", "What to do with old kettles.")
	now, newPages := pages("A new chapter, on tea.", "What a kettle is for.", "Descaling. Pour the vinegar\nin and wait for an hour.", "What to do with old kettles.")
	got := anchor.Align(old, now, anchor.Options{Flows: true, OldPages: oldPages, NewPages: newPages}).Find(oldPages[1], oldPages[2])
	if want := "Descaling. Pour the vinegar\nin and wait for an hour."; got.How != anchor.Unique || now[got.From:got.To] != want {
		t.Errorf("found %q, %+v", now[got.From:got.To], got)
	}
}

// A short part that stands once by chance does not prove that it is the one.
func TestFewLettersAreNotMoved(t *testing.T) {
	old := "a := 1\nfirst one\nsecond one\nthird one\n"
	now := "first one\nsecond one\nthird one\nmore\na := 1\n"
	if got := anchor.Align(old, now, anchor.Options{}).Find(0, 6); got.How != anchor.Similar {
		t.Errorf("%+v", got)
	}
}

func TestHostileTexts(t *testing.T) {
	n := 5_000
	if sharedtest.Long() {
		n = 100_000
	}
	equal := strings.Repeat("same\n", n)
	var two strings.Builder
	for i := range n {
		two.WriteString([]string{"a b\n", "b a\n"}[i*i/7%2])
	}
	for _, pair := range [][2]string{
		{equal, equal + "same\n"}, {equal, "other\n" + equal}, {equal, two.String()}, {two.String(), two.String()[n:]},
		{strings.Repeat("\n", n), equal}, {strings.Repeat("a", n), strings.Repeat("a", n+1)}, {strings.Repeat("{ ", n), strings.Repeat("} ", n)},
		{"x\n" + two.String(), two.String() + "y\n"},
	} {
		for _, flows := range []bool{false, true} {
			p := anchor.Align(pair[0], pair[1], anchor.Options{Flows: flows})
			for from := 0; from < len(pair[0]); from += len(pair[0])/3 + 1 {
				p.Find(from, len(pair[0]))
				p.Find(from, min(from+10, len(pair[0])))
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("one\ntwo\n\nthree four\n", "two\none\nthree\nfour\n", 4, 9, false, 3)
	f.Add("a-\nb c", "ab c", 0, 5, true, 0)
	f.Fuzz(func(t *testing.T, old, now string, from, to int, flows bool, page int) {
		from = min(max(from, 0), len(old))
		to = min(max(to, from), len(old))
		opts := anchor.Options{Flows: flows}
		if page > 0 && page < len(old) {
			opts.OldPages = []int{0, page}
		}
		got := anchor.Align(old, now, opts).Find(from, to)
		if got.From < 0 || got.To < got.From || got.To > len(now) || got.Kept < 0 || got.Kept > 1 {
			t.Fatalf("%+v", got)
		}
		if got.How == anchor.Gone && got.To != 0 {
			t.Fatalf("gone, and at %d", got.To)
		}
	})
}

// A copy of cited words that is put near them makes it unsure which are meant, on
// whichever side of them it is; words beside only one of the two make it sure.
func TestCopies(t *testing.T) {
	const cited = "The battery of the northern station was changed.\n"
	for name, c := range map[string]struct {
		now string
		how anchor.How
		at  string // what is before the place found
	}{
		"the same":       {"# Repeats\n" + cited + "Next.\n", anchor.Unique, "# Repeats\n"},
		"a copy after":   {"# Repeats\n" + cited + "A new line.\n" + cited + "Next.\n", anchor.Similar, ""},
		"a copy beside":  {"# Repeats\n" + cited + cited + "Next.\n", anchor.Similar, ""},
		"a copy far off": {"# Repeats\n" + cited + "Next.\nOne.\nTwo.\nThree.\nFour.\n" + cited + "Five.\n", anchor.Context, "# Repeats\n"},
		"a copy before":  {"# Other\n" + cited + "One.\nTwo.\nThree.\nFour.\n# Repeats\n" + cited + "Next.\n", anchor.Context, "# Other\n" + cited + "One.\nTwo.\nThree.\nFour.\n# Repeats\n"},
	} {
		old := "# Repeats\n" + cited + "Next.\n"
		from := len("# Repeats\n")
		got := anchor.Align(old, c.now, anchor.Options{}).Find(from, from+len(cited))
		if got.How != c.how || c.how != anchor.Similar && got.From != len(c.at) || c.how == anchor.Similar && got.Places != 2 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
