// Package word resolves blocks of text documents, DOCX and ODT: paragraphs,
// tables and lists. The evidence is a document of the same format that has only
// these blocks, with their styles and pictures. The nodes of a map are the
// sections under the headings, and tables and figures with captions.
//
// # Blocks
//
// Blocks count from 1. In a DOCX a block is a child of the body: a paragraph, a
// table, a content control (one block, even around a whole table of contents), an
// embedded text or an element of custom XML. The properties of the last section
// and invisible marks are not blocks. In an ODT a block is a child of
// office:text: a paragraph, a heading, a list, a table, a section, an index or a
// frame. Page breaks of the last layout and change marks are not blocks.
//
// Table cells are addressed in A1 notation together with their block. Columns are
// those of the grid of the outer table. A cell that takes several columns has its
// text in the first.
//
// # Text
//
// The text of a paragraph is the text it shows: without deletions, with
// insertions, with its list number followed by a tab, as in "1.2\tScope", and
// followed by the text of its text boxes. Bullets, headers and footers are not part
// of it. The text of footnotes and endnotes follows the block that refers to them,
// one per line, as in "[3] See page 9.". Comments follow in the same way if
// [Resolver.Comments] is set, as in "[comment by Ann] Which page?": a thread has a
// line for each comment, in its order. Tables have a line for each row and a tab
// between columns.
package word

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

// A Resolver extracts blocks of DOCX and ODT files as files of their own. The
// zero value is ready to use. It is safe for concurrent use and must not be
// copied after first use.
//
// # What is kept
//
// Evidence is spliced from the bytes of the source: the blocks as they are, with
// the styles, lists, fonts and settings of the document, the page size, headers
// and footers of their sections, and their pictures, charts, notes, comments and
// tracked changes. Lists begin with the numbers that the source shows. Everything
// else is left out: document properties, other notes and comments with their
// authors, data stores, macros, embedded objects, controls and links to files.
// Bookmarks, ranges and fields are left out if the blocks contain only one half
// of them.
type Resolver struct {
	// CacheBytes bounds the memory for documents kept for later calls, approximately;
	// zero means 128 MiB, negative keeps none.
	CacheBytes int64

	// Comments makes [Resolver.ReadText] read the comments too, each after the
	// block that they are on.
	Comments bool

	once   sync.Once
	opened concurrent.Cache[text]
}

const defaultCacheBytes = 128 << 20

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
	_ preview.Tabler     = (*Resolver)(nil)
)

// A text is a parsed document of one format. It holds no open file.
type text interface {
	cost() int64 // approximate memory in bytes
	format() (mediaType, ext string)
	blocks() int

	// tableSize returns the numbers of rows and columns of a block, counted from 0.
	// ok is false if it is not a table.
	tableSize(i int) (rows, cols int, ok bool)

	// table returns the table of a block, without its location; nil if it has none.
	table(i int) *preview.Table

	// blockText returns the text of a block, or of some of its cells.
	blockText(i int, cells citekit.Cells) string

	// line returns the text of a block on one line, without that of its notes.
	line(i int) string

	// cut returns a document with the blocks from first to last, or with cells of one
	// of them.
	cut(ctx context.Context, src io.ReaderAt, size int64, first, last int, cells citekit.Cells) (*evidence, error)

	draft(ctx context.Context) (*citekit.Draft, error)
}

// An evidence is a cut document.
type evidence struct {
	data           []byte
	mediaType, ext string
	changes        []string
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string {
	if r.Comments {
		return "word/7 comments"
	}
	return "word/6"
}

// open returns the document in src. It may be shared with other calls.
func (r *Resolver) open(ctx context.Context, src *citekit.Source) (text, error) {
	r.once.Do(func() {
		r.opened.MaxCost = docfile.Bound(r.CacheBytes, defaultCacheBytes)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.opened.Get(ctx, docfile.Key(src, ""), func(ctx context.Context) (text, int64, error) {
		t, err := openText(ctx, src, r.Comments)
		if err != nil {
			return nil, 0, err
		}
		return t, t.cost(), nil
	})
}

func openText(ctx context.Context, src *citekit.Source, comments bool) (text, error) {
	format, err := sniff.Detect(src, src.Size())
	if err != nil {
		return nil, err
	}
	if format.ID == "odt" {
		p, err := odf.Open(ctx, src, src.Size())
		if err != nil {
			return nil, err
		}
		return openODT(ctx, p, comments)
	}
	p, err := ooxml.Open(ctx, src, src.Size())
	if err != nil {
		return nil, err
	}
	return openDocx(ctx, p, comments)
}

// Resolve implements [citekit.Resolver]. Cells are returned as a document with one
// table of those cells. The mode has no effect on documents.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	t, loc, first, last, err := r.find(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	if loc.IsWhole() {
		mediaType, ext := t.format()
		return docfile.Whole(ctx, src, mediaType, ext), nil
	}
	x, err := t.cut(ctx, src, src.Size(), first, last, loc.Cells)
	if err != nil {
		return nil, err
	}
	c := docfile.Cut(ctx, x.data, x.mediaType, x.ext, x.changes)
	if !loc.Equal(req.Location) {
		c.Actual = &loc
	}
	return c, nil
}

// find returns the document and the blocks that a location selects, [first, last)
// counted from 0, and the location with the block of a table in place of its number.
func (r *Resolver) find(ctx context.Context, src *citekit.Source, asked citekit.Location) (t text, loc citekit.Location, first, last int, err error) {
	loc = asked
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a document"); err != nil {
		return nil, loc, 0, 0, err
	}
	if t, err = r.open(ctx, src); err != nil {
		return nil, loc, 0, 0, err
	}
	if t.blocks() == 0 && !loc.Blocks.IsZero() {
		return nil, loc, 0, 0, fmt.Errorf("blocks %v of a document without any: %w", loc.Blocks, citekit.ErrRange)
	}
	if err := extentOf(t).Check(loc); err != nil {
		return nil, loc, 0, 0, err
	}
	if loc, err = docfile.TableBlock(loc, t.blocks(), func(n int) bool { _, _, ok := t.tableSize(n - 1); return ok }); err != nil {
		return nil, loc, 0, 0, err
	}
	if loc.Blocks.IsZero() {
		return t, loc, 0, t.blocks(), nil
	}
	first, last = loc.Blocks.First-1, loc.Blocks.Last
	if !loc.Cells.IsZero() {
		if err := checkCells(t, first, loc.Cells); err != nil {
			return nil, loc, 0, 0, err
		}
	}
	return t, loc, first, last, nil
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

// Measure implements [citekit.Measurer]. It counts the blocks of the body.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	t, err := r.open(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return extentOf(t), nil
}

// ReadText implements [citekit.TextReader]. Each run is a block, or the cells that
// loc selects; blocks without text are skipped.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		t, loc, first, last, err := r.find(ctx, src, loc)
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

// Tables implements [preview.Tabler]. Where the cells stand on a page is not known.
func (r *Resolver) Tables(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]preview.Table, error) {
	t, loc, first, last, err := r.find(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	at := citekit.Location{Modality: citekit.Document}
	return docfile.BlockTables(ctx, at, citekit.Range{First: first + 1, Last: last}, loc.Cells, func(n int) (*preview.Table, error) {
		return t.table(n - 1), nil
	})
}

// blockAt returns the location of the blocks [first, last), counted from 0.
func blockAt(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Blocks: citekit.Range{First: first + 1, Last: last}}
}

// Map implements [citekit.Mapper]. Headings become nested sections. Tables, and
// figures with captions, become nodes in them. A document without headings becomes
// consecutive passages of blocks.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := docfile.CheckMap(ctx, req, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	t, err := r.open(ctx, src)
	if err != nil {
		return nil, err
	}
	if t.blocks() == 0 {
		return nil, fmt.Errorf("empty; %w", citekit.ErrEmpty)
	}
	d, err := t.draft(ctx)
	if err == nil && req.Progress != nil {
		req.Progress(1)
	}
	return d, err
}
