package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// A room is the files, with all that asks questions of them.
type room struct {
	*corpus.Corpus
	plain *plainRanking
	texts map[string]*source // by the name of the file
	names map[string]string  // of the files, by resource id
}

// A source is the text of a file, with single spaces.
type source struct {
	layer *textlayer.Layer
	text  string
	at    []int64 // offset in the layer of each byte of text
}

// A span is a part of a text: bytes of its layer, the end excluded.
type span struct{ from, to int64 }

func (s span) overlaps(o span) bool { return s.from < o.to && o.from < s.to }

// open maps the files of the collection in a folder, and reads them.
func (c *collection) open(ctx context.Context, dir string) (*room, error) {
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o700); err != nil {
		return nil, err
	}
	if err := c.unpack(ctx, files); err != nil {
		return nil, err
	}
	opened, err := corpus.Open(files, &corpus.Options{Workspace: &workspace.Options{KeyDir: filepath.Join(dir, "key")}})
	if err != nil {
		return nil, err
	}
	r := &room{Corpus: opened, texts: make(map[string]*source), names: make(map[string]string)}
	if err := r.fill(ctx); err != nil {
		r.close()
		return nil, err
	}
	for _, f := range c.files {
		if r.texts[f.Name] == nil || f.isCues() && r.texts[f.recording()] == nil {
			r.close()
			return nil, fmt.Errorf("%s is not mapped", f.Name)
		}
	}
	return r, nil
}

func (r *room) close() {
	for _, s := range r.texts {
		s.layer.Close()
	}
	r.Close()
}

func (r *room) fill(ctx context.Context) error {
	report, err := r.Ingest(ctx)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return err
	}
	if err := r.Searcher.Update(ctx); err != nil {
		return err
	}
	return r.read(ctx)
}

// read reads all texts, and gives their units to the plain ranking.
func (r *room) read(ctx context.Context) error {
	r.plain = &plainRanking{postings: make(map[string][]posting)}
	ids, err := r.Resources(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		m, err := r.Map(ctx, id)
		if err != nil {
			return err
		}
		layer, err := r.Layers.Open(ctx, id)
		if err != nil {
			return err
		}
		text, err := layer.Text(ctx, 0, layer.Len())
		if err != nil {
			return err
		}
		name := filepath.Base(m.SourcePath)
		r.names[id] = name
		r.texts[name] = newSource(layer, text)
		for _, s := range units(layer, text) {
			r.plain.add(unit{name, s}, text[s.from:s.to])
		}
	}
	return nil
}

// units returns the pages of a text that has pages, else each 15 of its lines.
func units(layer *textlayer.Layer, text string) (all []span) {
	page := 0
	for run := range layer.Runs() {
		if len(run.Location.Pages) == 0 {
			break
		}
		if first := run.Location.Pages[0].First; first != page {
			page = first
			all = append(all, span{run.From, run.To})
		}
		all[len(all)-1].to = run.To
	}
	if len(all) > 0 {
		return all
	}
	const window = 15
	n, from := 0, 0
	for i := range len(text) {
		if text[i] == '\n' {
			n++
		}
		if n == window || i == len(text)-1 {
			all = append(all, span{int64(from), int64(i + 1)})
			n, from = 0, i+1
		}
	}
	return all
}

func newSource(layer *textlayer.Layer, text string) *source {
	s := &source{layer: layer}
	text = timing.ReplaceAllStringFunc(text, func(line string) string { return strings.Repeat(" ", len(line)) })
	var b strings.Builder
	space := true
	for i, c := range text {
		if unicode.IsSpace(c) {
			if !space {
				b.WriteByte(' ')
				s.at = append(s.at, int64(i))
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(c)
		for len(s.at) < b.Len() {
			s.at = append(s.at, int64(i))
		}
	}
	s.text = b.String()
	return s
}

// occurrences returns where a text stands.
func (s *source) occurrences(text string) (all []span) {
	text = strings.Join(strings.Fields(text), " ")
	for from := 0; text != ""; {
		i := strings.Index(s.text[from:], text)
		if i < 0 {
			break
		}
		i += from
		from = i + len(text)
		all = append(all, span{s.at[i], s.at[from-1] + 1})
	}
	return all
}
