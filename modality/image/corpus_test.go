package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/image"
)

// imageMagick returns the path of ImageMagick's convert.
func imageMagick(t testing.TB) string {
	t.Helper()
	return sharedtest.Convert(t)
}

// pixels returns the pixels ImageMagick sees in an image, as 16 bit RGBA.
func pixels(t testing.TB, data []byte, args ...string) []uint16 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), imageMagick(t), append(append([]string{"-"}, args...), "-colorspace", "sRGB", "-depth", "16", "-endian", "LSB", "RGBA:-")...)
	cmd.Stdin = bytes.NewReader(data)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	out := make([]uint16, len(raw)/2)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return out
}

// psnr returns the peak signal to noise ratio in decibels; transparent pixels
// have no colour.
func psnr(a, b []uint16) float64 {
	sum := 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if i%4 != 3 {
			x, y = x*float64(a[i|3])/65535, y*float64(b[i|3])/65535
		}
		sum += (x - y) * (x - y)
	}
	return 10 * math.Log10(65535*65535*float64(len(a))/sum)
}

func source(data []byte, name string) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data)), Identity: name + fmt.Sprint(len(data))})
}

func box(x1, y1, x2, y2 float64) citekit.Location {
	return citekit.Location{Modality: citekit.Image, Box: citekit.Box{X1: x1, Y1: y1, X2: x2, Y2: y2}}
}

func resolve(t testing.TB, r citekit.Resolver, src *citekit.Source, loc citekit.Location) ([]byte, *citekit.Content, error) {
	t.Helper()
	x, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
	if err != nil {
		return nil, nil, err
	}
	defer x.Body.Close()
	data, err := io.ReadAll(x.Body)
	return data, x, err
}

// TestCorpus compares regions of real images with ImageMagick's.
func TestCorpus(t *testing.T) {
	sharedtest.NotShort(t)
	files, err := filepath.Glob(sharedtest.Corpus(t, "image/*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	// The files that must be refused, and how.
	refused := map[string]error{
		"avif.avif":          errors.ErrUnsupported,
		"bomb.gif":           citekit.ErrFormat,
		"corrupt-header.jpg": citekit.ErrFormat,
		"truncated.jpg":      citekit.ErrFormat,
		"truncated.png":      citekit.ErrFormat,
	}
	r := &image.Resolver{}
	for n, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data := sharedtest.Read(t, file)
			src := source(data, name)
			for i, loc := range []citekit.Location{box(0, 0, 1, 1), box(0.1, 0.2, 0.55, 0.47), box(0.333, 0.5, 1, 0.99), box(0.9, 0, 0.901, 0.001), box(0, 0, 0.5, 0.5)} {
				if (n+i)%3 > 0 && !sharedtest.Long() {
					continue
				}
				got, x, err := resolve(t, r, src, loc)
				if want, ok := refused[name]; ok {
					if !errors.Is(err, want) {
						t.Fatalf("%v: error %v, want %v", loc.Box, err, want)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%v: %v", loc.Box, err)
				}
				compareRegion(t, r, src, data, loc, got, x)
			}
		})
	}
}

// compareRegion compares a region with what ImageMagick makes of the source,
// given the args before it turns it.
func compareRegion(t *testing.T, r *image.Resolver, src *citekit.Source, data []byte, loc citekit.Location, got []byte, x *citekit.Content, args ...string) {
	t.Helper()
	extent, err := r.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	x1, y1, x2, y2 := loc.Box.Pixels(extent.Width, extent.Height)
	crop := fmt.Sprintf("%dx%d+%d+%d", x2-x1, y2-y1, x1, y1)
	want := pixels(t, data, append(append([]string{"-delete", "1--1"}, args...), "-auto-orient", "+repage", "-crop", crop, "+repage")...)
	have := pixels(t, got, "-delete", "1--1", "-auto-orient")
	if len(have) != len(want) || len(want) != 4*(x2-x1)*(y2-y1) {
		t.Fatalf("%v: %d samples, want %d", loc.Box, len(have), len(want))
	}
	db := psnr(have, want)
	t.Logf("%v %s of %dx%d: %s, %.1f dB", loc.Box, crop, extent.Width, extent.Height, x.MediaType, db)
	if limit := leastPSNR(src.Name()); db < limit {
		t.Errorf("%v: %.1f dB, want at least %.1f", loc.Box, db, limit)
	}
}

// leastPSNR returns how close the pixels must be: equal where nothing is lost.
func leastPSNR(name string) float64 {
	if strings.HasSuffix(name, ".jpg") || strings.HasSuffix(name, ".jpeg") {
		return 35
	}
	return math.Inf(1)
}

// TestAnimation compares every frame of a region of an animated GIF, as
// displayed, with ImageMagick's.
func TestAnimation(t *testing.T) {
	animated := sharedtest.Read(t, sharedtest.Corpus(t, "image/gif-animated.gif"))
	r := &image.Resolver{}
	for name, data := range map[string][]byte{"made": samples(t)["a.gif"], "real": animated} {
		src := source(data, name)
		extent, err := r.Measure(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		for _, loc := range []citekit.Location{box(0, 0, 1, 1), box(0.1, 0.1, 0.3, 0.9), box(0.6, 0.55, 0.95, 0.9)} {
			got, _, err := resolve(t, r, src, loc)
			if err != nil {
				t.Fatal(err)
			}
			x1, y1, x2, y2 := loc.Box.Pixels(extent.Width, extent.Height)
			crop := fmt.Sprintf("%dx%d+%d+%d", x2-x1, y2-y1, x1, y1)
			want := pixels(t, data, "-coalesce", "-crop", crop, "+repage")
			have := pixels(t, got, "-coalesce")
			frames := len(want) / (4 * (x2 - x1) * (y2 - y1))
			if frames < 3 || !math.IsInf(psnr(have[:min(len(have), len(want))], want), 1) || len(have) != len(want) {
				t.Errorf("%s %v: %d frames differ", name, loc.Box, frames)
			}
		}
	}
}
