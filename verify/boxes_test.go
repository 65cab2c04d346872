package verify_test

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/altertest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/verify"
)

// A segment is a part of the lines of a page: from a byte of the first to a byte
// of the last.
type segment struct{ page, first, from, last, to int }

// part returns what the stretch has of line n, and what stands around it.
func (q segment) part(n int, line string) (before, shown, after string) {
	from, to := 0, len(line)
	if n < q.first || n > q.last {
		return line, "", ""
	}
	if n == q.first {
		from = q.from
	}
	if n == q.last {
		to = q.to
	}
	return line[:from], line[from:to], line[to:]
}

// only returns the page of a stretch as a file of its own, on which nothing but
// the stretch can be seen.
func (s *typesetter) only(q segment) []byte {
	var b strings.Builder
	for n, line := range s.pages[q.page].lines {
		before, shown, after := q.part(n, line)
		x, y := 60+n/s.rows*270, 720-14*(n%s.rows)
		b.WriteString(strings.Join([]string{s.begin(x, y, 10), "3 Tr", s.shown(before), "0 Tr", s.shown(shown), "3 Tr", s.shown(after), "ET\n"}, " "))
	}
	one := &typesetter{columns: s.columns, rows: s.rows, pages: []*setPage{{raw: b.String()}}}
	return one.pdf()
}

// quote is the text of a stretch, or "" if a word in it is divided.
func (s *typesetter) quote(q segment) string {
	if q.from == 0 && (q.first == 0 || strings.HasSuffix(s.pages[q.page].lines[q.first-1], "-")) {
		return ""
	}
	var parts []string
	for n := q.first; n <= q.last; n++ {
		_, shown, _ := q.part(n, s.pages[q.page].lines[n])
		if strings.HasSuffix(shown, "-") {
			return ""
		}
		parts = append(parts, strings.TrimSpace(shown))
	}
	return strings.Join(parts, " ")
}

// stretchOf chooses a stretch of one to four lines of one column.
func (s *typesetter) stretchOf(r *rand.Rand) segment {
	q := segment{page: r.IntN(len(s.pages) - 1)}
	lines := s.pages[q.page].lines
	q.first = r.IntN(len(lines))
	q.last = min(q.first+r.IntN(4), len(lines)-1, q.first/s.rows*s.rows+s.rows-1)
	starts, ends := altertest.WordStarts(lines[q.first], false), altertest.WordStarts(lines[q.last], false)
	q.from = starts[r.IntN((len(starts)+1)/2)]
	if q.to = len(lines[q.last]); len(ends) > 1 && r.IntN(2) == 0 {
		q.to = ends[len(ends)-1] - 1
	}
	return q
}

// TestBoxesOfQuotes draws the page of each quote, and the page with nothing but
// the quote: the boxes hold all ink of this one, and none that only the other
// has.
func TestBoxesOfQuotes(t *testing.T) {
	sharedtest.NotShort(t)
	files := map[string]*typesetter{
		"one.pdf": {columns: 1, width: 80, rows: 24},
		"two.pdf": {columns: 2, width: 44, rows: 16},
	}
	files["one.pdf"].set(strings.Split(altertest.Prose("en-tune"), "\n"))
	files["two.pdf"].set(strings.Split(altertest.Prose("de-held"), "\n"))
	shelf := newShelf(t, map[string]string{"one.pdf": string(files["one.pdf"].pdf()), "two.pdf": string(files["two.pdf"].pdf())})
	random := rand.New(rand.NewPCG(7, 8))
	drawer := new(document.PDF)
	most := 15
	if sharedtest.Long() {
		most = 100
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		s := files[name]
		pages := make(map[int]*image.Gray)
		for found := 0; found < most; {
			q := s.stretchOf(random)
			quote := s.quote(q)
			if q.first == q.last && q.from >= q.to || len(strings.Fields(quote)) < 4 {
				continue
			}
			found++
			if pages[q.page] == nil {
				pages[q.page] = render(t, drawer, s.pdf(), q.page)
			}
			id := strings.TrimSuffix(name, ".pdf")
			v, err := shelf.Quote(t.Context(), verify.Request{Quote: quote, Boxes: true, Address: citekit.Address{Resource: id, Location: citekit.Location{Modality: citekit.Document}}})
			if err != nil {
				t.Fatal(err)
			}
			checkBoxes(t, q, v, pages[q.page], render(t, drawer, s.only(q), 0))
		}
	}
}

func checkBoxes(t *testing.T, q segment, v *verify.Verdict, page, only *image.Gray) {
	t.Helper()
	if !v.Holds() || len(v.Boxes) != q.last-q.first+1 {
		t.Errorf("%q on %d lines is %s, with %d boxes", v.Quote, q.last-q.first+1, v.Class, len(v.Boxes))
		return
	}
	var boxes []citekit.Box
	for _, b := range v.Boxes {
		if b.Page != q.page+1 {
			t.Errorf("%q is on page %d; a box is on page %d", v.Quote, q.page+1, b.Page)
		}
		boxes = append(boxes, b.Box)
	}
	own, missed, foreign := inkIn(page, only, boxes)
	if own == 0 || missed*200 > own {
		t.Errorf("%q: %d of %d dark pixels are outside the boxes", v.Quote, missed, own)
	}
	if foreign*50 > own {
		t.Errorf("%q has %d dark pixels, and its boxes hold %d others", v.Quote, own, foreign)
	}
}

// near reports whether a pixel is dark or beside a dark one: where a line is drawn
// in parts, its letters may be moved by less than one.
func near(picture *image.Gray, x, y int) bool {
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			if at := (image.Point{X: x + dx, Y: y + dy}); at.In(picture.Rect) && picture.GrayAt(at.X, at.Y).Y < 128 {
				return true
			}
		}
	}
	return false
}

// inkIn counts the dark pixels of a quote, those of them that are more than a
// pixel outside boxes, and other dark pixels that are more than a pixel inside.
func inkIn(page, only *image.Gray, boxes []citekit.Box) (own, missed, foreign int) {
	size := page.Bounds().Size()
	within := func(x, y, margin int) bool {
		for _, b := range boxes {
			x1, y1, x2, y2 := b.Pixels(size.X, size.Y)
			if x >= x1-margin && x < x2+margin && y >= y1-margin && y < y2+margin {
				return true
			}
		}
		return false
	}
	for y := range size.Y {
		for x := range size.X {
			switch {
			case only.GrayAt(x, y).Y < 128:
				own++
				if !within(x, y, 1) {
					missed++
				}
			case page.GrayAt(x, y).Y < 128 && within(x, y, -1) && !near(only, x, y):
				foreign++
			}
		}
	}
	return own, missed, foreign
}

func render(t *testing.T, drawer *document.PDF, data []byte, page int) *image.Gray {
	t.Helper()
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "page.pdf", Size: int64(len(data))})
	loc := citekit.Document.Pages(page+1, page+1)
	drawn, err := drawer.Preview(t.Context(), src, loc, preview.Options{Side: 1100})
	if err != nil {
		t.Fatal(err)
	}
	picture, _, err := image.Decode(bytes.NewReader(drawn.Data))
	if err != nil {
		t.Fatal(err)
	}
	gray := image.NewGray(picture.Bounds())
	draw.Draw(gray, gray.Rect, picture, gray.Rect.Min, draw.Src)
	return gray
}
