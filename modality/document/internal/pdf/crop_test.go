package pdf_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// quarters returns a page of 400 by 200 points with a word in each quarter,
// shown through a crop box, and turned.
func quarters(rotate int) []byte {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	var content strings.Builder
	for i, word := range []string{"lowleft", "lowright", "highleft", "highright"} {
		fmt.Fprintf(&content, "BT /F1 12 Tf %d %d Td (%s) Tj ET\n", 150+200*(i%2), 100+100*(i/2), word)
	}
	content.WriteString("BT /F1 12 Tf 10 10 Td (outside) Tj ET 0.5 g 110 60 40 30 re f")
	stream := f.Deflate("", []byte(content.String()))
	link := f.Add("<< /Type /Annot /Subtype /Link /Rect [150 100 200 112] /A << /S /URI /URI (https://example.org/) >> >>")
	page := f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R /Annots [%d 0 R] /Rotate %d /Resources << /Font << /F1 %d 0 R >> >> >>", tree, stream, link, rotate, font)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 /MediaBox [0 0 600 300] /CropBox [100 50 500 250] >>", page)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}

func TestCropQuarters(t *testing.T) {
	sharedtest.Once(t)
	// The words in the quarters of the page as displayed: top left, top
	// right, bottom left, bottom right.
	displayed := map[int][4]string{
		0:   {"highleft", "highright", "lowleft", "lowright"},
		90:  {"lowleft", "highleft", "lowright", "highright"},
		180: {"lowright", "lowleft", "highright", "highleft"},
		270: {"highright", "lowright", "highleft", "lowleft"},
		-90: {"highright", "lowright", "highleft", "lowleft"},
		450: {"lowleft", "highleft", "lowright", "highright"},
	}
	r := sharedResolver()
	for rotate, want := range displayed {
		data := quarters(rotate)
		for i, word := range want {
			x, y := float64(i%2)/2, float64(i/2)/2
			loc := boxed(1, x, y, x+0.5, y+0.5)
			for run, err := range r.ReadText(t.Context(), source(data), loc) {
				if err != nil || strings.TrimSpace(run.Text) != word {
					t.Errorf("rotated by %d, quarter %d reads %q, %v; want %q", rotate, i, run.Text, err, word)
				}
			}
			got := read(t, mustResolve(t, data, loc))
			annots := len(got.array(got.page(0)["Annots"]))
			if wantAnnots := strings.Count(word, "lowleft"); annots != wantAnnots {
				t.Errorf("rotated by %d, quarter %d has %d annotations, want %d", rotate, i, annots, wantAnnots)
			}
		}
	}
}

// TestCropLook compares crops with what poppler draws of the region.
func TestCropLook(t *testing.T) {
	sources := map[string][]byte{}
	for _, rotate := range []int{0, 90, 180, 270} {
		sources[fmt.Sprintf("rotated by %d", rotate)] = quarters(rotate)
	}
	for name, data := range sources {
		width, height := 400, 200
		if strings.HasSuffix(name, "90") || strings.HasSuffix(name, "270") {
			width, height = 200, 400
		}
		compareCrop(t, name, data, 1, width, height)
	}
	data, err := os.ReadFile(sharedtest.Corpus(t, "pdf/manual-bzip2.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	compareCrop(t, "manual-bzip2.pdf", data, 7, 612, 792)
}

// compareCrop compares a region in the middle of a page whose size as
// displayed is given in points.
func compareCrop(t *testing.T, name string, data []byte, page, width, height int) {
	t.Helper()
	x, y, w, h := width/4, height/10, width/2, height/2
	got := mustResolve(t, data, boxed(page, float64(x)/float64(width), float64(y)/float64(height),
		float64(x+w)/float64(width), float64(y+h)/float64(height)))
	n := strconv.Itoa(page)
	region := []string{"-f", n, "-l", n, "-r", "72", "-x", strconv.Itoa(x), "-y", strconv.Itoa(y), "-W", strconv.Itoa(w), "-H", strconv.Itoa(h)}
	path, extract := file(t, data), file(t, got)
	if d := difference(t, pdftoppm(t, path, region...), pdftoppm(t, extract, "-r", "72")); d > 1 {
		t.Errorf("%s: the crop differs from the region by %.2f of 255 on average", name, d)
	}
	if width != 612 {
		return // pdftotext counts from the media box, not the crop box
	}
	wantText := pdftotext(t, path, region...)
	if gotText := pdftotext(t, extract); shared(gotText, wantText) < 0.95 {
		t.Errorf("%s: the crop reads %q, want %q", name, words(gotText), words(wantText))
	}
}

// difference returns the mean difference of two PGM images of the same size.
func difference(t *testing.T, a, b []byte) float64 {
	t.Helper()
	if len(a) != len(b) || !bytes.Equal(a[:15], b[:15]) {
		t.Fatalf("images of different sizes: %q, %q", a[:15], b[:15])
	}
	sum := 0.0
	for i := range a {
		sum += math.Abs(float64(a[i]) - float64(b[i]))
	}
	return sum / float64(len(a))
}
