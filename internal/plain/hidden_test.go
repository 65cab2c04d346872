package plain_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

func TestShowHidden(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"as it is\r\n\tß 日本 ½":          "as it is\r\n\tß 日本 ½",
		"a\u202Eb\u2066c":               `a\u202Eb\u2066c`,
		"a\u200Bb\uFEFF":                `a\u200Bb\uFEFF`,
		"\x1b[31m\x07\b\x00\x7f":        `\u001B[31m\u0007\u0008\u0000\u007F`,
		"\u0085\u009b":                  `\u0085\u009B`,
		"\U000E0041x\U000E0001":         `\U000E0041x\U000E0001`,
		"\u2060\u2063\u00ad":            `\u2060\u2063\u00AD`,
		"\u115f\u3164\uffa0\u034f":      `\u115F\u3164\uFFA0\u034F`,
		"\ufffe\U0010ffff":              `\uFFFE\U0010FFFF`,
		"\xff\ufffd":                    "\xff\ufffd",
		"\u2028\u00a0":                  "\u2028\u00a0", // white space shows
		"so\u00adft \u00adx":            `so` + "\u00ad" + `ft \u00ADx`,
		"می\u200cخواهم":                 "می\u200cخواهم",
		"می\u200c\u200cخواهم":           "می\u200c" + `\u200C` + "خواهم",
		"ന്\u200d ക്\u200dഷ":            "ന്\u200d ക്\u200dഷ",
		"in\u200cvisible \u200d":        `in\u200Cvisible \u200D`,
		"👩\u200d🔬 👩🏽\u200d🔬":            "👩\u200d🔬 👩🏽\u200d🔬",
		"❤\ufe0f\u200d🔥 #\ufe0f\u20e3":  "❤\ufe0f\u200d🔥 #\ufe0f\u20e3",
		"👩\u200dx":                      `👩\u200Dx`,
		"😀\ufe01\ufe02":                 "😀\ufe01" + `\uFE02`,
		"a\ufe0f1\ufe0f \ufe0f":         `a\uFE0F1\uFE0F \uFE0F`,
		"葛\U000E0100葛\U000E0100x":       "葛\U000E0100葛\U000E0100x",
		"x\U000E0100":                   `x\U000E0100`,
		"ᠠ\u180b ᠠ\u180e":               "ᠠ\u180b ᠠ\u180e",
		"\u202bשלום\u202c (a)\u200f.":   `\u202Bשלום\u202C (a)` + "\u200f.",
		"price\u200e 5\n\u200fשלום":     `price\u200E 5` + "\n\u200fשלום",
		"שלום\u200f\u200f":              `שלום\u200F\u200F`,
		"\u06005 \U0001F3F4\U000E0067x": "\u06005 \U0001F3F4" + `\U000E0067x`,
		"🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!": "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!",
	} {
		got, n := plain.ShowHidden(text)
		if got != want || n != plain.CountHidden(text) || (n == 0) != (text == want) {
			t.Errorf("Text(%+q) = %+q, %d; want %+q", text, got, n, want)
		}
		if back := plain.ReadCodes(got); back != text {
			t.Errorf("Raw(%+q) = %+q; want %+q", got, back, text)
		}
		if added := plain.CodesAdded(text); added != utf8.RuneCountInString(got)-utf8.RuneCountInString(text) {
			t.Errorf("Added(%+q) = %d", text, added)
		}
	}
}

func TestReadCodes(t *testing.T) {
	for text, want := range map[string]string{
		`a\u202eb`:                      "a\u202eb",
		`a\\u202Eb \U000e0041`:          "a\u202Eb \U000E0041",
		`\u00e9 \n \u12 \U0000 \`:       `\u00e9 \n \u12 \U0000 \`, // not hidden, or no code
		`\UFFFFFFFF\U00000041 \u{202E}`: `\UFFFFFFFF\U00000041 \u{202E}`,
	} {
		if got := plain.ReadCodes(text); got != want {
			t.Errorf("Raw(%q) = %+q, want %+q", text, got, want)
		}
	}
}

func TestShownMarks(t *testing.T) {
	text := "a\u202eword \u200b\u200bnext"
	shown, _ := plain.ShowHidden(text)
	marks := plain.ShownMarks(text, [][2]int{{2, 6}, {9, 13}})
	for i, want := range []string{"word", "next"} {
		if got := string([]rune(shown)[marks[i][0]:marks[i][1]]); got != want {
			t.Errorf("%q is at %v of %q: %q", want, marks[i], shown, got)
		}
	}
}

func TestShowHiddenJSON(t *testing.T) {
	for data, want := range map[string]string{
		`{"a":"plain ü","b":["\n\"",1]}`:                      "",
		"{\"k\u202e\":\"\\u202e\\\\u202e\",\"x\":\"<a\x7f\"}": `{"k\\u202E":"\\u202E\\u202e","x":"\u003ca\\u007F"}`,
		`["\b\f\u001b","\udb40\udc41","\ud800"]`:              `["\\u0008\\u000C\\u001B","\\U000E0041","\ud800"]`,
	} {
		if want == "" {
			want = data
		}
		got, n := plain.ShowHiddenJSON([]byte(data))
		if string(got) != want || (n == 0) != (data == want) {
			t.Errorf("JSON(%s) = %s, %d; want %s", data, got, n, want)
		}
	}
}

// FuzzText checks that nothing hidden is left, and that the text comes back.
func FuzzShowHidden(f *testing.F) {
	f.Add("a\u202e\u200d👩\u200d🔬\U000E0041 \x1b\xff שלום\u200f")
	f.Fuzz(func(t *testing.T, text string) {
		shown, n := plain.ShowHidden(text)
		if again, more := plain.ShowHidden(shown); more != 0 || again != shown {
			t.Errorf("%+q is shown as %+q, and that as %+q", text, shown, again)
		}
		if strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) }) {
			t.Errorf("%+q is shown as %+q", text, shown)
		}
		if back := plain.ReadCodes(shown); !strings.Contains(text, `\`) && back != text {
			t.Errorf("%+q comes back as %+q (%d hidden)", text, back, n)
		}
		if data, err := json.Marshal(text); err == nil {
			var got string
			seen, _ := plain.ShowHiddenJSON(data)
			want, _ := plain.ShowHidden(strings.ToValidUTF8(text, "\ufffd"))
			if err := json.Unmarshal(seen, &got); err != nil || utf8.ValidString(text) && got != want {
				t.Errorf("%s is shown as %s (%v); want %+q", data, seen, err, want)
			}
		}
		points := utf8.RuneCountInString(text)
		if moved := plain.ShownMarks(text, [][2]int{{0, points}}); !slices.Equal(moved, [][2]int{{0, utf8.RuneCountInString(shown)}}) {
			t.Errorf("%+q of %d code points is shown in %v", text, points, moved)
		}
	})
}
