package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

const samples = "../../samples"

func TestSamplesAreWhatGenWrites(t *testing.T) {
	for name, make := range map[string]func() ([]byte, error){"guide.pdf": guide, "tones.wav": tones} {
		data, err := make()
		if err != nil {
			t.Fatal(err)
		}
		sample, err := os.ReadFile(filepath.Join(samples, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, sample) {
			t.Errorf("%s is not what gen writes; run go generate", name)
		}
	}
}

// The compression of a PNG may differ between versions of Go; its pixels may
// not.
func TestChartHasThePixelsGenWrites(t *testing.T) {
	data, err := chart()
	if err != nil {
		t.Fatal(err)
	}
	sample, err := os.ReadFile(filepath.Join(samples, "chart.png"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pixels(t, data), pixels(t, sample)) {
		t.Error("chart.png is not what gen writes; run go generate")
	}
}

func pixels(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rgba, ok := img.(*image.RGBA)
	if !ok {
		t.Fatalf("the chart is %T", img)
	}
	return rgba.Pix
}
