// Package word resolves blocks of text documents: DOCX and ODT.
//
// # Blocks
//
// A block is a child of the body of a DOCX: a paragraph, a table, a content
// control (one block, even around a whole table of contents), an embedded text
// or an element of custom XML, counted from 1. The properties of the last
// section and invisible marks are not blocks. In an ODT a block is a child of
// office:text: a paragraph, a heading, a list, a table, a section, an index or a
// frame. Page breaks of the last layout and marks of changes are not blocks.
//
// Cells of a table are addressed in A1 notation with its block: columns are
// those of the grid of the outer table, so that a cell that takes several has
// its text in the first of them.
//
// # Text
//
// The text of a paragraph is what it shows: without deleted text, with text that
// was inserted, with the number that a list gives it and a tab after that, as
// "1.2\tScope", and with the text of text boxes after its own. Bullets, comments,
// headers and footers do not belong to it. The text of footnotes and endnotes
// follows the block that refers to them, each on a line, as "[3] See page 9.".
// Tables have a line for each row and a tab between columns.
package word

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/odf"
	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/internal/warm"
)

// A Resolver extracts blocks of DOCX files as files of their own. The zero value
// is ready to use. It is safe for concurrent use and must not be copied after
// first use.
//
// # What is kept
//
// Evidence is spliced from the bytes of the source: blocks as they are there,
// with the styles, lists, fonts and settings of the document, the page size,
// the headers and the footers of their own sections, and their own pictures,
// charts, notes, comments and tracked changes. Lists begin with the numbers
// that the source shows. Nothing else travels along: properties of the
// document, other notes and comments with their authors, data stores,
// macros, embedded objects, controls and links to files are left out, and
// bookmarks, ranges and fields of which the blocks have one half alone.
type Resolver struct {
	// CacheBytes bounds the memory, roughly, of documents that are kept for
	// further calls; zero means 128 MiB, negative none.
	CacheBytes int64

	once   sync.Once
	opened warm.Cache[text]
}

const defaultCacheBytes = 128 << 20

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// A text is a document of one format, with nothing of its source open.
type text interface {
	cost() int64 // bytes of memory, roughly
	format() (mediaType, ext string)
	blocks() int

	// hasTable reports whether a block, counted from 0, is a table, and how
	// many rows and columns that has.
	tableSize(i int) (rows, cols int, ok bool)

	// blockText returns the text of a block, or of cells of it.
	blockText(i int, cells citekit.Cells) string

	// cut returns a document of the blocks from first to last, or of cells of
	// one of them.
	cut(ctx context.Context, src io.ReaderAt, size int64, first, last int, cells citekit.Cells) (*evidence, error)

	draft(ctx context.Context) (*citekit.Draft, error)
}

// An evidence is a document that was cut.
type evidence struct {
	data           []byte
	mediaType, ext string
	changes        []string
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "word/2" }

// open returns the document in src, which may be shared.
func (r *Resolver) open(ctx context.Context, src *citekit.Source) (text, error) {
	r.once.Do(func() {
		r.opened.MaxCost = r.CacheBytes
		if r.CacheBytes == 0 {
			r.opened.MaxCost = defaultCacheBytes
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	key := src.Version()
	if key != "" {
		key = fmt.Sprintf("%s %d", key, src.Size())
	}
	return r.opened.Get(ctx, key, func(ctx context.Context) (text, int64, error) {
		t, err := openText(ctx, src)
		if err != nil {
			return nil, 0, err
		}
		return t, t.cost(), nil
	})
}

func openText(ctx context.Context, src *citekit.Source) (text, error) {
	format, err := sniff.Detect(src, src.Size())
	if err != nil {
		return nil, err
	}
	if format.ID == "odt" {
		p, err := odf.Open(ctx, src, src.Size())
		if err != nil {
			return nil, err
		}
		return openODT(ctx, p)
	}
	p, err := ooxml.Open(ctx, src, src.Size())
	if err != nil {
		return nil, err
	}
	return openDocx(ctx, p)
}

// Resolve implements [citekit.Resolver]. Cells come as a document of one table
// that has them. The mode has no meaning for documents.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	t, first, last, err := r.find(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	c := new(citekit.Content)
	c.MediaType, c.Ext = t.format()
	if req.Location.IsWhole() {
		c.Size = src.Size()
		c.Body = io.NopCloser(ctxio.Reader(ctx, io.NewSectionReader(src, 0, src.Size())))
		return c, nil
	}
	x, err := t.cut(ctx, src, src.Size(), first, last, req.Location.Cells)
	if err != nil {
		return nil, err
	}
	c.MediaType, c.Ext = x.mediaType, x.ext
	c.Size, c.Changes = int64(len(x.data)), x.changes
	c.Body = io.NopCloser(ctxio.Reader(ctx, bytes.NewReader(x.data)))
	return c, nil
}

// find returns the document and which of its blocks a location selects, counted
// from 0, last not included.
func (r *Resolver) find(ctx context.Context, src *citekit.Source, loc citekit.Location) (t text, first, last int, err error) {
	if err := loc.Validate(); err != nil {
		return nil, 0, 0, err
	}
	if loc.Modality != citekit.Document {
		return nil, 0, 0, fmt.Errorf("%s location in a document: %w", message.Article(loc.Modality), errors.ErrUnsupported)
	}
	if t, err = r.open(ctx, src); err != nil {
		return nil, 0, 0, err
	}
	if t.blocks() == 0 && !loc.Blocks.IsZero() {
		return nil, 0, 0, fmt.Errorf("blocks %v of a document without any: %w", loc.Blocks, citekit.ErrRange)
	}
	if err := extentOf(t).Check(loc); err != nil {
		return nil, 0, 0, err
	}
	if loc.Blocks.IsZero() {
		return t, 0, t.blocks(), nil
	}
	first, last = loc.Blocks.First-1, loc.Blocks.Last
	if !loc.Cells.IsZero() {
		if err := checkCells(t, first, loc.Cells); err != nil {
			return nil, 0, 0, err
		}
	}
	return t, first, last, nil
}

func checkCells(t text, i int, cells citekit.Cells) error {
	rows, cols, ok := t.tableSize(i)
	switch {
	case !ok:
		return fmt.Errorf("cells of block %d, which is no table: %w", i+1, citekit.ErrRange)
	case rows == 0 || cols == 0:
		return fmt.Errorf("cells of a table that has none: %w", citekit.ErrRange)
	case int(cells.Last.Row) > rows || int(cells.Last.Col) > cols:
		all := citekit.Cells{First: citekit.Cell{Col: 1, Row: 1}, Last: citekit.Cell{Col: int32(cols), Row: int32(rows)}}
		return fmt.Errorf("cells %s of block %d; cells run %s: %w", cells, i+1, all, citekit.ErrRange)
	}
	return nil
}

func extentOf(t text) citekit.Extent {
	mediaType, _ := t.format()
	return citekit.Extent{Modality: citekit.Document, Blocks: t.blocks(), MediaType: mediaType}
}

// Measure implements [citekit.Measurer].
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	t, err := r.open(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return extentOf(t), nil
}

// ReadText implements [citekit.TextReader]. A run is a block, or the cells that
// loc selects; a block without text gives none.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		t, first, last, err := r.find(ctx, src, loc)
		for i := first; err == nil && i < last; i++ {
			if err = ctx.Err(); err != nil {
				break
			}
			run := citekit.TextRun{Text: t.blockText(i, loc.Cells), Location: blockAt(i, i+1)}
			run.Location.Cells = loc.Cells
			if run.Text != "" && !yield(run, nil) {
				return
			}
		}
		if err != nil {
			yield(citekit.TextRun{}, err)
		}
	}
}

// blockAt returns the location of blocks counted from 0, last not included.
func blockAt(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Blocks: citekit.Range{First: first + 1, Last: last}}
}

// Map implements [citekit.Mapper]. Headings become sections within one another,
// tables and figures with captions nodes in them; a document without headings
// becomes passages of blocks that follow one another.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if req.Modality != citekit.Document {
		return nil, fmt.Errorf("%s map of a document: %w", message.Article(req.Modality), errors.ErrUnsupported)
	}
	t, err := r.open(ctx, src)
	if err != nil {
		return nil, err
	}
	if t.blocks() == 0 {
		return nil, fmt.Errorf("empty; there is nothing to cite: %w", citekit.ErrFormat)
	}
	d, err := t.draft(ctx)
	if err == nil && req.Progress != nil {
		req.Progress(1)
	}
	return d, err
}
