package pdf_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// TestTextOnOnePage has text on none of the pages that are asked first.
func TestTextOnOnePage(t *testing.T) {
	sharedtest.Once(t)
	r := &pdf.Resolver{CodeCacheDir: codeCache(t), MaxFigurePages: -1, MaxHeadingPages: -1}
	for _, want := range []bool{true, false} {
		pages := make([][]pdftest.Row, 30)
		for i := range pages {
			pages[i] = []pdftest.Row{{X: 10, Y: 10, Width: 500, Height: 700}}
		}
		if want {
			pages[5] = []pdftest.Row{{X: 60, Y: 60, Size: 10, Text: "Something is written here."}}
		}
		s := mapOf(t, r, pdftest.Rows("", pages...))
		if got := s.Metadata["text_layer"]; got != want || s.Method != "pages" {
			t.Errorf("text_layer is %v, want %v; by %s", got, want, s.Method)
		}
	}
}

// TestDamagedPageMeasures has an outline that leads to a page whose size
// cannot be read.
func TestDamagedPageMeasures(t *testing.T) {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	sizes := f.Add("]( ")
	damaged := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox %d 0 R >>", tree, sizes)
	sound := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 100 200] >>", tree)
	f.Set(tree, "<< /Type /Pages /Count 2 /Kids [%d 0 R %d 0 R] >>", damaged, sound)
	outline, a, b := f.Reserve(), f.Reserve(), f.Reserve()
	f.Set(outline, "<< /First %d 0 R >>", a)
	f.Set(a, "<< /Title (a) /Dest [%d 0 R /XYZ 0 9 0] /Next %d 0 R >>", damaged, b)
	f.Set(b, "<< /Title (b) /Dest [%d 0 R /XYZ 0 200 0] >>", sound)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R /Outlines %d 0 R >>", tree, outline)
	f.Root(root)
	s := mapOf(t, sharedResolver(), f.Bytes())
	if got := told(s.Nodes); s.Method != "outline" || len(s.Nodes) != 2 {
		t.Errorf("by %s:\n%s", s.Method, got)
	}
	if got, ok := s.Metadata["text_layer"]; ok {
		t.Errorf("text_layer is %v of pages that nobody read", got)
	}
}

// TestManyCaptions has a page of nothing but captions, which is a list of
// figures.
func TestManyCaptions(t *testing.T) {
	var rows []pdftest.Row
	for i := range 60 {
		rows = append(rows, pdftest.Row{X: 60, Y: 60 + 12*float64(i), Size: 10, Text: fmt.Sprintf("Figure %d: A picture of something", i+1)})
	}
	if got := told(mapOf(t, sharedResolver(), pdftest.Rows("", rows)).Nodes); strings.Contains(got, "figure") {
		t.Errorf("figures of a list of figures:\n%s", got)
	}
}

// TestDeepHeadings has headings with numbers of ever more parts.
func TestDeepHeadings(t *testing.T) {
	sharedtest.NotShort(t)
	s := &setter{}
	number := "1"
	for i := range 72 {
		if i%5 == 0 {
			s.page()
		}
		s.row(30, 14, true, number+" Title")
		s.text(6)
		number += ".1"
	}
	depth := 0
	for nodes := mapOf(t, sharedResolver(), pdftest.Rows("", s.pages...)).Nodes; len(nodes) > 0; nodes = nodes[len(nodes)-1].Children {
		depth++
	}
	if depth < 10 || depth > 64 {
		t.Errorf("nested %d deep", depth)
	}
}

// TestNotHeadings has lines that are set as headings are: the items of slides,
// and text with each line in another size.
func TestNotHeadings(t *testing.T) {
	s := &setter{}
	for i := range 4 {
		s.page()
		s.row(20, 24, true, fmt.Sprintf("Slide of the number %c", 'A'+i))
		s.row(40, 18, false, "\\267 an item of a list that says something")
		s.text(6)
	}
	if got := told(mapOf(t, sharedResolver(), pdftest.Rows("", s.pages...)).Nodes); strings.Count(got, "\n") != 4 || strings.Contains(got, "item") {
		t.Errorf("slides:\n%s", got)
	}
	s = &setter{}
	for range 3 {
		s.page()
		for i := range 20 {
			s.row(30, 8+float64(i*i%7), false, "A line of what was recognised in a scan")
		}
	}
	if got := mapOf(t, sharedResolver(), pdftest.Rows("", s.pages...)); got.Method != "pages" {
		t.Errorf("text of many sizes, by %s:\n%s", got.Method, told(got.Nodes))
	}
}

// TestFigureInSentence has a sentence that goes on with the number of a figure
// at the beginning of a line.
func TestFigureInSentence(t *testing.T) {
	s := &setter{}
	s.page()
	s.text(5)
	s.row(12, 10, false, "This sentence says where to look for what nobody has asked for, as it is in")
	s.row(12, 10, false, "Figure 3: the dark rectangle. The text goes on from there until it has an end.")
	s.text(5)
	if got := told(mapOf(t, sharedResolver(), pdftest.Rows("", s.pages...)).Nodes); strings.Contains(got, "figure") {
		t.Errorf("a figure of a sentence:\n%s", got)
	}
}

var errDisk = errors.New("the disk is gone")

// A failingReader reads its data but for what is after a place.
type failingReader struct {
	io.ReaderAt
	from int64
}

func (f failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off < f.from && off+int64(len(p)) > f.from {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(p, off)
}

// TestSourceFails reads a source with a page whose content cannot be read: a map without what stands there would not be that of the source.
func TestSourceFails(t *testing.T) {
	text := make([]pdftest.Row, 3000)
	for i := range text {
		text[i] = pdftest.Row{X: 60, Y: 60, Size: 10, Text: "Running text goes on and on."}
	}
	data := pdftest.Rows("", text)
	src := citekit.NewSource(failingReader{strings.NewReader(string(data)), int64(len(data)) / 2}, citekit.SourceInfo{Name: "source.pdf", Size: int64(len(data))})
	_, err := sharedResolver().Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
}
