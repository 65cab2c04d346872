package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

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
		holds, strict bool
	}{
		{"The manual says “about 9999 kbytes” [kettle.txt, line 2].", "text://kettle#lines=2-2", 1, false, false},
		{"The manual says \"about 9999 kbytes\" [kettle.txt, lines 1–2].", "text://kettle#lines=1-2", 1, false, false},
		{"“about 9999 kbytes” [kettle]", "text://kettle", 1, false, false},
		{"“about 9999 kbytes.” [docs/kettle.txt]", "text://kettle", 1, false, false},
		{"“about 9999 kbytes” (kettle.txt, page 3).", "text://kettle", 1, false, false},
		{"“about 9999 kbytes” [my other.txt]", "text://my-other", 1, false, false},
		{"“about 9999 kbytes” [kettle#lines=2]", "text://kettle#lines=2-2", 1, false, false},
		{"“about 9999 kbytes”, as [kettle](https://example.org/kettle) has it.", "", 1, true, false},
		{"“about 9999 kbytes” [here](kettle.txt).", "text://kettle", 1, false, false},
		{"> about 9999 kbytes [kettle.txt]", "text://kettle", 1, false, false},
		{"It boils water [kettle.txt, line 4].", "text://kettle#lines=4-4", 0, true, true},
		{"The manual says “about 9999 kbytes”.", "", 1, true, false},
		{"The manual says “about 9999 kbytes” [1] (sic). It is (kettle) good [x].", "", 1, true, false},
		{"“four minutes” [text://kettle] and “ten minutes”.", "", 1, true, false},
		{"“four minutes” [text://kettle]. All is well.", "", 0, true, true},
	} {
		for strict, want := range map[bool]bool{false: c.holds, true: c.strict} {
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
			if r.Holds() != want || r.Quoted() != c.quotes || meant != c.meant {
				t.Errorf("%s (strict %t): holds %t, %d quotes, meant %q", c.text, strict, r.Holds(), r.Quoted(), meant)
			}
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			told := strings.Contains(string(data), `"quotes_without_address":1,"hint":"1 quote has no address and was not checked; `)
			if told != (c.quotes == 1) || strings.Contains(string(data), `"meant":"`+c.meant+`"`) != (c.meant != "") {
				t.Errorf("%s: %s", c.text, data)
			}
		}
	}
}
