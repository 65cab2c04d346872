package message_test

import (
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/message"
)

func TestIDs(t *testing.T) {
	known := []string{"middle", "start", "end", "mid\x1bdle", "middles", "riddle", "piddle"}
	if got, want := message.MeantIDs("midle", slices.Values(known)), []string{"middle", "middles", "piddle"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := message.MeantIDs("nothing-like-it", slices.Values(known)); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestResources(t *testing.T) {
	ids := []string{"a-b", "book", "notes", "notes-md", "x\u202ey"}
	for _, test := range []struct {
		wrong string
		noted []string
		want  []string
	}{
		{"notes.md", nil, []string{"notes", "notes-md"}},
		{`C:\files\A B.pdf`, nil, []string{"a-b"}},
		{"sub/notes.md", []string{"sub-notes"}, []string{"sub-notes", "notes", "notes-md"}},
		{"boook", nil, []string{"book"}},
		{"x", []string{"x\u202ey"}, nil},
		{"", nil, nil},
	} {
		if got := message.MeantResources(test.wrong, test.noted, ids); !slices.Equal(got, test.want) {
			t.Errorf("%q, noted %q: got %q, want %q", test.wrong, test.noted, got, test.want)
		}
	}
}

func TestQuestion(t *testing.T) {
	const composed, decomposed = "gr\u00f6\u00dfe", "gro\u0308\u00dfe"
	for _, c := range []struct {
		wrong string
		ids   []string
		want  string
	}{
		{"tee", []string{"tea", "see"}, "did you mean 'tea', 'see'?"},
		{decomposed, []string{"grosse", composed}, "did you mean 'grosse', '" + composed + "'? '" + composed + "' looks the same but is in the Unicode normal form NFC"},
		{composed, []string{decomposed}, "did you mean '" + decomposed + "'? '" + decomposed + "' looks the same but is not in the Unicode normal form NFC"},
		{"o\u0308.x", []string{"\u00f6"}, "did you mean '\u00f6'?"},
	} {
		if got := message.DidYouMean(c.wrong, c.ids); got != c.want {
			t.Errorf("%+q: %s, want %s", c.wrong, got, c.want)
		}
	}
}

func TestNodes(t *testing.T) {
	nodes := func(yield func(id, title string) bool) {
		for _, n := range [][2]string{{"one", "First"}, {"two", " second "}, {"three", "First"}, {"o\x1bne", "First"}} {
			if !yield(n[0], n[1]) {
				return
			}
		}
	}
	for wrong, want := range map[string][]string{
		"poem.two": {"two"}, "poem#one": {"one"}, "first": {"one", "three"}, " Second": {"two"}, "thre": {"three"}, "nothing-like-it": nil, "poem": nil, "": nil,
	} {
		if got := message.MeantNodes(wrong, "poem", nodes); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", wrong, got, want)
		}
	}
}
