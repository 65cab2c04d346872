package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A setter sets pages of text line by line, with a running head and a number
// on each.
type setter struct {
	pages [][]pdftest.Row
	y     float64
}

func (s *setter) page() {
	n := len(s.pages) + 1
	s.pages = append(s.pages, []pdftest.Row{
		{X: 60, Y: 40, Size: 10, Bold: true, Text: "A Study of Lines"},
		{X: 300, Y: 780, Size: 10, Text: fmt.Sprint(n)},
	})
	s.y = 100
}

func (s *setter) row(gap, size float64, bold bool, text string) {
	s.y += gap
	last := len(s.pages) - 1
	s.pages[last] = append(s.pages[last], pdftest.Row{X: 60, Y: s.y, Size: size, Bold: bold, Text: text})
}

func (s *setter) text(lines int) {
	for i := range lines {
		s.row(12, 10, false, fmt.Sprintf("Running text of line %d goes on and on until it has reached the right margin.", i+1))
	}
}

// report is a document with three levels of headings.
func report() *setter {
	s := &setter{}
	s.page()
	s.row(60, 28, true, "A Study of Lines")
	s.row(40, 12, false, "by its author")
	s.page()
	s.row(0, 18, true, "1 Introduction")
	s.text(12)
	s.row(24, 14, true, "1.1 Why lines matter")
	s.text(20)
	s.page()
	s.text(10)
	s.row(24, 14, true, "1.2 A heading that is so long that it")
	s.row(16, 14, true, "goes on in a second line")
	s.text(10)
	s.row(20, 10, true, "Remarks")
	s.text(4)
	s.row(12, 10, true, "this bold line is part of a paragraph and not a heading.")
	s.text(4)
	s.page()
	s.row(0, 18, true, "2 Results")
	s.text(30)
	return s
}

// told lists nodes with their pages, indented by depth.
func told(nodes []*citekit.Node) string {
	var b strings.Builder
	var tell func(nodes []*citekit.Node, indent string)
	tell = func(nodes []*citekit.Node, indent string) {
		for _, n := range nodes {
			fmt.Fprintf(&b, "%s%s %s: %s\n", indent, n.Type, n.Location.Pages[0], n.Title)
			tell(n.Children, indent+"  ")
		}
	}
	tell(nodes, "")
	return b.String()
}

func TestHeadings(t *testing.T) {
	s := mapOf(t, sharedResolver(), pdftest.Rows("", report().pages...))
	want := `section 2-3: 1 Introduction
  section 2-3: 1.1 Why lines matter
  section 3: 1.2 A heading that is so long that it goes on in a second line
    section 3: Remarks
section 4: 2 Results
`
	if diff := cmp.Diff(want, told(s.Nodes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Title != "A Study of Lines" {
		t.Errorf("the title is %q", s.Title)
	}
	if s.Method != "headings" || s.Metadata["text_layer"] != true {
		t.Errorf("method %q, metadata %v", s.Method, s.Metadata)
	}
	if summary := s.Nodes[0].Summary; !strings.HasPrefix(summary, "Running text of line 1 goes on and on") {
		t.Errorf("summary %q", summary)
	}
	checkStructure(t, s)
}

// TestNoHeadings maps running text, which has only pages.
func TestNoHeadings(t *testing.T) {
	sharedtest.Once(t)
	s := &setter{}
	for range 25 {
		s.page()
		s.text(40)
	}
	got := mapOf(t, sharedResolver(), pdftest.Rows("", s.pages...))
	want := "pages 1-10: Page 1\npages 11-20: Page 11\npages 21-25: Page 21\n" // all begin with the same line
	if diff := cmp.Diff(want, told(got.Nodes)); diff != "" || got.Method != "pages" {
		t.Errorf("method %q (-want +got):\n%s", got.Method, diff)
	}
	if got.Title != "" {
		t.Errorf("a sentence is the title: %q", got.Title)
	}
	short := mapOf(t, sharedResolver(), pdftest.Rows("", s.pages[:3]...))
	if len(short.Nodes) != 3 {
		t.Errorf("%d nodes for three pages", len(short.Nodes))
	}
}

// TestSameBeginning names pages that all begin with one line by their numbers, and
// the document by that line.
func TestSameBeginning(t *testing.T) {
	s := &setter{}
	for range 3 {
		s.page()
		s.row(0, 10, false, "Sequence of the Harbour Lights")
		s.row(40, 10, false, "It was dark, and nobody had lit the lamps along the quay, as they do on most days of a year.")
	}
	got := mapOf(t, sharedResolver(), pdftest.Rows("", s.pages...))
	if want := "pages 1: Page 1\npages 2: Page 2\npages 3: Page 3\n"; cmp.Diff(want, told(got.Nodes)) != "" || got.Title != "Sequence of the Harbour Lights" {
		t.Errorf("title %q, nodes %s", got.Title, told(got.Nodes))
	}
}

// withFigures is a page with a figure above its caption and a ruled table
// below its own.
func withFigures() []pdftest.Row {
	s := &setter{}
	s.page()
	s.text(10)
	add := func(rows ...pdftest.Row) { s.pages[0] = append(s.pages[0], rows...) }
	add(pdftest.Row{X: 100, Y: 240, Width: 300, Height: 120}) // the figure
	s.y = 380
	s.row(0, 9, false, "Figure 1: A dark rectangle. It says nothing.")
	s.y = 400
	s.text(8)
	s.y = 530
	s.row(0, 9, false, "Table 2. Some numbers")
	add(pdftest.Row{X: 60, Y: 540, Width: 400, Height: 1}, pdftest.Row{X: 60, Y: 560, Width: 400, Height: 1}, pdftest.Row{X: 60, Y: 640, Width: 400, Height: 1})
	s.row(24, 10, false, "one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8")
	s.row(24, 10, false, "one 2 two 4 three 6 four 8 five 10 six 12 seven 14")
	s.y = 660
	s.row(0, 10, false, "Figure 1 shows what nobody has asked for, and Table 2 is of no use either.")
	s.text(5)
	return s.pages[0]
}

func TestFigures(t *testing.T) {
	for name, test := range map[string]struct {
		data        []byte
		top, height float64 // of what is displayed, in points
	}{
		"plain":   {pdftest.Rows("", withFigures()), 0, 800},
		"turned":  {pdftest.TurnedRows(withFigures()), 0, 800},
		"cropped": {pdftest.Rows("/CropBox [0 0 600 790]", withFigures()), 10, 790},
	} {
		s := mapOf(t, sharedResolver(), test.data)
		var found []*citekit.Node
		for _, n := range s.Nodes {
			found = append(found, n.Children...)
		}
		if len(found) != 2 {
			t.Fatalf("%s: found\n%s", name, told(s.Nodes))
		}
		for i, want := range []struct {
			kind, title    string
			x1, y1, x2, y2 float64 // points
		}{
			{"figure", "Figure 1: A dark rectangle. It says nothing.", 60, 240, 400, 382},
			{"table", "Table 2. Some numbers", 60, 521, 460, 641},
		} {
			n := found[i]
			if n.Type != want.kind || n.Title != want.title {
				t.Errorf("%s: %s %q, want %s %q", name, n.Type, n.Title, want.kind, want.title)
			}
			b := n.Location.Box
			got := [4]float64{b.X1 * 600, b.Y1*test.height + test.top, b.X2 * 600, b.Y2*test.height + test.top}
			for j, v := range [4]float64{want.x1, want.y1, want.x2, want.y2} {
				if d := got[j] - v; d < -4 || d > 4 {
					t.Errorf("%s: %s has the box %.0f, want %v %v %v %v", name, n.Title, got, want.x1, want.y1, want.x2, want.y2)
					break
				}
			}
		}
		checkStructure(t, s)
	}
}
