package drawing

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"math/rand/v2"
	"testing"

	"github.com/citekit/citekit"
)

// TestReducer compares with the mean of what each pixel covers.
func TestReducer(t *testing.T) {
	for _, tt := range []struct{ width, height, w, h int }{
		{1, 1, 1, 1}, {7, 5, 7, 5}, {8, 6, 4, 3}, {7, 5, 3, 2}, {10, 3, 9, 3}, {100, 64, 13, 17}, {5, 9, 1, 1},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		img := image.NewRGBA(image.Rect(0, 0, tt.width, tt.height))
		for i := range img.Pix {
			img.Pix[i] = byte(random.Uint32())
		}
		r := NewReducer(tt.width, tt.height, image.Pt(tt.w, tt.h))
		for y := range tt.height {
			if err := r.Row(img.Pix[y*img.Stride:][:img.Stride]); err != nil {
				t.Fatal(err)
			}
		}
		out := r.Image()
		for y := range tt.h {
			for x := range tt.w {
				got, want := out.RGBAAt(x, y), meanOf(img, x, y, tt.w, tt.h)
				if !near(got, want, 1) {
					t.Fatalf("%+v: pixel %d,%d is %v, want %v", tt, x, y, got, want)
				}
			}
		}
	}
}

// meanOf adds up parts of pixels as real numbers.
func meanOf(img *image.RGBA, x, y, w, h int) color.RGBA {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	overlap := func(i, n, o, m int) float64 {
		low := max(float64(i)/float64(n), float64(o)/float64(m))
		high := min(float64(i+1)/float64(n), float64(o+1)/float64(m))
		return max(high-low, 0) * float64(m)
	}
	var sum [3]float64
	for j := range height {
		for i := range width {
			share := overlap(i, width, x, w) * overlap(j, height, y, h)
			c := img.RGBAAt(i, j)
			for k, v := range []byte{c.R, c.G, c.B} {
				sum[k] += share * float64(v)
			}
		}
	}
	return color.RGBA{byte(sum[0] + .5), byte(sum[1] + .5), byte(sum[2] + .5), 255}
}

func near(a, b color.RGBA, by int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if max(d, -d) > by {
			return false
		}
	}
	return true
}

// TestMark looks at which pixels a box changes, on the whole and on a part.
func TestMark(t *testing.T) {
	for _, tt := range []struct {
		name string
		part citekit.Box
		want image.Rectangle // in a picture of 100 by 50
	}{
		{"whole", citekit.Box{}, image.Rect(50, 10, 75, 20)},
		{"part", citekit.Box{X1: .5, Y1: 0, X2: 1, Y2: 1}, image.Rect(0, 10, 50, 20)},
		{"outside", citekit.Box{X1: 0, Y1: .5, X2: 1, Y2: 1}, image.Rectangle{}},
	} {
		img := newWhite(image.Pt(100, 50))
		Mark(img, []citekit.Box{{X1: .5, Y1: .2, X2: .75, Y2: .4}}, tt.part)
		lined := tt.want.Inset(-outlineWidth)
		for y := range 50 {
			for x := range 100 {
				at, got := image.Pt(x, y), img.RGBAAt(x, y)
				switch {
				case tt.want.Empty() || !at.In(lined):
					if got != (color.RGBA{255, 255, 255, 255}) {
						t.Fatalf("%s: pixel %v is %v, outside the box", tt.name, at, got)
					}
				case at.In(tt.want) != (got.R == 255 && got.B < 200 && got.B > 100):
					t.Fatalf("%s: pixel %v is %v", tt.name, at, got)
				}
			}
		}
	}
}

func TestEncoding(t *testing.T) {
	page, photo := newWhite(image.Pt(100, 100)), newWhite(image.Pt(100, 100))
	for i := range photo.Pix {
		if i%4 != 3 {
			photo.Pix[i] = byte(i*i>>5 ^ i)
		}
	}
	Text(page, image.Pt(3, 3), "a page", 1, color.Black)
	for want, img := range map[string]*image.RGBA{"png": page, "jpeg": photo} {
		p, err := Of(img, citekit.Location{Modality: citekit.Image})
		if err != nil {
			t.Fatal(err)
		}
		got, format, err := image.Decode(bytes.NewReader(p.Data))
		if err != nil || format != want || p.MediaType != "image/"+want || got.Bounds() != img.Rect {
			t.Errorf("a %s of %v says %s: %v", format, got.Bounds(), p.MediaType, err)
		}
	}
}

// TestGrey checks that a PNG has the very pixels, in one sample for each where
// all are grey.
func TestGrey(t *testing.T) {
	page := newWhite(image.Pt(30, 20))
	Text(page, image.Pt(3, 3), "a page", 1, color.Black)
	coloured := newWhite(image.Pt(30, 20))
	coloured.Set(29, 19, color.RGBA{R: 200, G: 200, B: 201, A: 255})
	for img, model := range map[*image.RGBA]color.Model{page: color.GrayModel, coloured: color.RGBAModel} {
		data, err := encodePNG(img)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := image.Decode(bytes.NewReader(data))
		if err != nil || got.ColorModel() != model {
			t.Fatal(err, got.ColorModel() == color.GrayModel)
		}
		for y := range 20 {
			for x := range 30 {
				if c := color.RGBAModel.Convert(got.At(x, y)); c != img.RGBAAt(x, y) {
					t.Fatalf("pixel %d,%d is %v, want %v", x, y, c, img.RGBAAt(x, y))
				}
			}
		}
	}
}

// TestSheet checks that sheets fit, and that every picture is in a cell of its
// own.
func TestSheet(t *testing.T) {
	shapes := [][2]float64{{595, 842}, {1920, 1080}, {1, 1}, {1e9, 1}, {1, 1e9}, {0, 0}}
	sides := []int{128, 500, 1000}
	if testing.Short() {
		sides = sides[:1]
	}
	for _, shape := range shapes {
		for n := 1; n <= MaxCells; n += 1 + n/4 {
			for _, side := range sides {
				s := NewSheet(n, shape[0], shape[1], side)
				var pictures []*image.RGBA
				for i := range n {
					picture := newWhite(s.Cell)
					for p := 0; p < len(picture.Pix); p += 4 {
						picture.Pix[p] = byte(i + 1)
					}
					pictures = append(pictures, picture)
				}
				img := s.Draw(pictures, make([]string, n))
				if max(img.Rect.Dx(), img.Rect.Dy()) > side {
					t.Errorf("a sheet of %d on %d pixels has %v", n, side, img.Rect.Max)
				}
				seen := map[byte]int{}
				for p := 0; p < len(img.Pix); p += 4 {
					seen[img.Pix[p]]++
				}
				for i := range n {
					if area := s.Cell.X * s.Cell.Y; seen[byte(i+1)] != area {
						t.Fatalf("picture %d of %d on %d pixels: %d pixels of %d are seen", i, n, side, seen[byte(i+1)], area)
					}
				}
			}
		}
	}
}

func TestClock(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0:00.000", 61.5: "1:01.500", 3599.9996: "1:00:00.000", 36000.0415: "10:00:00.042"} {
		if got := Clock(seconds); got != want {
			t.Errorf("Clock(%v) is %s, want %s", seconds, got, want)
		}
	}
}
