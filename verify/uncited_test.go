package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/verify"
)

// TestQuotesWithoutAddress checks that a quote that was not checked does not pass as
// one that holds: it is counted, and it fails if the text names a source for it in
// another form, or if the check is strict.
func TestQuotesWithoutAddress(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle, "my other.txt": "Another text.\n"})
	for _, c := range []struct {
		text          string
		meant         string // address
		quotes        int
		holds, strict string // in JSON
	}{
		{"The manual says “about 9999 kbytes” [kettle.txt, line 2].", "text://kettle#lines=2-2", 1, "false", "false"},
		{"The manual says \"about 9999 kbytes\" [kettle.txt, lines 1–2].", "text://kettle#lines=1-2", 1, "false", "false"},
		{"“about 9999 kbytes” [kettle]", "text://kettle", 1, "false", "false"},
		{"“about 9999 kbytes.” [docs/kettle.txt]", "text://kettle", 1, "false", "false"},
		{"“about 9999 kbytes” (kettle.txt, page 3).", "text://kettle", 1, "false", "false"},
		{"“about 9999 kbytes” [my other.txt]", "text://my-other", 1, "false", "false"},
		{"“about 9999 kbytes” [kettle#lines=2]", "text://kettle#lines=2-2", 1, "false", "false"},
		{"“about 9999 kbytes”, as [kettle](https://example.org/kettle) has it.", "", 1, "null", "false"},
		{"“about 9999 kbytes” [here](kettle.txt).", "text://kettle", 1, "false", "false"},
		{"> about 9999 kbytes [kettle.txt]", "text://kettle", 1, "false", "false"},
		{"It boils water [kettle.txt, line 4].", "text://kettle#lines=4-4", 0, "null", "null"},
		{"The manual says “about 9999 kbytes”.", "", 1, "null", "false"},
		{"The manual says “about 9999 kbytes” [1] (sic). It is (kettle) good [x].", "", 1, "null", "false"},
		{"“four minutes” [text://kettle] and “ten minutes”.", "", 1, "true", "false"},
		{"“four minutes” [text://kettle]. All is well.", "", 0, "true", "true"},
	} {
		for strict, want := range map[bool]string{false: c.holds, true: c.strict} {
			r, err := s.Text(t.Context(), c.text, &verify.TextOptions{Strict: strict})
			if err != nil {
				t.Fatal(err)
			}
			meant := ""
			for _, u := range r.Uncited {
				if u.Meant.Resource != "" {
					meant = u.Meant.String()
				}
			}
			if r.Holds() != (want == "true") || r.CitesNothing() != (want == "null") || r.Quoted() != c.quotes || meant != c.meant {
				t.Errorf("%s (strict %t): holds %t, %d quotes, meant %q", c.text, strict, r.Holds(), r.Quoted(), meant)
			}
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			hint := "1 quote has no address and was not checked"
			if want == "null" {
				hint = "nothing was checked, as the text has no address of a source"
			}
			told := strings.Contains(string(data), `"hint":"`+hint+`; `)
			if !strings.HasPrefix(string(data), `{"holds":`+want) || told != (c.quotes == 1 || want == "null") || strings.Contains(string(data), `"quotes_without_address":1`) != (c.quotes == 1) || strings.Contains(string(data), `"meant":"`+c.meant+`"`) != (c.meant != "") {
				t.Errorf("%s: %s", c.text, data)
			}
		}
	}
}

// TestReferencesToFiles checks that a quote fails if it names a file in brackets,
// whatever characters its name has, and that the address to write has the place.
func TestReferencesToFiles(t *testing.T) {
	written := []pdftest.Row{{X: 72, Y: 100, Size: 11, Text: "The kettle boils water for the tea."}}
	s := newShelf(t, map[string]string{
		"Manual (new) 100%.pdf": string(pdftest.Rows("", written, written)), "Talk #1 [2024].txt": "one\ntwo\nthree\n", "a, b; c: d.txt": "words\n",
		"Notes.txt": "four\n", "notes.md": "# Five\n", "Gro\u0308ße.txt": "six\n", "shares.csv": "name,share\nfirst,35.3%\n",
		"Sums (v2).xlsx": workbook(t, `<row r="1"><c r="A1"><v>900</v></c></row>`),
		"talk 2.wav":     silence(12), "talk 2.srt": "1\n00:00:01,000 --> 00:00:09,000\nIt is one o'clock now.\n",
	})
	ids, err := s.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id := func(source string) string {
		for _, id := range ids {
			if m, err := s.Map(t.Context(), id); err == nil && m.SourcePath == source {
				return m.Address(nil).String()
			}
		}
		t.Fatalf("no resource of %s", source)
		return ""
	}
	manual, talk := id("Manual (new) 100%.pdf"), id("Talk #1 [2024].txt")
	for reference, want := range map[string]string{
		"[Manual (new) 100%.pdf]": manual, "[Manual (new) 100%.pdf, page 2]": manual + "#pages=2", "(Manual (new) 100%.pdf, S. 1)": manual + "#pages=1",
		"[Manual (new) 100%.pdf p. 1-2]": manual + "#pages=1-2", "[page 2 of Manual (new) 100%.pdf]": manual + "#pages=2", "[see `Manual (new) 100%.pdf`, page 1]": manual + "#pages=1",
		"[Manual (new) 100%.pdf, page 9]": manual, "[manual (NEW) 100%.PDF, page 2, at the top]": manual + "#pages=2", "[here](Manual%20(new)%20100%25.pdf)": manual, "[here](a/Manual%20(new)%20100%25.pdf#page=2)": manual + "#pages=2",
		"[Talk #1 [2024].txt]": talk, "[Talk #1 [2024].txt, lines 2–3]": talk + "#lines=2-3", "[in/a/folder/Talk #1 [2024].txt#lines=2]": talk + "#lines=2-2", "[Talk #1 [2024].txt, page 2]": talk,
		"[a, b; c: d.txt]": id("a, b; c: d.txt"), "[a, b; c: d.txt: line 1]": id("a, b; c: d.txt") + "#lines=1-1",
		"[Notes.txt]": id("Notes.txt"), "[notes.md]": id("notes.md"), "[Gr\u00f6ße.txt]": id("Gro\u0308ße.txt"),
		"[shares.csv, row 2]": id("shares.csv") + "#rows=2", "[shares.csv, B2]": id("shares.csv"),
		"[Sums (v2).xlsx, A1]": id("Sums (v2).xlsx") + "#sheet=S&cells=A1", "[Sums (v2).xlsx, S!A1:B2]": id("Sums (v2).xlsx") + "#sheet=S&cells=A1:B2", "[Sums (v2).xlsx, sheet S, cell $A$1]": id("Sums (v2).xlsx") + "#sheet=S&cells=A1",
		"[Sums (v2).xlsx, T!A1]": id("Sums (v2).xlsx"), "[talk 2.wav, 0:01-0:09]": id("talk 2.wav") + "#t=1-9", "[talk 2.wav at 0:04]": id("talk 2.wav") + "#t=4-5", "[here](talk%202.wav#t=1,9)": id("talk 2.wav") + "#t=1-9", "[talk 2.wav, 0:01:01-0:02:00]": id("talk 2.wav"),
		"[Smith 2019, p. 9]": "", "[sic]": "", "(new.pdf)": "", "[old.pdf": "", "(e.g. here)": "", "[100%.pdf]": "",
	} {
		r, err := s.Text(t.Context(), "It says “about 9999 kbytes” "+reference+".", nil)
		if err != nil {
			t.Fatal(err)
		}
		meant := ""
		for _, u := range r.Uncited {
			if u.Meant.Resource != "" && meant == "" {
				meant = u.Meant.String()
			}
		}
		if meant != want || r.CitesNothing() != (want == "") || r.Holds() {
			t.Errorf("%s: %q, holds %t; want %q", reference, meant, r.Holds(), want)
		}
	}
}
