package command

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestLeftOut has a source that changed, and an image that ends early. A search that
// finds nothing says what each is and what to do; doctor does not say that the next
// search makes up for the image.
func TestLeftOut(t *testing.T) {
	sharedtest.Tool(t, "tesseract") // which cannot read the image
	f := newFolder(t)
	picture := image.NewGray(image.Rect(0, 0, 100, 100))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32())
	}
	var whole bytes.Buffer
	must(t, png.Encode(&whole, picture))
	f.write("cut.png", whole.String()[:whole.Len()/2])
	f.write("tea.md", "# Tea\n\nGreen leaves.\n")
	f.ran("ingest", ".")
	f.ran("search", "leaves")
	f.write("tea.md", "# Tea\n\nGreen leaves. A newword.\n")
	out := f.ran("search", "newword")
	for _, want := range []string{
		"1 resource left out, as the sources changed or are gone: tea; 'citekit ingest' maps",
		"1 resource left out, as the sources cannot be read: cut; replace the files",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("search: %q lacks %q", out, want)
		}
	}
	out = f.ran("doctor")
	if !strings.Contains(out, "the text of 1 source cannot be read, so no search finds it: cut") || strings.Contains(out, "nothing has to be done") {
		t.Errorf("doctor: %s", out)
	}
	f.ran("rm", "tea") // which the index still holds
	if out := f.ran("doctor"); !strings.Contains(out, "so no search finds it: cut") {
		t.Errorf("doctor after a map was removed: %s", out)
	}
	for _, words := range [][]string{{"search", "leaves"}, {"verify", "--quote", "Green leaves of old"}} {
		if out := f.ran(words...); strings.Contains(out, "tea") || strings.Contains(out, "2 resources left out") {
			t.Errorf("%s after a map was removed: %s", words[0], out)
		}
	}
}
