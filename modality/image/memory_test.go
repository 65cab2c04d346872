package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	stdjpeg "image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// fakeTesseract returns a program that reads its picture and sees one word.
func fakeTesseract(t *testing.T) string {
	t.Helper()
	answer := `1\t1\t0\t0\t0\t0\t0\t0\t100\t100\t-1\t\n2\t1\t1\t0\t0\t0\t10\t10\t50\t20\t-1\t\n3\t1\t1\t1\t0\t0\t10\t10\t50\t20\t-1\t\n4\t1\t1\t1\t1\t0\t10\t10\t50\t20\t-1\t\n5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t95\tLighthouse\n`
	return sharedtest.Script(t, "cat >/dev/null\nprintf '"+answer+"'")
}

// noise returns an image that does not compress.
func noise(width, height int) *image.NRGBA {
	rng := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(rng.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 0xff
		}
	}
	return m
}

// crowdFiles returns an image of every format that is decoded.
func crowdFiles(t *testing.T, width, height int) map[string][]byte {
	t.Helper()
	m := noise(width, height)
	pal := image.NewPaletted(m.Rect, color.Palette{color.Black, color.White})
	files := make(map[string][]byte)
	for name, write := range map[string]func(io.Writer) error{
		"a.png":  func(w io.Writer) error { return png.Encode(w, m) },
		"a.jpg":  func(w io.Writer) error { return stdjpeg.Encode(w, m, nil) },
		"a.gif":  func(w io.Writer) error { return gif.Encode(w, pal, nil) },
		"a.tiff": func(w io.Writer) error { return tiff.Encode(w, m, nil) },
		"a.bmp":  func(w io.Writer) error { return bmp.Encode(w, m) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		files[name] = b.Bytes()
	}
	return files
}

func sourceOf(data []byte, name string) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data))})
}

// TestJobsEnd fills the memory of a resolver, which has enough for the largest
// job and no more: all end, with what they would give alone, also those that
// come after some gave up; and everything is given back.
func TestJobsEnd(t *testing.T) {
	sharedtest.NotShort(t)
	files := crowdFiles(t, 300, 200)
	r := &Resolver{Tesseract: fakeTesseract(t), budget: mostNeeded(t, files), WarmBytes: -1}
	var jobs sync.WaitGroup
	for name, data := range files {
		for i := range 6 {
			jobs.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				if i == 3 {
					ctx, cancel = context.WithTimeout(t.Context(), 5*time.Millisecond)
				}
				defer cancel()
				if err := work(ctx, r, sourceOf(data, name)); err != nil && i != 3 {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
	jobs.Wait()
	if held := r.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}
	if !r.memory.TryAcquire(r.budget) {
		t.Error("the memory is not free")
	}
}

// work maps a source and takes two regions of it.
func work(ctx context.Context, r *Resolver, src *citekit.Source) error {
	s, err := r.Map(ctx, src, citekit.MapRequest{Modality: citekit.Image})
	if err != nil {
		return err
	}
	if s.Metadata["ocr_error"] != nil || len(s.Nodes[0].Children) != 1 {
		return fmt.Errorf("the map has %v and %d blocks", s.Metadata, len(s.Nodes[0].Children))
	}
	for _, b := range []citekit.Box{{X2: 1, Y2: 1}, {X1: 0.3, Y1: 0.3, X2: 0.7, Y2: 0.9}} {
		x, err := r.Resolve(ctx, src, citekit.Request{Location: citekit.Location{Modality: citekit.Image, Box: b}})
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, x.Body)
		if err := errors.Join(err, x.Body.Close()); err != nil {
			return err
		}
	}
	return nil
}

// mostNeeded returns how much the hungriest job on some files reserves.
func mostNeeded(t *testing.T, files map[string][]byte) int64 {
	t.Helper()
	low, high := int64(0), int64(decodeMemory)
	for high-low > 1<<10 {
		middle := (low + high) / 2
		r := &Resolver{Tesseract: fakeTesseract(t), budget: middle, WarmBytes: -1}
		enough := true
		for name, data := range files {
			enough = enough && work(t.Context(), r, sourceOf(data, name)) == nil
		}
		if enough {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// TestTooMuchMemory checks that a job that can never have its memory is refused
// at once, by an error that names the limit, and holds nothing.
func TestTooMuchMemory(t *testing.T) {
	for name, data := range crowdFiles(t, 300, 200) {
		r := &Resolver{Tesseract: fakeTesseract(t), budget: 64 << 10, WarmBytes: -1}
		_, err := r.Resolve(t.Context(), sourceOf(data, name), citekit.Request{Location: citekit.Location{Modality: citekit.Image, Box: citekit.Box{X2: 1, Y2: 1}}})
		if !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s: error %v", name, err)
		}
		s, err := r.Map(t.Context(), sourceOf(data, name), citekit.MapRequest{Modality: citekit.Image})
		if err != nil || s.Metadata["ocr_error"] == nil {
			t.Errorf("%s: the map has %+v, error %v", name, s, err)
		}
		if held := r.held.Load(); held != 0 {
			t.Errorf("%s: %d bytes are still held", name, held)
		}
	}
}

// TestOutputIsHeld checks that what is given out counts until it is closed.
func TestOutputIsHeld(t *testing.T) {
	for name, data := range crowdFiles(t, 300, 200) {
		r := &Resolver{WarmBytes: -1}
		x, err := r.Resolve(t.Context(), sourceOf(data, name), citekit.Request{Location: citekit.Location{Modality: citekit.Image, Box: citekit.Box{X2: 1, Y2: 1}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if held := r.held.Load(); held != x.Size {
			t.Errorf("%s: %d bytes are held for an output of %d", name, held, x.Size)
		}
		x.Body.Close()
		x.Body.Close()
		if held := r.held.Load(); held != 0 {
			t.Errorf("%s: %d bytes are held after Close", name, held)
		}
	}
}
