package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/textlayer"
)

// A text of up to maxPrepared bytes is searched as one. Longer texts are
// searched in parts. Neighbouring parts share overlap bytes: more than a quote
// with the text it leaves out.
const (
	maxPrepared = 32 << 20
	maxPart     = 8 << 20
	overlap     = 1 << 20
)

// partition sets the sizes in which long texts are searched.
type partition struct{ whole, length, overlap int64 }

// A source is the text of a resource that is searched for quotes.
type source struct {
	*textlayer.Layer
	resource string
	path     string // of the file
	name     string // of the file
	opts     quotation.Options
	stale    bool // it is not the cited version
}

// open opens the text of a resource: that of the cited version, if the address pins one, or
// else of the mapped one. If that text is not kept, the error matches [citekit.ErrStale].
func (v *Verifier) open(ctx context.Context, a citekit.Address) (*source, error) {
	m, err := v.lib.Map(ctx, a.Resource)
	if err != nil {
		return nil, &citekit.ResolveError{Op: "verify", Address: a, Err: err}
	}
	layer, err := v.layers.Open(ctx, a.Resource)
	stale := errors.Is(err, citekit.ErrStale) || err == nil && !strings.HasPrefix(layer.SourceHash(), a.Version)
	if stale {
		if layer != nil {
			layer.Close()
		}
		layer, err = v.openCited(ctx, m, a, err)
	}
	if err != nil {
		return nil, err
	}
	s := &source{Layer: layer, resource: a.Resource, path: m.SourcePath, name: path.Base(m.SourcePath), opts: optionsFor(ctx, m.SourcePath, layer), stale: stale}
	return s, nil
}

// openCited opens the text of a version that is not both the present and the mapped one:
// as it was kept, or, of a source that was not mapped again, from the source. Stale is the
// error of the mapped version, or nil.
func (v *Verifier) openCited(ctx context.Context, m *citekit.ResourceMap, a citekit.Address, stale error) (*textlayer.Layer, error) {
	hash := a.Version
	if strings.HasPrefix(m.SourceHash(), a.Version) {
		hash = m.SourceHash()
	}
	if layer, err := v.layers.OpenVersion(ctx, m.ResourceID, hash); err == nil {
		return layer, nil
	}
	layer, err := v.layers.OpenFile(ctx, m.SourcePath, m.Address(nil).Location.Modality)
	switch {
	case ctx.Err() != nil:
	case err == nil && a.Version != "" && strings.HasPrefix(layer.SourceHash(), a.Version):
		return layer, nil
	default:
		stale = cmp.Or(stale, fmt.Errorf("the source is of another version: %w", citekit.ErrStale))
		err = &citekit.ResolveError{Op: "verify", Address: a, Err: fmt.Errorf("the text that was cited is not kept: %w", lookup.Reason(stale))}
	}
	if layer != nil {
		layer.Close()
	}
	return nil, err
}

// prose are the extensions of texts that are written for people.
var prose = []string{"", ".txt", ".text", ".md", ".markdown", ".mdx", ".qmd", ".rmd", ".rst", ".adoc", ".asciidoc", ".org", ".tex", ".html", ".htm", ".xhtml", ".eml", ".mbox"}

// fielded are the extensions of rows of fields.
var fielded = []string{".csv", ".tsv", ".tab", ".psv"}

// pages are the extensions of HTML, of which the layer has what it shows, unless
// isWritten.
var pages = []string{".html", ".htm", ".xhtml"}

// maxShown is the length of a page, in bytes, that is read as what it shows.
const maxShown = 16 << 20

// isWritten reports whether the layer of a page is its markup: it is too long, or shows
// nothing.
func isWritten(ctx context.Context, layer *textlayer.Layer) bool {
	head, err := layer.Text(ctx, 0, min(layer.Len(), 1024))
	return layer.Len() > maxShown || err == nil && strings.HasPrefix(strings.TrimSpace(head), "<")
}

// optionsFor derives the options of a text from the name of its source and its
// places.
func optionsFor(ctx context.Context, sourcePath string, layer *textlayer.Layer) (opts quotation.Options) {
	opts.Breaks = breaks(layer)
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(sourcePath, "\\", "/")))
	switch layer.Modality() {
	case citekit.Document:
		for r := range layer.Runs() {
			if len(r.Location.Pages) > 0 {
				opts.Pages = append(opts.Pages, int(r.From))
			}
		}
	case citekit.Text:
		opts.Markdown = slices.Contains(prose[3:7], ext) || slices.Contains(pages, ext) && isWritten(ctx, layer)
		opts.Subtitles = slices.Contains([]string{".srt", ".vtt", ".sbv"}, ext)
		opts.Verbatim = !slices.Contains(prose, ext) && !opts.Subtitles
		if slices.Contains(fielded, ext) {
			if head, err := layer.Text(ctx, 0, min(layer.Len(), maxSample)); err == nil {
				header, _, _ := strings.Cut(head, "\n")
				if d := lineform.Delimiter([]byte(head)); strings.IndexByte(header, d) >= 0 {
					opts.Delimiter = d
				}
			}
		}
	}
	return opts
}

// breaks returns the offsets in a text where another block, row, part or message
// begins.
func breaks(layer *textlayer.Layer) (at []int) {
	type unit struct {
		member, part, table, sheet string
		message                    int
		blocks, rows               citekit.Range
	}
	var last unit
	for r := range layer.Runs() {
		loc := r.Location
		next := unit{loc.Member, loc.Part, loc.Table, loc.Sheet, loc.Message, loc.Blocks, loc.Rows}
		if next != last && r.From > 0 {
			at = append(at, int(r.From))
		}
		last = next
	}
	return at
}

// maxSample is how much of a table is read to find what separates its fields, in bytes.
const maxSample = 64 << 10

// A segment is a part of the text of a source, prepared, with the offset of its
// start.
type segment struct {
	*quotation.Text
	at int64
}

// stretches calls f for the text of a source: all of it, or, if it is long, its
// parts one after another. It ends when f returns false. f may be called in another
// goroutine.
func (v *Verifier) stretches(ctx context.Context, s *source, f func(segment) bool) error {
	if s.Len() <= v.parts.whole {
		text, err := v.prepared(ctx, s)
		if err == nil {
			f(segment{text, 0})
		}
		return err
	}
	if r, ok := ctx.Value(roundsKey{}).(*sharedPasses); ok {
		return r.wait(ctx, v, s, f)
	}
	return v.parted(ctx, s, f)
}

// parted calls f for the parts of a long text one after another, until f returns false.
func (v *Verifier) parted(ctx context.Context, s *source, f func(segment) bool) error {
	for from := int64(0); from < s.Len(); from += v.parts.length - v.parts.overlap {
		text, err := v.partOf(ctx, s, from, min(from+v.parts.length, s.Len()))
		if err != nil {
			return err
		}
		if !f(text) {
			return nil
		}
	}
	return nil
}

// prepared returns the whole text of a source, and keeps it.
func (v *Verifier) prepared(ctx context.Context, s *source) (*quotation.Text, error) {
	return v.texts.Get(ctx, s.textKey(), func(ctx context.Context) (*quotation.Text, int64, error) {
		raw, err := s.Text(ctx, 0, s.Len())
		if err != nil {
			return nil, 0, err
		}
		text := quotation.Prepare(raw, s.opts)
		return text, text.Cost(), nil
	})
}

// partOf prepares a part of a text, out to the edges of characters.
func (v *Verifier) partOf(ctx context.Context, s *source, from, to int64) (segment, error) {
	for from > 0 && !s.isEdge(from) {
		from--
	}
	for to < s.Len() && !s.isEdge(to) {
		to++
	}
	raw, err := s.Text(ctx, from, to)
	if err != nil {
		return segment{}, err
	}
	v.partsMade.Add(1)
	opts := s.opts
	opts.Pages, opts.Breaks = nil, nil
	for _, b := range s.opts.Breaks {
		if int64(b) > from && int64(b) < to {
			opts.Breaks = append(opts.Breaks, b-int(from))
		}
	}
	for _, p := range s.opts.Pages {
		if int64(p) >= from && int64(p) < to {
			opts.Pages = append(opts.Pages, p-int(from))
		}
	}
	if len(opts.Pages) > 0 && opts.Pages[0] > 0 {
		opts.Pages = append([]int{0}, opts.Pages...)
	}
	return segment{quotation.Prepare(raw, opts), from}, nil
}

// isEdge reports whether a character begins at an offset.
func (s *source) isEdge(at int64) bool {
	var b [1]byte
	_, err := s.ReadAt(b[:], at)
	return err != nil || b[0]&0xc0 != 0x80
}
