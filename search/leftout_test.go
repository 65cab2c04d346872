package search_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
)

// TestChangedIsCountedBeforeItIsHit changes a source whose new words no search has
// found. Each search counts it, whatever was searched before.
func TestChangedIsCountedBeforeItIsHit(t *testing.T) {
	for _, many := range []int{0, 120} {
		files := map[string]string{"tea.md": "# Tea\n\nGreen leaves.\n", "pot.md": "# Pot\n\nA lid.\n"}
		for i := range many {
			files[fmt.Sprintf("more%d.md", i)] = "# More\n\nKettles.\n"
		}
		s := newShelf(t, files)
		if found := s.find(t, search.Request{Query: "newword"}); found.LeftOut != 0 {
			t.Errorf("%d more: %d left out of %q", many, found.LeftOut, found.LeftOutIDs)
		}
		write(t, s.dir, "tea.md", "# Tea\n\nGreen leaves. A newword.\n")
		if err := os.Remove(filepath.Join(s.dir, "pot.md")); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"newword", "leaves", "newword"} {
			found := s.find(t, search.Request{Query: query})
			if found.LeftOut != 2 || found.Unreadable != 0 || !slices.Equal(found.LeftOutIDs, []string{"pot", "tea"}) {
				t.Errorf("%d more: %q: %d left out, %d unreadable, %q", many, query, found.LeftOut, found.Unreadable, found.LeftOutIDs)
			}
		}
		if found := s.find(t, search.Request{Query: "newword", Filters: filterOf("pot")}); !slices.Equal(found.LeftOutIDs, []string{"pot"}) {
			t.Errorf("%d more: in pot alone %q", many, found.LeftOutIDs)
		}
	}
}

// TestUnreadableIsNotChanged has an image that ends early and a text that changed.
func TestUnreadableIsNotChanged(t *testing.T) {
	sharedtest.Tool(t, "tesseract") // which reads the picture
	picture := image.NewGray(image.Rect(0, 0, 300, 200))
	for i := range picture.Pix {
		picture.Pix[i] = color.Gray{Y: uint8(i * i >> 3)}.Y
	}
	var whole bytes.Buffer
	if err := png.Encode(&whole, picture); err != nil {
		t.Fatal(err)
	}
	s := newShelf(t, map[string]string{"cut.png": whole.String()[:whole.Len()/2], "tea.md": "# Tea\n\nGreen leaves.\n"})
	found := s.find(t, search.Request{Query: "leaves"})
	if found.LeftOut != 1 || !slices.Equal(found.UnreadableIDs, []string{"cut"}) {
		t.Errorf("%d left out, unreadable %q", found.LeftOut, found.UnreadableIDs)
	}
	if want := "1 resource left out, as the sources cannot be read: cut"; found.WhyLeftOut() != want {
		t.Errorf("%q, want %q", found.WhyLeftOut(), want)
	}
	write(t, s.dir, "tea.md", "# Tea\n")
	found = s.find(t, search.Request{Query: "leaves"})
	if found.LeftOut != 2 || found.Unreadable != 1 || !strings.HasPrefix(found.WhyLeftOut(), "1 resource left out, as the sources changed or are gone: tea; 1 resource") {
		t.Errorf("%d left out, %d unreadable: %s", found.LeftOut, found.Unreadable, found.WhyLeftOut())
	}
	if ids, err := s.Unindexed(t.Context()); err != nil || !slices.Equal(ids, []string{"cut", "tea"}) {
		t.Errorf("not in the index: %q, %v", ids, err)
	}
}

// TestBlankResources searches in an image that has no text.
func TestBlankResources(t *testing.T) {
	sharedtest.Tool(t, "tesseract") // which reads the picture
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	s := newShelf(t, map[string]string{"photo.png": picture.String(), "tea.md": "# Tea\n\nGreen leaves.\n"})
	for _, test := range []struct{ query, resource, hint string }{
		{"harvest", "photo", "have no text, as in scans"},
		{"harvest", "tea", "nothing that the filters leave has the words"},
	} {
		if found := s.find(t, search.Request{Query: test.query, Filters: filterOf(test.resource)}); !strings.Contains(found.Hint, test.hint) {
			t.Errorf("in %s: %q", test.resource, found.Hint)
		}
	}
}
