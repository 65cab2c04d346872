package sheet_test

import (
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/sheet"
)

// TestPartNames reads workbooks whose parts are not in the folder xl, or have
// backslashes or another case in their names.
func TestPartNames(t *testing.T) {
	moved := make(book)
	for name, text := range salesBook() {
		text = strings.ReplaceAll(text, `"xl/`, `"`)
		moved[strings.TrimPrefix(name, "xl/")] = strings.ReplaceAll(text, `"/xl/`, `"/`)
	}
	slashes, shouting := make(book), make(book)
	for name, text := range salesBook() {
		slashes[strings.ReplaceAll(name, "/", `\`)] = text
		shouting[strings.ToUpper(name)] = text
	}
	want, err := textAt(t, new(sheet.Resolver), source(salesBook().pack(t)), at("Q4 Results", "B2:D4"))
	if err != nil || want == "" {
		t.Fatalf("%q, %v", want, err)
	}
	for name, b := range map[string]book{"at the root": moved, "backslashes": slashes, "another case": shouting} {
		src, r := source(b.pack(t)), new(sheet.Resolver)
		if got, err := textAt(t, r, src, at("Q4 Results", "B2:D4")); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
		out, err := r.Resolve(t.Context(), src, citekit.Request{Location: at("Q4 Results", "B2:D4")})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		cut, err := io.ReadAll(out.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := textAt(t, new(sheet.Resolver), source(cut), at("Q4 Results", "")); err != nil || flat(got) != flat(want) {
			t.Errorf("%s: the evidence has %q, %v; want %q", name, got, err, want)
		}
	}
}
