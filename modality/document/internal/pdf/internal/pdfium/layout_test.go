package pdfium_test

import (
	"bytes"
	"image"
	_ "image/png"
	"math"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

func layouts(t *testing.T, data []byte) []pdfium.Layout {
	t.Helper()
	got, err := engine.Session(plenty).Layouts(t.Context(), bytes.NewReader(data), int64(len(data)), []int{0}, func(lines []pdfium.Line) bool { return len(lines) > 1 })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestLayouts(t *testing.T) {
	sharedtest.NotShort(t)
	rows := []pdftest.Row{
		{X: 60, Y: 100, Size: 20, Bold: true, Text: "Large and bold"},
		{X: 60, Y: 200, Size: 10, Text: "small and regular"},
		{X: 300, Y: 400, Width: 150, Height: 80},
	}
	for name, data := range map[string][]byte{"plain": pdftest.Rows("", rows), "turned": pdftest.TurnedRows(rows)} {
		page := layouts(t, data)[0]
		if page.Width != 600 || page.Height != 800 || len(page.Lines) != 2 || len(page.Drawn) != 1 {
			t.Fatalf("%s: %+v", name, page)
		}
		for i, want := range []pdfium.Line{
			{Text: "Large and bold", Size: 20, Bold: true, Box: pdfium.Box{X1: 0.1, Y1: 0.11, X2: 0.34, Y2: 0.13}},
			{Text: "small and regular", Size: 10, Box: pdfium.Box{X1: 0.1, Y1: 0.24, X2: 0.23, Y2: 0.25}},
		} {
			got := page.Lines[i]
			if got.Text != want.Text || math.Abs(got.Size-want.Size) > 0.01 || got.Bold != want.Bold || got.Mixed || !near(got.Box, want.Box, 0.02) {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
		if want := (pdfium.Box{X1: 0.5, Y1: 0.5, X2: 0.75, Y2: 0.6}); !near(page.Drawn[0], want, 0.005) {
			t.Errorf("%s: drawn at %+v, want %+v", name, page.Drawn[0], want)
		}
	}
	if alone := layouts(t, pdftest.Rows("", rows[1:]))[0]; len(alone.Drawn) != 0 {
		t.Errorf("drawn, which was not asked for: %v", alone.Drawn)
	}
}

// TestGap has the head of a table, which is one line of two columns, and words
// with spaces of the usual width.
func TestGap(t *testing.T) {
	sharedtest.Once(t)
	page := layouts(t, pdftest.Rows("", []pdftest.Row{
		{X: 60, Y: 100, Size: 10, Bold: true, Text: "Country"},
		{X: 115, Y: 100, Size: 10, Bold: true, Text: "Level of use"},
		{X: 60, Y: 200, Size: 10, Bold: true, Text: "1 Level of use"},
		{X: 60, Y: 300, Size: 10, Text: "regular and small"},
	}))[0]
	if len(page.Lines) != 3 {
		t.Fatalf("%+v", page.Lines)
	}
	for i, want := range [][2]float64{{1, 3}, {0.1, 0.5}, {0, 0}} {
		if got := page.Lines[i].Gap; got < want[0] || got > want[1] {
			t.Errorf("%q: a gap of %.2f, want %v", page.Lines[i].Text, got, want)
		}
	}
}

func near(a, b pdfium.Box, by float64) bool {
	for _, d := range []float64{a.X1 - b.X1, a.Y1 - b.Y1, a.X2 - b.X2, a.Y2 - b.Y2} {
		if math.Abs(d) > by {
			return false
		}
	}
	return true
}

func TestRender(t *testing.T) {
	sharedtest.Once(t)
	data := pdftest.Rows("", []pdftest.Row{{X: 300, Y: 400, Width: 150, Height: 80}})
	for _, test := range []struct {
		dpi           float64
		width, height int
	}{{72, 600, 800}, {36, 300, 400}, {5000, 3547, 4729}} {
		got, err := engine.Session(plenty).Render(t.Context(), bytes.NewReader(data), int64(len(data)), 0, test.dpi)
		if err != nil {
			t.Fatal(err)
		}
		picture, format, err := image.Decode(bytes.NewReader(got))
		if err != nil || format != "png" {
			t.Fatalf("%s, %v", format, err)
		}
		size := picture.Bounds().Size()
		if abs(size.X-test.width) > 1 || abs(size.Y-test.height) > 1 {
			t.Errorf("%v dots per inch: %v, want %d by %d", test.dpi, size, test.width, test.height)
		}
		dark, _, _, _ := picture.At(size.X*6/10, size.Y*11/20).RGBA()
		light, _, _, _ := picture.At(size.X/10, size.Y/10).RGBA()
		if dark > 0x1000 || light < 0xf000 {
			t.Errorf("%v dots per inch: %x within the rectangle, %x outside", test.dpi, dark, light)
		}
	}
}

func abs(n int) int { return max(n, -n) }
