package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/stdio"
	"github.com/citekit/citekit/internal/test/testcorpus"
)

// search measures how long mixed files take to become searchable, and the first search
// after that.
func (b *bench) search() error {
	const files = 1_000
	dir, err := b.mixed(files)
	if err != nil {
		return err
	}
	texts := b.ingestFresh(dir)
	texts.args = withTexts(texts.args)
	again := b.ingestAgain(dir)
	again.args = withTexts(again.args)
	if err := b.aloneWithMemory(fmt.Sprintf("map %d mixed files", files), "", b.ingestFresh(dir)); err != nil {
		return err
	}
	if err := b.aloneWithMemory("— and read their texts for search", "", texts); err != nil {
		return err
	}
	if err := b.aloneWithMemory("— again, unchanged", "", again); err != nil {
		return err
	}
	first := command{args: []string{b.citekit, "search", "--dir", dir, "harbour", "lantern"}, env: again.env}
	if err := b.aloneWithMemory("the first search after that, a process of its own", "under 200 ms", first); err != nil {
		return err
	}
	var times []time.Duration
	for range b.rounds {
		s, err := stdio.Start(b.ctx, dir, "env", again.env[0], b.citekit, "serve", "--dir", dir) // with the key that sealed the index
		if err != nil {
			return err
		}
		if _, err := s.Call("tools/list", map[string]any{}); err != nil {
			return err
		}
		start := time.Now()
		result, err := s.Tool("search", map[string]any{"query": "harbour lantern"})
		times = append(times, time.Since(start))
		s.Stop()
		if err != nil || !strings.Contains(result.Text, `"complete":true`) {
			return errors.Join(fmt.Errorf("search: %.300s", result.Text), err)
		}
	}
	b.table.alone("— of a server that has just started", median(times), "under 200 ms")
	return nil
}

// withTexts returns the arguments of an ingest that also reads the texts.
func withTexts(args []string) []string {
	var all []string
	for _, arg := range args {
		if arg != "--no-index" {
			all = append(all, arg)
		}
	}
	return all
}

// mixed is a folder of n files in twelve formats, old enough to be known by their times.
func (b *bench) mixed(n int) (string, error) {
	return b.made(fmt.Sprintf("mixed-%d", n), func(dir string) error {
		random := rand.New(rand.NewPCG(1, 2))
		old := time.Now().Add(-time.Hour)
		for i := range n {
			name, data, err := mixedFile(random, i)
			if err != nil {
				return err
			}
			path := filepath.Join(dir, fmt.Sprintf("folder%02d", i%31), name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600), os.Chtimes(path, old, old)); err != nil {
				return err
			}
		}
		return nil
	})
}

// mixedFile returns the name and the content of one of many files.
func mixedFile(random *rand.Rand, i int) (string, []byte, error) {
	text := func(words int) string { return mixedText(random, words) }
	title := text(3)
	name := func(ext string) string { return fmt.Sprintf("file%04d.%s", i, ext) }
	var b bytes.Buffer
	switch kind := i % 20; kind {
	case 0, 1, 2, 3: // of 300 to 1,200 words
		fmt.Fprintf(&b, "# %s\n", title)
		for range 3 + random.IntN(10) {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", text(3), text(100))
		}
		return name("md"), b.Bytes(), nil
	case 4, 5, 6:
		for range 5 + random.IntN(20) {
			fmt.Fprintf(&b, "%s.\n\n", text(60))
		}
		return name("txt"), b.Bytes(), nil
	case 7, 8:
		fmt.Fprintf(&b, "<html><title>%s</title><body><h1>%s</h1>", title, title)
		for range 10 {
			fmt.Fprintf(&b, "<h2>%s</h2><p>%s.</p>", text(3), text(60))
		}
		return name("html"), b.Bytes(), nil
	case 9:
		b.WriteString("day,place,what\n")
		for row := range 200 {
			fmt.Fprintf(&b, "%d,%s,%s\n", row, text(1), text(4))
		}
		return name("csv"), b.Bytes(), nil
	case 10:
		for row := range 300 {
			fmt.Fprintf(&b, "2024-05-%02dT10:%02d:00Z INFO %s\n", 1+row/60, row%60, text(6))
		}
		return name("log"), b.Bytes(), nil
	case 11:
		b.WriteString("package harbour\n")
		for f := range 12 {
			fmt.Fprintf(&b, "\n// F%d is for %s.\nfunc F%d() {\n\tprintln(%q)\n}\n", f, text(8), f, text(4))
		}
		return name("go"), b.Bytes(), nil
	case 12:
		fmt.Fprintf(&b, `{"title": %q, "list": [`, title)
		for range 50 {
			fmt.Fprintf(&b, "{\"word\": %q},\n", text(4))
		}
		b.WriteString("0]}\n")
		return name("json"), b.Bytes(), nil
	case 13:
		fmt.Fprintf(&b, "From: a@example.org\r\nTo: b@example.org\r\nSubject: %s\r\nDate: Mon, 6 May 2024 10:00:00 +0000\r\n\r\n%s.\r\n", title, text(150))
		return name("eml"), b.Bytes(), nil
	case 14, 15:
		paragraphs := []string{title}
		for range 20 {
			paragraphs = append(paragraphs, text(50)+".")
		}
		return name("docx"), testcorpus.WordTable(paragraphs, []string{"place", "what"}, []string{text(1), text(2)}), nil
	case 16:
		var rows [][]string
		for range 100 {
			rows = append(rows, []string{text(1), text(3), text(2)})
		}
		return name("xlsx"), testcorpus.Workbook(rows...), nil
	case 17, 18:
		var pages []string
		for range 1 + random.IntN(8) {
			pages = append(pages, text(4))
		}
		return name("pdf"), pdftest.Text(true, pages...), nil
	default:
		picture := image.NewGray(image.Rect(0, 0, 160, 120))
		for k := range picture.Pix {
			picture.Pix[k] = color.Gray{Y: byte(k*i>>4) | 0x80}.Y
		}
		err := png.Encode(&b, picture)
		return name("png"), b.Bytes(), err
	}
}

// mixedText returns words of which some are frequent and most are not.
func mixedText(random *rand.Rand, n int) string {
	common := strings.Fields("harbour lantern tide water the of and a to in is it was for on with as at by from")
	syllables := strings.Fields("ba ke lo mi nu ra se ti vo wa dor fen gal hin jar kel lum mar nes por")
	words := make([]string, n)
	for i := range words {
		if random.IntN(3) == 0 {
			words[i] = common[random.IntN(len(common))]
			continue
		}
		k := int(float64(8000) * random.Float64() * random.Float64())
		words[i] = syllables[k%20] + syllables[k/20%20] + syllables[k/400%20]
	}
	return strings.Join(words, " ")
}
