package pdfium_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

func textOf(t *testing.T, data []byte, page pdfium.Page, cropped bool) pdfium.PageText {
	t.Helper()
	got, err := engine.Session(plenty).Text(t.Context(), bytes.NewReader(data), int64(len(data)), []pdfium.Page{page}, cropped)
	if err != nil {
		t.Fatal(err)
	}
	return got[0]
}

// boxesOf returns the boxes of a part of the text of a page, in which it is once.
func boxesOf(t *testing.T, data []byte, page pdfium.Page, part string) []pdfium.Box {
	t.Helper()
	text := textOf(t, data, page, false).Text
	if strings.Count(text, part) != 1 {
		t.Fatalf("%q is not once in %q", part, text)
	}
	from := strings.Index(text, part)
	boxes, err := engine.Session(plenty).Boxes(t.Context(), bytes.NewReader(data), int64(len(data)), page, from, from+len(part))
	if err != nil {
		t.Fatal(err)
	}
	return boxes
}

// TestBoxes compares the boxes of parts of a text with where they are drawn.
func TestBoxes(t *testing.T) {
	rows := []pdftest.Row{
		{X: 60, Y: 100, Size: 20, Bold: true, Text: "Large and bold"},
		{X: 60, Y: 200, Size: 10, Text: "small and regular"},
	}
	first, second := pdfium.Box{X1: 0.1, Y1: 0.105, X2: 0.34, Y2: 0.13}, pdfium.Box{X1: 0.1, Y1: 0.24, X2: 0.23, Y2: 0.253}
	for name, data := range map[string][]byte{"plain": pdftest.Rows("", rows), "turned": pdftest.TurnedRows(rows)} {
		whole := textOf(t, data, pdfium.Page{}, false).Text
		for part, want := range map[string][]pdfium.Box{
			"Large and bold": {first},
			"small":          {{X1: second.X1, Y1: second.Y1, X2: 0.145, Y2: second.Y2}},
			whole:            {first, second},
			"\n":             nil,
		} {
			got := boxesOf(t, data, pdfium.Page{}, part)
			if len(got) != len(want) {
				t.Errorf("%s: %q is at %v, want %v", name, part, got, want)
				continue
			}
			for i := range got {
				if !near(got[i], want[i], 0.015) {
					t.Errorf("%s: line %d of %q is at %v, want %v", name, i+1, part, got[i], want[i])
				}
			}
		}
		_, err := engine.Session(plenty).Boxes(t.Context(), bytes.NewReader(data), int64(len(data)), pdfium.Page{}, 3, len(whole)+1)
		if !errors.Is(err, pdfium.ErrOutside) || !strings.HasPrefix(err.Error(), "bytes 3-33 of 32: ") {
			t.Errorf("%s: past the end: %v", name, err)
		}
	}
	if _, err := engine.Session(plenty).Boxes(t.Context(), strings.NewReader("%PDF-"), 5, pdfium.Page{}, 0, 1); !errors.Is(err, pdfium.ErrRefused) {
		t.Errorf("of no PDF file: %v", err)
	}
}

// TestVertical reads vertical writing: the upper part of the page first, in each the
// right column.
func TestVertical(t *testing.T) {
	data := pdftest.Vertical(
		pdftest.Column{X: 80, Y: 130, Text: "下の段の左"},
		pdftest.Column{X: 80, Y: 280, Text: "上の段の左の文"},
		pdftest.Column{X: 100, Y: 280, Text: "上の段の右の文は"},
		pdftest.Column{X: 100, Y: 130, Text: "下の段の右"},
	)
	page := pdfium.Page{Vertical: true}
	got := textOf(t, data, page, false)
	if want := "上の段の右の文は\n上の段の左の文\n下の段の右\n下の段の左"; got.Text != want || got.Read != 25 {
		t.Errorf("got %q, %d characters; want %q", got.Text, got.Read, want)
	}
	// The fifth to the seventh character of the column whose centre is at 80 points.
	want := pdfium.Box{X1: 75. / 300, Y1: 60. / 300, X2: 85. / 300, Y2: 90. / 300}
	if boxes := boxesOf(t, data, page, "左の文"); len(boxes) != 1 || !near(boxes[0], want, 0.03) {
		t.Errorf("got %v, want %v", boxes, want)
	}
	if boxes := boxesOf(t, data, page, "文\n下"); len(boxes) != 2 {
		t.Errorf("of two lines: %v", boxes)
	}
	number := pdftest.Vertical(
		pdftest.Column{X: 200, Y: 280, Text: "平成二十年四月一日公布"},
		pdftest.Column{X: 180, Y: 280, Text: "第18条の規定"},
		pdftest.Column{X: 180, Y: 190, Text: "次の各号"}, // beside the same column
	)
	if got := textOf(t, number, page, false); got.Text != "平成二十年四月一日公布\n第18条の規定\u3000次の各号" {
		t.Errorf("with a gap in a column: %q", got.Text)
	}
	if got := textOf(t, data, pdfium.Page{}, false); got.Text != "" {
		t.Errorf("read as horizontal writing: %q", got.Text)
	}
	if got := textOf(t, pdftest.Widthless("幅のない字"), pdfium.Page{Drawn: 5}, false); got.Text != "幅のない字" || got.Read != 5 {
		t.Errorf("without width: %+v", got)
	}
}

// TestShown leaves out hidden annotations, and has form fields drawn that lack an
// appearance.
func TestShown(t *testing.T) {
	data := pdftest.Fields()
	for _, test := range []struct {
		page        pdfium.Page
		there, gone []string
	}{
		{pdfium.Page{}, []string{"A form", "Carol", "opensesame", "remark"}, []string{"Alice", "Bob", "hidden"}},
		{pdfium.Page{Fill: true, Hidden: []int{3}}, []string{"A form", "Alice", "Bob", "Carol", "remark"}, []string{"opensesame", "hidden"}},
	} {
		text := textOf(t, data, test.page, false).Text
		for _, word := range test.there {
			if strings.Count(text, word) != 1 {
				t.Errorf("%+v: %q is not once in %q", test.page, word, text)
			}
		}
		for _, word := range test.gone {
			if strings.Contains(text, word) {
				t.Errorf("%+v: %q is in %q", test.page, word, text)
			}
		}
	}
}

// TestCropped leaves out text outside the crop box, if that is asked for.
func TestCropped(t *testing.T) {
	data := pdftest.Rows("/CropBox [0 0 600 650]", []pdftest.Row{
		{X: 60, Y: 100, Size: 20, Text: "Outside"},
		{X: 60, Y: 200, Size: 10, Text: "within"},
	})
	for cropped, want := range map[bool]string{false: "Outside\nwithin", true: "within"} {
		if got := textOf(t, data, pdfium.Page{}, cropped); got.Text != want {
			t.Errorf("cropped %v: %q, want %q", cropped, got.Text, want)
		}
	}
}

func TestDraw(t *testing.T) {
	data := pdftest.Rows("",
		[]pdftest.Row{{X: 300, Y: 400, Width: 150, Height: 80}},
		[]pdftest.Row{{X: 0, Y: 0, Width: 60, Height: 80}},
	)
	draw := func(pages ...int) (pictures []*image.RGBA, sizes []pdfium.Size, err error) {
		pictures, err = engine.Session(plenty).Draw(t.Context(), bytes.NewReader(data), int64(len(data)), pages, func(s []pdfium.Size) []image.Point {
			sizes = s
			return []image.Point{{X: 60, Y: 80}, {X: 120, Y: 160}}[:len(s)]
		})
		return pictures, sizes, err
	}
	pictures, sizes, err := draw(1, 0)
	if err != nil || len(pictures) != 2 || len(sizes) != 2 || sizes[1] != (pdfium.Size{Width: 600, Height: 800}) {
		t.Fatalf("%d pictures, sizes %v, %v", len(pictures), sizes, err)
	}
	black, white := color.RGBA{A: 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}
	for _, test := range []struct {
		picture, x, y int
		want          color.RGBA
	}{{0, 3, 4, black}, {0, 30, 40, white}, {1, 75, 88, black}, {1, 3, 4, white}, {1, 119, 159, white}} {
		if got := pictures[test.picture].RGBAAt(test.x, test.y); got != test.want {
			t.Errorf("picture %d at %d, %d: %v, want %v", test.picture, test.x, test.y, got, test.want)
		}
	}
	if _, _, err := draw(7); !errors.Is(err, pdfium.ErrRefused) {
		t.Errorf("of a page that is not there: %v", err)
	}
}

// TestSession checks that the work of the calls of a session counts together.
func TestSession(t *testing.T) {
	data := pdftest.Text(false, "one")
	s := engine.Session(plenty)
	read := func() error {
		_, err := s.Text(t.Context(), bytes.NewReader(data), int64(len(data)), pages(0), false)
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	used := plenty - s.Left()
	s.Set(used)
	s.Grant(used)
	if err := read(); err != nil || s.Left() != used || s.Spent() {
		t.Errorf("of twice %d units, %d are left after one call: %v", used, s.Left(), err)
	}
	s.Set(used / 2)
	if err := read(); !errors.Is(err, pdfium.ErrSpent) || !s.Spent() {
		t.Errorf("with half of what it needs: %v, %d left", err, s.Left())
	}
	s.Grant(plenty)
	if err := read(); !errors.Is(err, pdfium.ErrSpent) || !errors.Is(err, pdfium.ErrLimit) {
		t.Errorf("granted more when all was used up: %v", err)
	}
	s.Set(plenty)
	if err := read(); err != nil || plenty-s.Left() != used {
		t.Errorf("%v, %d units, want %d", err, plenty-s.Left(), used)
	}
}

// TestStartedBefore has code that was compiled before: nobody is told that it is being
// compiled, not even by an engine that has to start again.
func TestStartedBefore(t *testing.T) {
	if got := textOf(t, pdftest.Text(false, "one"), pdfium.Page{}, false); got.Text != "This is page one" {
		t.Fatal(got)
	}
	e := &pdfium.Engine{CacheDir: engine.CacheDir, Compiling: func(context.Context) func() {
		t.Error("it says that it compiles")
		return nil
	}}
	for range 2 {
		if got, err := text(t, e, pdftest.Text(false, "one"), 0); err != nil || got[0] != "This is page one" {
			t.Errorf("%q, %v", got, err)
		}
		e.Release()
	}
}
