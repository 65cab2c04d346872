package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
	"github.com/citekit/citekit/preview"
)

// painted returns a file of pages of 300 by 200 points with more entries, whose
// content draws on them, and a text field with a blue look on the first.
func painted(entries string, contents ...string) []byte {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	look := f.Stream("/Type /XObject /Subtype /Form /BBox [0 0 30 20]", []byte("0 0 1 rg 0 0 30 20 re f"))
	field := f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /F 4 /Rect [240 20 270 40] /AP << /N %d 0 R >> >>", look)
	kids := ""
	for i, content := range contents {
		annots := ""
		if i == 0 {
			annots = fmt.Sprintf("/Annots [%d 0 R]", field)
		}
		kids += fmt.Sprintf("%d 0 R ", f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R %s %s >>", tree, f.Stream("", []byte(content)), annots, entries))
	}
	f.Set(tree, "<< /Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 300 200] >>", kids, len(contents))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R /AcroForm << /Fields [%d 0 R] >> >>", tree, field)
	f.Root(root)
	return f.Bytes()
}

const redSquare = "1 0 0 rg 60 120 60 40 re f" // a fifth from the left and the top

func seen(t *testing.T, r *pdf.Resolver, data []byte, loc citekit.Location, opts preview.Options) (*preview.Preview, *image.RGBA) {
	t.Helper()
	p, err := r.Preview(t.Context(), source(data), loc, opts)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Rect, img, image.Point{}, draw.Src)
	return p, rgba
}

var (
	white = color.RGBA{255, 255, 255, 255}
	red   = color.RGBA{255, 0, 0, 255}
	blue  = color.RGBA{0, 0, 255, 255}
)

// TestPreviewPixels looks at what is where: on the page, on a turned page, in a
// box on it, and under a highlight.
func TestPreviewPixels(t *testing.T) {
	sharedtest.Once(t)
	r := sharedResolver()
	half := citekit.Box{X1: 0, Y1: 0, X2: .5, Y2: .5}
	for _, tt := range []struct {
		name    string
		entries string
		box     citekit.Box
		marks   []citekit.Box
		size    image.Point
		want    map[image.Point]color.RGBA
	}{
		{"page", "", citekit.Box{}, nil, image.Pt(600, 400), map[image.Point]color.RGBA{
			{121, 81}: red, {238, 158}: red, {118, 81}: white, {121, 78}: white, {242, 100}: white, {510, 340}: blue, {300, 200}: white,
		}},
		{"turned", "/Rotate 90", citekit.Box{}, nil, image.Pt(400, 600), map[image.Point]color.RGBA{
			{318, 122}: red, {242, 238}: red, {322, 122}: white, {60, 510}: blue,
		}},
		{"box", "", half, nil, image.Pt(600, 400), map[image.Point]color.RGBA{
			{242, 162}: red, {477, 317}: red, {237, 162}: white, {483, 200}: white,
		}},
		{"highlight", "", citekit.Box{}, []citekit.Box{{X1: .5, Y1: .5, X2: .75, Y2: .75}}, image.Pt(600, 400), map[image.Point]color.RGBA{
			{301, 201}: {255, 244, 165, 255}, {448, 298}: {255, 244, 165, 255}, {299, 250}: {230, 120, 0, 255}, {296, 250}: white, {121, 81}: red,
		}},
		{"highlight in a box", "", half, []citekit.Box{{X1: .25, Y1: .25, X2: .375, Y2: .4}}, image.Pt(600, 400), map[image.Point]color.RGBA{
			{445, 315}: {255, 80, 0, 255}, {299, 250}: {230, 120, 0, 255}, {250, 180}: red,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			loc := pages(1, 1)
			loc.Box = tt.box
			p, img := seen(t, r, painted(tt.entries, redSquare), loc, preview.Options{Side: 600, Boxes: tt.marks})
			if img.Rect.Max != tt.size || len(p.Shown) != 1 || !p.Shown[0].Equal(loc) {
				t.Fatalf("%v pixels show %v", img.Rect.Max, p.Shown)
			}
			for at, want := range tt.want {
				if got := img.RGBAAt(at.X, at.Y); !alike(got, want) {
					t.Errorf("pixel %v is %v, want %v", at, got, want)
				}
			}
		})
	}
}

func alike(a, b color.RGBA) bool {
	const off = 12
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
		if max(d, -d) > off {
			return false
		}
	}
	return true
}

// TestPreviewSheet has more pages than a sheet, each in a grey of its own.
func TestPreviewSheet(t *testing.T) {
	sharedtest.Once(t)
	r := sharedResolver()
	var contents []string
	for i := range 20 {
		contents = append(contents, fmt.Sprintf("%g g 0 0 300 200 re f", float64(i+1)/40))
	}
	p, img := seen(t, r, painted("", contents...), pages(3, 5, 7, 20), preview.Options{})
	if len(p.Shown) != 12 || p.Shown[0].Pages[0].First != 3 || p.Shown[3].Pages[0].First != 7 || p.Shown[11].Pages[0].Last != 15 {
		t.Errorf("shown are %v", p.Shown)
	}
	counts := map[color.RGBA]int{}
	for i := 0; i < len(img.Pix); i += 4 {
		counts[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}]++
	}
	for _, shown := range p.Shown {
		v := byte(float64(shown.Pages[0].First)/40*255 + .5)
		n := 0
		for d := -1; d <= 1; d++ {
			n += counts[color.RGBA{v + byte(d), v + byte(d), v + byte(d), 255}]
		}
		if n < 10_000 {
			t.Errorf("page %d has %d pixels", shown.Pages[0].First, n)
		}
	}
	if _, err := r.Preview(t.Context(), source(painted("", contents...)), pages(1, 2), preview.Options{Boxes: []citekit.Box{{X2: 1, Y2: 1}}}); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("boxes on two pages: %v", err)
	}
}

// TestPreviewOddSizes has pages as no printer has them: what comes is bounded.
func TestPreviewOddSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	r := sharedResolver()
	for _, box := range []string{
		"[0 0 1000000000 1000000000]", "[0 0 1000000000 1]", "[0 0 1 1000000000]", "[0 0 .001 .001]", "[0 0 0 0]", "[5 5 -5 -5]",
		"[0 0 1e30 1e30]", "[-2147483648 -2147483648 2147483647 2147483647]",
	} {
		for _, more := range []string{"", " /UserUnit 1000000000"} {
			data := painted("/MediaBox "+box+more, redSquare)
			p, err := r.Preview(t.Context(), source(data), pages(1, 1), preview.Options{})
			if err != nil {
				if citekit.CodeOf(err) == message.CodeInternal {
					t.Errorf("%s%s: %v", box, more, err)
				}
				continue
			}
			if max(p.Width, p.Height) > 1000 || min(p.Width, p.Height) < 1 {
				t.Errorf("%s%s: %dx%d pixels", box, more, p.Width, p.Height)
			}
		}
	}
}

func BenchmarkPreview(b *testing.B) {
	src := source(pdftest.Manual(100))
	r := newResolver(b)
	for i := 0; b.Loop(); i++ {
		if _, err := r.Preview(b.Context(), src, pages(1+i%100, 1+i%100), preview.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
