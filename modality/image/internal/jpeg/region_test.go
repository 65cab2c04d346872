package jpeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	stdjpeg "image/jpeg"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// planes returns the samples of img within r, plane by plane.
func planes(img image.Image, r image.Rectangle) [][]byte {
	rows := func(pix []byte, stride, width, height int) []byte {
		var out []byte
		for y := range height {
			out = append(out, pix[y*stride:y*stride+width]...)
		}
		return out
	}
	switch m := img.(type) {
	case *image.Gray:
		return [][]byte{rows(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, r.Dx(), r.Dy())}
	case *image.RGBA:
		return [][]byte{rows(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, 4*r.Dx(), r.Dy())}
	case *image.CMYK:
		return [][]byte{rows(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, 4*r.Dx(), r.Dy())}
	case *image.YCbCr:
		h, v := Sampling(m.SubsampleRatio)
		width := (r.Max.X-1)/h - r.Min.X/h + 1
		height := (r.Max.Y-1)/v - r.Min.Y/v + 1
		at := m.COffset(r.Min.X, r.Min.Y)
		return [][]byte{
			rows(m.Y[m.YOffset(r.Min.X, r.Min.Y):], m.YStride, r.Dx(), r.Dy()),
			rows(m.Cb[at:], m.CStride, width, height),
			rows(m.Cr[at:], m.CStride, width, height),
		}
	}
	return nil
}

// checkRegions compares random regions, each of them cold and warm, with what
// image/jpeg decodes.
func checkRegions(t *testing.T, data []byte, count int) {
	t.Helper()
	want, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	warm, err := Open(ctx, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if !warm.CanCut() {
		t.Fatal("CanCut = false")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range count {
		r := randomRect(rng, want.Bounds())
		cold, err := Open(ctx, bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for name, im := range map[string]*Image{"cold": cold, "warm": warm} {
			checkRegion(t, name, im, data, want, r)
		}
	}
}

func checkRegion(t *testing.T, name string, im *Image, data []byte, want image.Image, r image.Rectangle) {
	t.Helper()
	got, err := im.DecodeRegion(context.Background(), bytes.NewReader(data), r)
	if err != nil {
		t.Fatalf("%s %v: %v", name, r, err)
	}
	if got.Bounds() != r {
		t.Fatalf("%s: bounds %v, want %v", name, got.Bounds(), r)
	}
	if !slices.EqualFunc(planes(got, r), planes(want, r), bytes.Equal) {
		t.Fatalf("%s: the pixels of %v differ from those of image/jpeg", name, r)
	}
}

func randomRect(rng *rand.Rand, bounds image.Rectangle) image.Rectangle {
	x1, y1 := rng.IntN(bounds.Dx()), rng.IntN(bounds.Dy())
	x2, y2 := x1+1+rng.IntN(bounds.Dx()-x1), y1+1+rng.IntN(bounds.Dy()-y1)
	return image.Rect(x1, y1, x2, y2)
}

func TestRealFiles(t *testing.T) {
	sharedtest.NotShort(t)
	files, err := filepath.Glob(sharedtest.Corpus(t, "image/*.jp*g"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	checked, rounds := 0, 3
	for _, file := range files {
		data := sharedtest.Read(t, file)
		if _, err := stdjpeg.Decode(bytes.NewReader(data)); err != nil {
			continue // there is nothing to compare with
		}
		im, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if im.Progressive {
			continue
		}
		checked++
		t.Run(filepath.Base(file), func(t *testing.T) { checkRegions(t, data, rounds) })
	}
	if checked < 9 {
		t.Errorf("only %d files were compared", checked)
	}
}

// withRestarts returns a grey or colour JPEG that has a restart marker after
// every few MCUs.
func withRestarts(t testing.TB, img image.Image, interval int) []byte {
	t.Helper()
	e := newEncoder(img, img.Bounds(), 80)
	e.stripRows = 1
	data := e.header(nil)
	at := bytes.Index(data, []byte{0xff, markerSOS})
	dri := appendSegment(nil, markerDRI, []byte{byte(interval >> 8), byte(interval)})
	if old := bytes.Index(data, []byte{0xff, markerDRI}); old >= 0 {
		copy(data[old:], dri)
	} else {
		data = slices.Insert(data, at, dri...)
	}
	h, err := readHeader(bytes.NewReader(data), int64(len(data)), false)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDecoder(h, 0)
	if err != nil {
		t.Fatal(err)
	}
	var w packer
	var last [4]int32
	var block dctBlock
	for mcu := range d.across * d.down {
		if mcu > 0 && mcu%interval == 0 {
			data = append(data, w.stuffed(markerRST0+byte((mcu/interval-1)%8))...)
			last = [4]int32{}
		}
		for i := range e.planes {
			p := &e.planes[i]
			for k := range p.h * p.v {
				p.block(&block, 8*(mcu%d.across*p.h+k%p.h), 8*(mcu/d.across*p.v+k/p.h))
				forwardDCT(&block)
				w.reserve(1)
				last[i] = e.put(&w, &block, p.table, last[i])
			}
		}
	}
	return append(data, w.stuffed(markerEOI)...)
}

// TestRegions compares random regions of JPEGs of every sampling, with and
// without restart markers, with image/jpeg.
func TestRegions(t *testing.T) {
	sizes := []image.Point{{207, 105}, {1, 1}, {7, 9}, {64, 64}, {901, 17}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		images := map[string]image.Image{"grey": grayScene(size.X, size.Y)}
		for name, ratio := range ratios {
			images[name] = scene(size.X, size.Y, ratio)
		}
		for name, img := range images {
			for _, interval := range []int{0, 1, 7, 1000} {
				t.Run(fmt.Sprintf("%v %s %d", size, name, interval), func(t *testing.T) {
					data := encode(t, img, 85)
					if interval > 0 {
						data = withRestarts(t, img, interval)
					}
					checkRegions(t, data, 3)
				})
			}
		}
	}
}

// TestColourModels checks files whose components are not YCbCr, and markers
// that say otherwise.
func TestColourModels(t *testing.T) {
	plain := encode(t, scene(70, 50, image.YCbCrSubsampleRatio444), 90)
	jfif := bytes.Index(plain, []byte("JFIF")) - 4
	bare := slices.Concat(plain[:jfif], plain[jfif+18:])
	named := bytes.Replace(bare, []byte{1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1}, []byte{'R', 0x11, 0, 'G', 0x11, 1, 'B', 0x11, 1}, 1)
	named = bytes.Replace(named, []byte{3, 1, 0, 2, 0x11, 3, 0x11}, []byte{3, 'R', 0, 'G', 0x11, 'B', 0x11}, 1)
	adobe := appendSegment(nil, markerAPP14, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00"))
	for name, data := range map[string][]byte{
		"no JFIF":         bare,
		"Adobe RGB":       slices.Concat(bare[:2], adobe, bare[2:]),
		"JFIF and Adobe":  slices.Concat(plain[:20], adobe, plain[20:]),
		"named RGB":       named,
		"stray bytes":     slices.Concat(plain[:20], []byte{0, 1, 2, 0xff, 0xff}, plain[20:]),
		"bytes after end": slices.Concat(plain, []byte("trailing \xff\xd9")),
	} {
		t.Run(name, func(t *testing.T) { checkRegions(t, data, 5) })
	}
}

// TestCut checks that a region on the grid of blocks has the very pixels of
// the file.
func TestCut(t *testing.T) {
	for name, ratio := range ratios {
		img := scene(200, 130, ratio)
		for _, data := range [][]byte{encode(t, img, 85), withRestarts(t, img, 5)} {
			whole, err := stdjpeg.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			im, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []image.Rectangle{image.Rect(0, 0, 200, 130), image.Rect(32, 48, 33, 49), image.Rect(64, 16, 151, 97), image.Rect(160, 112, 200, 130)} {
				if !im.OnGrid(r) {
					t.Fatalf("%s: OnGrid(%v) = false", name, r)
				}
				cut, err := im.Cut(t.Context(), bytes.NewReader(data), r, Prelude(nil))
				if err != nil {
					t.Fatal(err)
				}
				got, err := stdjpeg.Decode(bytes.NewReader(cut))
				if err != nil {
					t.Fatal(err)
				}
				if got.Bounds().Size() != r.Size() || !slices.EqualFunc(planes(got, got.Bounds()), planes(whole, r), bytes.Equal) {
					t.Errorf("%s: the pixels of %v differ", name, r)
				}
			}
			if im.OnGrid(image.Rect(33, 0, 64, 64)) || im.OnGrid(image.Rect(0, 9, 64, 64)) {
				t.Errorf("%s: OnGrid = true off the grid", name)
			}
		}
	}
}

func TestTruncated(t *testing.T) {
	data := encode(t, scene(100, 80, image.YCbCrSubsampleRatio420), 85)
	for n := range len(data) - 1 {
		im, err := Open(t.Context(), bytes.NewReader(data[:n]), int64(n))
		if err == nil {
			t.Fatalf("%d of %d bytes were opened: %+v", n, len(data), im)
		}
		if !errors.Is(err, ErrFormat) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// TestShortData checks a file that has an end, but too early.
func TestShortData(t *testing.T) {
	data := encode(t, scene(100, 80, image.YCbCrSubsampleRatio420), 85)
	short := append(slices.Clone(data[:len(data)/2]), 0xff, markerEOI)
	im, err := Open(t.Context(), bytes.NewReader(short), int64(len(short)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := im.DecodeRegion(t.Context(), bytes.NewReader(short), image.Rect(90, 70, 100, 80)); !errors.Is(err, ErrFormat) {
		t.Errorf("error %v, want ErrFormat", err)
	}
}

// TestManyScans checks that a file cannot ask for endless passes over its
// blocks.
func TestManyScans(t *testing.T) {
	progressive := encode(t, grayScene(40, 30), 80)
	at := bytes.Index(progressive, []byte{0xff, markerSOF0})
	progressive[at+1] = markerSOF2
	scan := appendSegment(nil, markerSOS, []byte{1, 1, 0, 0, 0, 1})
	few := slices.Concat(progressive[:len(progressive)-2], bytes.Repeat(scan, 50), []byte{0xff, markerEOI})
	if _, err := Open(t.Context(), bytes.NewReader(few), int64(len(few))); err != nil {
		t.Errorf("50 scans: %v", err)
	}
	many := slices.Concat(progressive[:len(progressive)-2], bytes.Repeat(scan, 40_000), []byte{0xff, markerEOI})
	if _, err := Open(t.Context(), bytes.NewReader(many), int64(len(many))); !errors.Is(err, ErrUnsupported) {
		t.Errorf("40000 scans: error %v, want ErrUnsupported", err)
	}
}

func TestCancelled(t *testing.T) {
	data := encode(t, scene(600, 600, image.YCbCrSubsampleRatio420), 85)
	im, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := im.DecodeRegion(ctx, bytes.NewReader(data), image.Rect(1, 1, 599, 599)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := Open(ctx, bytes.NewReader(data), int64(len(data))); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: error %v, want context.Canceled", err)
	}
}

// TestConcurrentRegions decodes regions of one image at the same time.
func TestConcurrentRegions(t *testing.T) {
	data := encode(t, scene(400, 900, image.YCbCrSubsampleRatio420), 85)
	want, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	im, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var g errgroup.Group
	for i := range 8 {
		g.Go(func() error {
			r := image.Rect(10*i, 100*i, 10*i+50, 100*i+90)
			got, err := im.DecodeRegion(context.Background(), bytes.NewReader(data), r)
			if err == nil && !slices.EqualFunc(planes(got, r), planes(want, r), bytes.Equal) {
				err = fmt.Errorf("the pixels of %v differ", r)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// FuzzRegionDecode checks that whatever both can decode is the same as what
// image/jpeg decodes.
func FuzzRegionDecode(f *testing.F) {
	for _, ratio := range ratios {
		f.Add(encode(f, scene(40, 30, ratio), 60), uint16(3), uint16(5), uint16(20), uint16(19))
	}
	f.Add(encode(f, grayScene(20, 20), 50), uint16(0), uint16(0), uint16(20), uint16(20))
	f.Add(withRestarts(f, scene(40, 30, image.YCbCrSubsampleRatio420), 2), uint16(17), uint16(17), uint16(30), uint16(30))
	f.Fuzz(func(t *testing.T, data []byte, x1, y1, x2, y2 uint16) {
		checkAgreement(t, data, image.Rect(int(x1), int(y1), int(x2), int(y2)))
	})
}

// checkAgreement checks that a region of a file that may be damaged is the
// same as with image/jpeg, if both can decode it. It reports whether they can.
func checkAgreement(t *testing.T, data []byte, r image.Rectangle) bool {
	t.Helper()
	im, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil || !im.CanCut() || im.Width*im.Height > 1<<20 {
		return false
	}
	r = r.Intersect(image.Rect(0, 0, im.Width, im.Height))
	if r.Empty() {
		return false
	}
	got, err := im.DecodeRegion(t.Context(), bytes.NewReader(data), r)
	if err != nil {
		return false
	}
	want, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return false
	}
	if !slices.EqualFunc(planes(got, r), planes(want, r), bytes.Equal) {
		t.Fatalf("the pixels of %v differ from those of image/jpeg", r)
	}
	warm, err := im.DecodeRegion(t.Context(), bytes.NewReader(data), r)
	if err != nil || !slices.EqualFunc(planes(warm, r), planes(want, r), bytes.Equal) {
		t.Fatalf("the pixels of %v differ the second time (%v)", r, err)
	}
	return true
}

// TestDamage changes bytes at random, in the pixels above all.
func TestDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	agreed := 0
	for name, ratio := range ratios {
		for _, data := range [][]byte{encode(t, scene(90, 70, ratio), 70), withRestarts(t, scene(90, 70, ratio), 4)} {
			rounds := 150
			if testing.Short() {
				rounds = 20
			}
			for range rounds {
				damaged := slices.Clone(data)
				for range 1 + rng.IntN(3) {
					at := rng.IntN(len(data))
					if rng.IntN(8) > 0 {
						at = len(data)/2 + rng.IntN(len(data)/2)
					}
					damaged[at] = byte(rng.IntN(256))
				}
				if checkAgreement(t, damaged, randomRect(rng, image.Rect(0, 0, 90, 70))) {
					agreed++
				}
			}
		}
		if agreed == 0 {
			t.Errorf("%s: no damaged file could be compared", name)
		}
	}
	t.Logf("%d damaged files were decoded alike", agreed)
}
