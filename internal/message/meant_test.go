package message_test

import (
	"slices"
	"strings"
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

// isRun reports whether a value is a run of pages or lines.
func isRun(selector, value string) bool {
	return (selector == "lines" || selector == "pages") && value != "" && strings.Trim(value, "0123456789-") == ""
}

func TestParameter(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"page", "3", `parameter "page"; write pages=3`},
		{"LINSE", "3-5", `parameter "LINSE"; write lines=3-5`},
		{"page", "x", `parameter "page"; write such as pages=3-5`},
		{"seconds", "5", `parameter "seconds"; write such as t=10-20`},
		{"xywh", "1,2,3,4", `parameter "xywh"; write such as bbox=0,0,0.5,0.5`},
		{"sha256", "", `parameter "sha256"; write such as v=0123abcd`},
		{"zoom", "2", `parameter "zoom"; it is one of pages, t, lines, bbox, blocks, sheet, cells, rows, cols, part, message, table, member, v`},
		{"x", "2", `parameter "x"; it is one of pages, t, lines, bbox, blocks, sheet, cells, rows, cols, part, message, table, member, v`},
		{"", "", `parameter ""; it is one of pages, t, lines, bbox, blocks, sheet, cells, rows, cols, part, message, table, member, v`},
	} {
		if got := message.MeantParameter(test.name, test.value, isRun); got != test.want {
			t.Errorf("%s=%s: %s; want %s", test.name, test.value, got, test.want)
		}
	}
}

func TestNoValue(t *testing.T) {
	for param, want := range map[string]string{
		"L10-L20": `parameter "L10-L20" has no value; write lines=10-20`,
		"12-15":   `"12-15" has no name; write pages=12-15, lines=12-15 or such`,
		"box":     `parameter "box" has no value; write such as bbox=0,0,0.5,0.5`,
		"zoom":    `parameter "zoom" has no value; write such as pages=3-5`,
	} {
		if got := message.NoValue(param, isRun); got != want {
			t.Errorf("%s: %s; want %s", param, got, want)
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
