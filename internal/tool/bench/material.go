package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
)

// made returns the path of a file of the material, making it if need be.
func (b *bench) made(name string, write func(path string) error) (string, error) {
	path := filepath.Join(b.data, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	partial := filepath.Join(b.data, "making-"+name)
	if err := write(partial); err != nil {
		return "", fmt.Errorf("making %s: %w", name, err)
	}
	return path, os.Rename(partial, path)
}

// realManual is where Debian's r-doc-pdf has a manual of 2,415 pages.
const realManual = "/usr/share/R/doc/manual/fullrefman.pdf"

// manual is a PDF of 2,400 pages: a real one if it is installed, else one that
// is made, with an outline, shared fonts and compressed content.
func (b *bench) manual() (string, error) {
	if _, err := os.Stat(realManual); err == nil {
		return realManual, nil
	}
	return b.made("manual.pdf", func(path string) error {
		return os.WriteFile(path, pdftest.Manual(2400), 0o600)
	})
}

// movie is ten minutes of H.264 with B-frames and AAC.
func (b *bench) movie() (string, error) {
	return b.made("movie.mp4", func(path string) error {
		return exec.CommandContext(b.ctx, "ffmpeg", "-v", "error",
			"-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30:duration=600",
			"-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=600",
			"-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-b:v", "2500k", "-g", "150", "-pix_fmt", "yuv420p",
			"-c:a", "aac", "-b:a", "128k", path).Run()
	})
}

const photoWidth, photoHeight = 5472, 3648 // 20 megapixels

// photo is a JPEG with detail everywhere and the common 4:2:0 sampling.
func (b *bench) photo() (string, error) {
	return b.made("photo.jpg", func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := jpeg.Encode(f, scene(photoWidth, photoHeight), &jpeg.Options{Quality: 90}); err != nil {
			return err
		}
		return f.Close()
	})
}

// scene draws smooth waves under a fine texture, by a formula.
func scene(width, height int) image.Image {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	noise := uint32(1)
	for y := range height {
		for x := range width {
			noise = noise*1664525 + 1013904223
			wave := 128 + 80*math.Sin(float64(x)/170)*math.Cos(float64(y)/130)
			img.Y[img.YOffset(x, y)] = uint8(wave) + uint8(noise>>27)
		}
	}
	for i := range img.Cb {
		c := color.RGBA{uint8(i), uint8(i >> 8), uint8(i >> 12), 255}
		_, img.Cb[i], img.Cr[i] = color.RGBToYCbCr(c.R, c.G, c.B)
	}
	return img
}

const logSize = 1 << 30

// log is a text file of 1 GB; it returns the number of its lines too.
func (b *bench) log() (string, int, error) {
	lines := 0
	path, err := b.made("log.txt", func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		w := bufio.NewWriterSize(f, 1<<20)
		for size := 0; size < logSize; {
			lines++
			n, err := fmt.Fprintf(w, "%09d service=%d took=%dms message=\"request %x served\"\n", lines, lines%17, lines%997, lines*2654435761)
			if err != nil {
				return err
			}
			size += n
		}
		return w.Flush()
	})
	if err != nil {
		return "", 0, err
	}
	if lines == 0 {
		lines, err = lastLineNumber(path)
	}
	return path, lines, err
}

// lastLineNumber reads the number that the last line of the log begins with.
func lastLineNumber(path string) (int, error) {
	out, err := exec.Command("tail", "-n", "1", path).Output()
	if err != nil {
		return 0, err
	}
	var n int
	_, err = fmt.Sscanf(string(out), "%d", &n)
	return n, err
}

func (b *bench) mapsDir() string { return filepath.Join(b.data, "maps") }

// bigMap writes a map "big" of 10,000 nodes over a text file, in a workspace
// with 2,000 small ones, and returns its node ids.
func (b *bench) bigMap() ([]string, error) {
	dir := filepath.Join(b.mapsDir(), ".resource_maps")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	source := filepath.Join(b.mapsDir(), "source.txt")
	var text []byte
	for i := range 20_000 {
		text = fmt.Appendf(text, "line %d\n", i+1)
	}
	if err := os.WriteFile(source, text, 0o600); err != nil {
		return nil, err
	}
	nodes, ids := mapNodes(10_000)
	if err := writeMap(dir, "big", nodes); err != nil {
		return nil, err
	}
	few, _ := mapNodes(3)
	for i := range 2000 {
		if err := writeMap(dir, fmt.Sprintf("resource_%04d", i), few); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func mapNodes(n int) (nodes []*citekit.Node, ids []string) {
	for i := range n {
		id := fmt.Sprintf("chapter_%d.section_%d", i/100+1, i%100+1)
		nodes = append(nodes, &citekit.Node{
			ID: id, Title: fmt.Sprintf("Section %d of chapter %d", i%100+1, i/100+1), Type: "section",
			Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: i + 1, Last: i + 10}},
			Summary:  "What this section is about, in a sentence of ordinary length that a mapper would write for an agent to read.",
		})
		ids = append(ids, id)
	}
	return nodes, ids
}

func writeMap(dir, id string, nodes []*citekit.Node) error {
	m := &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, Title: id, SourcePath: "source.txt", Nodes: nodes}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, id+".json"), data, 0o600)
}
