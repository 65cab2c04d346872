package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

func (b *bench) pdf() error {
	if !b.has("qpdf") {
		return nil
	}
	file, err := b.manual()
	if err != nil {
		return err
	}
	out := filepath.Join(b.data, "peer.pdf")
	results, err := b.sideBySide(
		b.resolveFile(file, "pages=1200-1202"),
		removing(out, "qpdf", "--empty", "--pages", file, "1200-1202", "--", out),
	)
	if err != nil {
		return err
	}
	b.table.compare("3 pages of a 2,400-page PDF, cold ("+filepath.Base(file)+")", results[0].time, "qpdf --empty --pages", results[1].time, "at least 2×")
	b.table.compareSize("— memory", results[0].rss, "qpdf", results[1].rss, "")
	warm, err := b.warm(file, func(i int) citekit.Location {
		return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 10 + 7*i, Last: 12 + 7*i}}}
	})
	b.table.alone("3 pages from a warm document", warm, "under 30 ms")
	return err
}

func (b *bench) video() error {
	if !b.has("ffmpeg") {
		return nil
	}
	file, err := b.movie()
	if err != nil {
		return err
	}
	out := filepath.Join(b.data, "peer.mp4")
	results, err := b.sideBySide(
		b.resolveFile(file, "t=301.5-361.5"),
		removing(out, "ffmpeg", "-v", "error", "-ss", "301.5", "-i", file, "-t", "60", "-c", "copy", out),
	)
	if err != nil {
		return err
	}
	b.table.compare("60 s of a 10-minute mp4", results[0].time, "ffmpeg -c copy (not exact)", results[1].time, "at least 1×")
	b.table.compareSize("— memory", results[0].rss, "ffmpeg", results[1].rss, "")
	return nil
}

func (b *bench) image() error {
	if !b.has("vips") {
		return nil
	}
	file, err := b.photo()
	if err != nil {
		return err
	}
	for _, crop := range []struct {
		job, goal string
		from, to  int // hundredths of the width and the height
	}{
		{"a crop of 0.8 megapixels of a 20-megapixel JPEG, cold", "at least 0.77×", 40, 60},
		{"a crop of 5 megapixels of it, cold", "at least 1×", 21, 71},
	} {
		if err := b.crop(file, crop.job, crop.goal, crop.from, crop.to); err != nil {
			return err
		}
	}
	warm, err := b.warm(file, func(i int) citekit.Location {
		x := 0.1 + 0.05*float64(i)
		return citekit.Location{Modality: citekit.Image, Box: citekit.Box{X1: x, Y1: x, X2: x + 0.2, Y2: x + 0.2}}
	})
	b.table.alone("a second crop of 0.8 megapixels", warm, "under 50 ms")
	return err
}

// crop compares one crop with vips at the same JPEG quality.
func (b *bench) crop(file, job, goal string, from, to int) error {
	out := filepath.Join(b.data, "peer.jpg")
	box := fmt.Sprintf("bbox=0.%02d,0.%02d,0.%02d,0.%02d", from, from, to, to)
	size := to - from
	results, err := b.sideBySide(
		b.resolveFile(file, box),
		removing(out, "vips", "crop", file, out+"[Q=95]",
			fmt.Sprint(photoWidth*from/100), fmt.Sprint(photoHeight*from/100), fmt.Sprint(photoWidth*size/100), fmt.Sprint(photoHeight*size/100)),
	)
	if err != nil {
		return err
	}
	b.table.compare(job, results[0].time, "vips crop", results[1].time, goal)
	b.table.compareSize("— memory", results[0].rss, "vips", results[1].rss, "")
	return nil
}

func (b *bench) text() error {
	if !b.has("sed") {
		return nil
	}
	file, lines, err := b.log()
	if err != nil {
		return err
	}
	first, last := lines-20, lines-10
	results, err := b.sideBySide(
		b.resolveFile(file, fmt.Sprintf("lines=%d-%d", first, last)),
		command{args: []string{"sed", "-n", fmt.Sprintf("%d,%dp", first, last), file}},
	)
	if err != nil {
		return err
	}
	b.table.compare("lines at the end of a 1 GB text file", results[0].time, "sed -n", results[1].time, "at least 1×")
	b.table.compareSize("— memory", results[0].rss, "sed", results[1].rss, "under 64 MB")
	at := func(part float64) citekit.Location {
		first := int(part * float64(lines))
		return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: first + 10}}
	}
	const end = 0.999 // a range there lets all before it be known
	var second []time.Duration
	for _, part := range []float64{0.5, 0.01, 0.9, 0.33, 0.7, 0.1, 0.98} {
		took, err := b.inTurn(file, at(end), at(part))
		if err != nil {
			return err
		}
		second = append(second, took[0])
	}
	b.table.alone("a second range of the same file, anywhere before the first, straight after it", median(second), "under 5 ms")
	b.table.alone("— the slowest of seven places", slices.Max(second), "")
	warm, err := b.warm(file, func(i int) citekit.Location { return at(float64(12-i) / 13) })
	b.table.alone("— later ones", warm, "under 5 ms")
	return err
}

// warm returns the median time of a resolve in process after a first one of
// the same file. Nothing is found stored: every location is another.
func (b *bench) warm(file string, location func(i int) citekit.Location) (time.Duration, error) {
	var later []citekit.Location
	for i := range min(b.rounds, 10) {
		later = append(later, location(i+1))
	}
	times, err := b.inTurn(file, location(0), later...)
	if err != nil {
		return 0, err
	}
	return median(times), nil
}

// inTurn resolves a first part of a file and then others in one process that
// has nothing stored, and returns what each of the others took.
func (b *bench) inTurn(file string, first citekit.Location, others ...citekit.Location) ([]time.Duration, error) {
	dir := filepath.Join(b.data, "workspace")
	if err := emptyDirectory(dir); err != nil {
		return nil, err
	}
	ws, err := workspace.Open(dir, &workspace.Options{Files: []string{file}})
	if err != nil {
		return nil, err
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	if _, err := lib.ResolveFile(b.ctx, file, first, nil); err != nil {
		return nil, err
	}
	var times []time.Duration
	for _, location := range others {
		start := time.Now()
		if _, err := lib.ResolveFile(b.ctx, file, location, nil); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

// inProcess measures what a program that embeds the library sees.
func (b *bench) inProcess() error {
	ids, err := b.bigMap()
	if err != nil {
		return err
	}
	ws, err := workspace.Open(b.mapsDir(), nil)
	if err != nil {
		return err
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	calls := []struct {
		job, goal string
		call      func(ctx context.Context, id string) error
	}{
		{"getNode in process, 10,000-node map", "under 20 µs", func(ctx context.Context, id string) error {
			_, err := lib.Node(ctx, "big", id)
			return err
		}},
		{"virtual resolve in process", "under 20 µs", func(ctx context.Context, id string) error {
			_, err := lib.Resolve(ctx, "big", id, &citekit.ResolveOptions{Virtual: true})
			return err
		}},
		{"physical resolve in process, evidence there", "under 1 ms", func(ctx context.Context, _ string) error {
			_, err := lib.Resolve(ctx, "big", ids[5], nil)
			return err
		}},
	}
	for _, c := range calls {
		var times []time.Duration
		for i := range 2000 {
			start := time.Now()
			if err := c.call(b.ctx, ids[i*37%len(ids)]); err != nil {
				return err
			}
			times = append(times, time.Since(start))
		}
		b.table.alone(c.job, median(times), c.goal)
	}
	return nil
}
