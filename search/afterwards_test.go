package search_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
)

// TestSignsMakeNoCopies has passages that say something else by a sign alone.
func TestSignsMakeNoCopies(t *testing.T) {
	s := newShelf(t, map[string]string{
		"a.md": "# Dose\n\nThe dose of the medicine for grown people is 1.0 mg each day, in water.\n",
		"b.md": "# Dose\n\nThe dose of the medicine for grown people is 10 mg each day, in water.\n",
		"c.md": "# Valve\n\nThe valve opens at once as soon as the temperature is > -5 degrees outside.\n",
		"d.md": "# Valve\n\nThe valve opens at once as soon as the temperature is < 5 degrees outside.\n",
	})
	for _, query := range []string{"dose of the medicine", "valve temperature"} {
		if found := s.find(t, search.Request{Query: query}); len(found.Results) != 2 {
			t.Errorf("%s: %s", query, addresses(found))
		}
	}
}

// TestFoundAgain loses a source and gets it back: then nothing is missing.
func TestFoundAgain(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# Tea\n\nGreen leaves.\n", "b.md": "# Pot\n\nBlue clay.\n"})
	s.find(t, search.Request{Query: "leaves"})
	at, away := filepath.Join(s.dir, "a.md"), filepath.Join(t.TempDir(), "a.md")
	if err := os.Rename(at, away); err != nil {
		t.Fatal(err)
	}
	s.find(t, search.Request{Query: "leaves"})
	if err := os.Rename(away, at); err != nil {
		t.Fatal(err)
	}
	if x, err := s.Index(t.Context(), nil); err != nil || x.Searchable != 2 {
		t.Errorf("%+v, %v", x, err)
	}
	if found := s.find(t, search.Request{Query: "leaves"}); len(found.Results) != 1 || found.LeftOut != 0 {
		t.Errorf("%s, %d left out", addresses(found), found.LeftOut)
	}
}

// TestBackAtOnce loses a source, or changes it, and has it back: searches find it before it
// would be tried again.
func TestBackAtOnce(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# Tea\n\nGreen leaves.\n", "b.md": "# Pot\n\nBlue clay.\n", "c.md": "# Cup\n\nWhite leaves.\n"})
	leaves := func() *search.Results { return s.find(t, search.Request{Query: "leaves"}) }
	leaves()
	aside := t.TempDir()
	for _, name := range []string{"a.md", "c.md"} {
		if err := os.Rename(filepath.Join(s.dir, name), filepath.Join(aside, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, s.dir, "c.md", "# Cup\n")
	for leaves().LeftOut != 2 {
		time.Sleep(10 * time.Millisecond)
	}
	search.PutOff(s.Searcher)
	for _, name := range []string{"a.md", "c.md"} {
		if err := os.Rename(filepath.Join(aside, name), filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		found := leaves()
		if len(found.Results) == 2 && found.LeftOut == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s, left out %q", addresses(found), found.LeftOutIDs)
		}
	}
}

// TestPartIsFoundByMeaning has a page of which some text cannot be read.
func TestPartIsFoundByMeaning(t *testing.T) {
	sharedtest.Once(t)
	s := newSemantic(t, map[string]string{"scan.pdf": string(pdftest.Unnamed("Automobile", 80))}, search.Semantics{Embedder: newThesaurus("car automobile", "bread loaf")})
	found, err := s.Search(t.Context(), search.Request{Query: "car"})
	if err != nil || len(found.Results) != 1 || !found.Complete {
		t.Errorf("%+v, %v", found, err)
	}
}
