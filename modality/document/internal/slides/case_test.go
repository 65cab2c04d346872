package slides_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// inCapitals returns a package with the names of its parts in another case than
// those that relationships and content types write.
func inCapitals(t testing.TB, data []byte) []byte {
	t.Helper()
	parts := contents(t, data)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		w, err := z.Create(strings.ToUpper(f.Name))
		if err == nil {
			_, err = w.Write([]byte(parts[f.Name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCaseOfParts: the names of parts are the same in any case (ISO/IEC 29500-2,
// section 6.2.2.3).
func TestCaseOfParts(t *testing.T) {
	sharedtest.Once(t)
	data := newDeck().bytes()
	other := inCapitals(t, data)
	for n := 1; n <= 5; n++ {
		if got, want := texts(t, other, pages(n, n)), texts(t, data, pages(n, n)); !slices.Equal(got, want) {
			t.Errorf("slide %d: %q, want %q", n, got, want)
		}
		cutOne, _ := cut(t, data, pages(n, n))
		cutOther, _ := cut(t, other, pages(n, n))
		want, got := contents(t, cutOne), contents(t, cutOther)
		if len(got) != len(want) {
			t.Errorf("slide %d: %d parts, want %d", n, len(got), len(want))
		}
		for name, text := range want {
			if name != "[Content_Types].xml" {
				name = strings.ToUpper(name)
			}
			if got[name] != text {
				t.Errorf("slide %d: %s is\n%s, want\n%s", n, name, got[name], text)
			}
		}
	}
}
