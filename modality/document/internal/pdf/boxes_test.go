package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// boxedFiles have text and nothing else on their pages. Some of the pages are
// rotated, cropped, or written from right to left.
var boxedFiles = []string{"rotated-6p.pdf", "rotate-inherited.pdf", "rtl-hebrew.pdf", "page-sizes-mixed.pdf", "outline-nested.pdf", "linearized-objstm-30p.pdf"}

func pdfSource(t *testing.T, path string) *citekit.Source {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.pdf", Size: int64(len(data)), Identity: path})
}

// pageTexts returns the text of the first pages of a source.
func pageTexts(t *testing.T, r *pdf.Resolver, src *citekit.Source, most int) (texts []string) {
	t.Helper()
	extent, err := r.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	for run, err := range r.ReadText(t.Context(), src, pages(1, min(most, extent.Pages))) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, run.Text)
	}
	return texts
}

// TestBoxesHoldInk draws pages and looks for ink outside the boxes of their
// text.
func TestBoxesHoldInk(t *testing.T) {
	sharedtest.NotShort(t)
	r := sharedResolver()
	engine := &pdfium.Engine{CacheDir: codeCache(t)}
	const most = 6
	for _, name := range boxedFiles {
		src := pdfSource(t, sharedtest.Corpus(t, "pdf/"+name))
		for i, text := range pageTexts(t, r, src, most) {
			boxes, err := r.Boxes(t.Context(), src, pages(i+1, i+1), 0, len(text))
			if err != nil {
				t.Fatalf("%s page %d: %v", name, i+1, err)
			}
			drawn, err := engine.Session(1<<40).Render(t.Context(), src, src.Size(), i, 150)
			if err != nil {
				t.Fatal(err)
			}
			all, outside := ink(t, drawn, boxes)
			t.Logf("%s page %d: %d boxes, %d of %d dark pixels outside", name, i+1, len(boxes), outside, all)
			if outside*200 > all {
				t.Errorf("%s page %d: %d of %d dark pixels are outside the boxes", name, i+1, outside, all)
			}
		}
	}
}

// TestBoxesInCrop looks for ink outside the boxes on a page that shows a part
// of itself, and is rotated.
func TestBoxesInCrop(t *testing.T) {
	sharedtest.NotShort(t)
	r := sharedResolver()
	engine := &pdfium.Engine{CacheDir: codeCache(t)}
	whole := pdfSource(t, sharedtest.Corpus(t, "pdf/rotated-6p.pdf"))
	seen := 0
	for page := 1; page <= 4; page++ {
		cut, err := r.Resolve(t.Context(), whole, citekit.Request{Location: boxed(page, .05, .1, .6, .7)})
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(cut.Body)
		if err != nil {
			t.Fatal(err)
		}
		src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.pdf", Size: int64(len(data))})
		text := pageTexts(t, r, src, 1)[0]
		boxes, err := r.Boxes(t.Context(), src, pages(1, 1), 0, len(text))
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := engine.Session(1<<40).Render(t.Context(), src, src.Size(), 0, 150)
		if err != nil {
			t.Fatal(err)
		}
		all, outside := ink(t, drawn, boxes)
		if outside*200 > all || (all == 0) != (len(boxes) == 0) {
			t.Errorf("page %d: %d of %d dark pixels are outside the boxes %v", page, outside, all, boxes)
		}
		if all > 0 {
			seen++
		}
	}
	if seen < 2 {
		t.Errorf("%d of the parts have ink", seen)
	}
}

// ink counts the dark pixels of a picture, and those that are more than a pixel
// outside boxes.
func ink(t *testing.T, drawn []byte, boxes []citekit.Box) (all, outside int) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	grey, size := picture.(*image.Gray), picture.Bounds().Size()
	inside := func(x, y int) bool {
		for _, b := range boxes {
			x1, y1, x2, y2 := b.Pixels(size.X, size.Y)
			if x >= x1-1 && x <= x2 && y >= y1-1 && y <= y2 {
				return true
			}
		}
		return false
	}
	for y := range size.Y {
		for x := range size.X {
			if grey.GrayAt(x, y).Y < 128 {
				all++
				if !inside(x, y) {
					outside++
				}
			}
		}
	}
	return all, outside
}

// TestBoxesOfPhrases reads what stands in the boxes of phrases, which is the
// phrase and no more.
func TestBoxesOfPhrases(t *testing.T) {
	sharedtest.NotShort(t)
	random := rand.New(rand.NewPCG(5, 6))
	r := sharedResolver()
	phrases, exact := 0, 0
	each := 12
	if sharedtest.Long() {
		each = 40
	}
	var files []string
	for _, name := range append(boxedFiles, "tagged-multipage.pdf", "form-two-pages.pdf") {
		files = append(files, sharedtest.Corpus(t, "pdf/"+name))
	}
	const manual = "/usr/share/R/doc/manual/fullrefman.pdf"
	if _, err := os.Stat(manual); err == nil {
		files = append(files, manual)
	}
	for _, name := range files {
		src := pdfSource(t, name)
		texts := pageTexts(t, r, src, 30)
		for range each {
			page := random.IntN(len(texts))
			from, to := phrase(random, texts[page])
			if from == to {
				continue
			}
			boxes, err := r.Boxes(t.Context(), src, pages(page+1, page+1), from, to)
			if err != nil {
				t.Fatal(err)
			}
			if len(boxes) == 0 && !strings.Contains(seenOn(t, r, src, page), squeezed(texts[page][from:to])) {
				continue // it lies beyond the edge of the page
			}
			var got strings.Builder
			for _, b := range boxes {
				loc := pages(page+1, page+1)
				loc.Box = b
				for run, err := range r.ReadText(t.Context(), src, loc) {
					if err != nil {
						t.Fatal(err)
					}
					got.WriteString(run.Text + " ")
				}
			}
			phrases++
			want := texts[page][from:to]
			if lines := len(strings.FieldsFunc(want, func(c rune) bool { return c == '\n' })); len(boxes) > lines {
				t.Errorf("%s page %d: %d boxes of %q", name, page+1, len(boxes), want)
			}
			if squeezed(got.String()) == squeezed(want) {
				exact++
			} else {
				t.Logf("%s page %d: boxes %v of %q hold %q", name, page+1, boxes, want, got.String())
			}
		}
	}
	t.Logf("%d of %d phrases are in their boxes, with nothing else", exact, phrases)
	if exact*100 < phrases*98 {
		t.Errorf("%d of %d phrases are in their boxes", exact, phrases)
	}
}

// seenOn returns the text that can be seen on a page, squeezed.
func seenOn(t *testing.T, r *pdf.Resolver, src *citekit.Source, page int) string {
	t.Helper()
	whole := pages(page+1, page+1)
	whole.Box = citekit.Box{X2: 1, Y2: 1}
	var seen string
	for run, err := range r.ReadText(t.Context(), src, whole) {
		if err != nil {
			t.Fatal(err)
		}
		seen += squeezed(run.Text)
	}
	return seen
}

// phrase returns where some words of a text are, up to six.
func phrase(random *rand.Rand, text string) (from, to int) {
	var starts, ends []int
	for i, c := range text {
		begins := i == 0 || unicode.IsSpace(rune(text[i-1]))
		if begins && !unicode.IsSpace(c) {
			starts = append(starts, i)
			end := strings.IndexFunc(text[i:], unicode.IsSpace)
			if end < 0 {
				end = len(text) - i
			}
			ends = append(ends, i+end)
		}
	}
	if len(starts) == 0 {
		return 0, 0
	}
	first := random.IntN(len(starts))
	return starts[first], ends[min(first+random.IntN(6), len(ends)-1)]
}

func squeezed(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '-' {
			return -1
		}
		return c
	}, text)
}

func TestBoxesErrors(t *testing.T) {
	sharedtest.Once(t)
	r := sharedResolver()
	src := citekit.NewSource(bytes.NewReader(simple(false)), citekit.SourceInfo{Name: "a.pdf", Size: int64(len(simple(false)))})
	for _, test := range []struct {
		loc      citekit.Location
		from, to int
		want     error
	}{
		{pages(5, 5), 0, 1, citekit.ErrRange},
		{pages(1, 1), 0, 1000, citekit.ErrRange},
		{pages(1, 1), -1, 1, citekit.ErrRange},
		{pages(1, 1), 3, 2, citekit.ErrRange},
		{pages(1, 2), 0, 1, errors.ErrUnsupported},
		{boxed(1, 0, 0, 1, .5), 0, 1, errors.ErrUnsupported},
		{citekit.Location{Modality: citekit.Text}, 0, 1, errors.ErrUnsupported},
	} {
		if got, err := r.Boxes(t.Context(), src, test.loc, test.from, test.to); !errors.Is(err, test.want) {
			t.Errorf("bytes %d-%d at %v: %v, %v; want %v", test.from, test.to, test.loc.Pages, got, err, test.want)
		}
	}
	if got, err := r.Boxes(t.Context(), src, pages(1, 1), 4, 5); err != nil || len(got) != 0 {
		t.Errorf("white space: %v, %v", fmt.Sprint(got), err)
	}
}
