// Package epub resolves parts of EPUB books, versions 2 and 3, and blocks of
// these parts, such as paragraphs. The evidence is a book that has only them,
// with their pictures and style sheets. The nodes of a map are the entries of
// the table of contents.
//
// # Parts
//
// The parts of a book are the itemrefs in the spine of the package document of
// its first rendition, counted from 1 in reading order. Itemrefs that are not
// linear count, and so does each repeat of an item. A part whose item is missing
// counts too, but it can be resolved only together with other parts.
//
// # Blocks
//
// The blocks of a part are counted from 1. They contain all of its text, each
// character once. Each element p, h1 to h6, ul, ol, dl, menu, table, figure,
// pre, hr, details and dialog is one block with all its content, even if it is
// empty. Any other element that begins on a new line, such as div, section,
// blockquote, aside and nav, is not a block if it contains one; otherwise it is
// one, unless it shows nothing. Inline content between blocks is a block as well,
// from its first text or picture to its last. Elements that show nothing, such
// as anchors and page break marks, are not blocks. A drawing (SVG) that is a part
// is one block.
//
// # Cells
//
// The first table in a block has rows and columns counted from 1, so that
// cells=B2:C3 selects some of its cells. A cell that takes several rows or
// columns is at its first row and column.
package epub

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/modality/document/internal/zipread"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

const (
	mediaType = "application/epub+zip"
	ext       = ".epub"
)

// A Resolver extracts parts, and blocks of parts, of EPUB books as EPUB books
// of their own. The zero value is ready to use. It is safe for concurrent use
// and must not be copied after first use.
//
// # What is kept
//
// The evidence has, byte for byte, the parts and the resources they show or play,
// such as style sheets, pictures, fonts and scripts, with the resources that
// these need in turn. The package document and the tables of contents are cut
// down to the parts. The metadata of the book stay. Other parts are left out, and
// so are signatures, and the cover unless a part shows it. If blocks are cited,
// the part has its head, the blocks, and the start and end tags around them. If
// cells are cited, it has their table with only these cells; cells that begin
// outside the range are empty. Links to what is left out stay and are counted in
// the changes.
//
// # Damaged books
//
// Parts that are not well-formed XML are parsed as HTML, roughly as browsers do.
// Member names match in any case. References never leave the archive, and no
// network is used. Entities that a document defines itself are unknown.
type Resolver struct {
	// CacheBytes bounds the memory for package documents kept for later calls,
	// approximately; zero means 32 MiB, negative keeps none.
	CacheBytes int64

	once  sync.Once
	books concurrent.Cache[*book]
}

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
	_ preview.Tabler     = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "epub/5" }

// open returns the book in src, from the cache or newly read.
func (r *Resolver) open(ctx context.Context, src *citekit.Source) (*book, error) {
	r.once.Do(func() {
		r.books.MaxCost = docfile.Bound(r.CacheBytes, 32<<20)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if src.Size() == 0 {
		return nil, damaged("the source is empty")
	}
	b, err := r.books.Get(ctx, docfile.Key(src, ""), func(ctx context.Context) (*book, int64, error) {
		b, err := openBook(ctx, src)
		if err != nil {
			return nil, 0, err
		}
		return b, b.cost, nil
	})
	if err != nil {
		return nil, known(ctx, err)
	}
	return b.on(src), nil
}

// known makes an error match what [citekit.Resolver] documents.
func known(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errMarkup):
		return fmt.Errorf("%w: %w", err, citekit.ErrTooLarge)
	case errors.Is(err, errNoText):
		return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	return zipread.Known(ctx, err)
}

// openAt opens a book and checks a location in it, without reading any part.
func (r *Resolver) openAt(ctx context.Context, src *citekit.Source, loc citekit.Location) (*book, error) {
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	b, err := r.open(ctx, src)
	if err != nil {
		return nil, err
	}
	return b, b.extent().Check(loc)
}

func (b *book) extent() citekit.Extent {
	return citekit.Extent{Modality: citekit.Document, Parts: len(b.spine), MediaType: mediaType}
}

// checkBlocks returns an error if the part does not have these blocks.
func (p *part) checkBlocks(number int, blocks citekit.Range) error {
	if blocks.Last <= len(p.blocks) {
		return nil
	}
	bounds := "the part has none"
	if n := len(p.blocks); n > 0 {
		bounds = fmt.Sprintf("its blocks run 1-%d", n)
	}
	return fmt.Errorf("block %d of part %d; %s: %w", max(blocks.First, len(p.blocks)+1), number, bounds, citekit.ErrRange)
}

// Measure implements [citekit.Measurer]. The extent gives the number of parts; blocks
// are checked when a part is read.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	b, err := r.open(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return b.extent(), nil
}

// Resolve implements [citekit.Resolver]. The media type is always
// "application/epub+zip". The mode has no effect on books. Errors match
// [citekit.ErrTooLarge] for evidence of more than 256 MiB and for a part of more than
// 32 MiB, and [citekit.ErrEncrypted] for a protected book.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	b, err := r.openAt(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	if req.Location.IsWhole() {
		return docfile.Whole(ctx, src, mediaType, ext), nil
	}
	loc, err := b.withBlock(ctx, req.Location)
	if err != nil {
		return nil, known(ctx, err)
	}
	data, changes, err := b.cut(ctx, loc)
	if err != nil {
		return nil, known(ctx, err)
	}
	c := docfile.Cut(ctx, data, mediaType, ext, changes)
	if !loc.Equal(req.Location) {
		c.Actual = &loc
	}
	return c, nil
}

// withBlock returns a location with the block of a table in place of its number.
func (b *book) withBlock(ctx context.Context, loc citekit.Location) (citekit.Location, error) {
	if loc.Table == "" {
		return loc, nil
	}
	p, _, err := b.part(ctx, loc.Parts().First)
	if errors.Is(err, errNoText) {
		return loc, docfile.NoTable(loc, 0)
	}
	if err != nil {
		return loc, err
	}
	return docfile.TableBlock(loc, len(p.blocks), func(n int) bool { return p.table(n) != nil })
}

// maxRead is how many bytes of markup one call of ReadText reads. Books have far
// less; it stops decompression bombs. Tests lower it.
var maxRead = 256 << 20

// ReadText implements [citekit.TextReader]. Each run is a block with text, including
// its line end. List items, table rows and line breaks begin lines within a block.
// Tabs separate table cells. Pictures yield their alternative text, and ruby readings
// are left out. Cells are one run with a line for each row. If several parts are
// read, missing parts and parts without text are skipped, and a file that the spine
// lists several times is read once.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		b, err := r.openAt(ctx, src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		if loc, err = b.withBlock(ctx, loc); err != nil {
			yield(citekit.TextRun{}, known(ctx, err))
			return
		}
		parts := loc.Parts()
		if loc.IsWhole() {
			parts = citekit.Range{First: 1, Last: len(b.spine)}
		}
		reader := partReader{book: b, yield: yield, seen: make(map[string]bool)}
		for n := parts.First; n <= parts.Last; n++ {
			more, err := reader.part(ctx, n, loc, parts.Len() > 1 || loc.IsWhole())
			if err != nil {
				yield(citekit.TextRun{}, known(ctx, err))
				return
			}
			if !more {
				return
			}
		}
	}
}

type partReader struct {
	*book
	yield func(citekit.TextRun, error) bool
	read  int
	seen  map[string]bool // files that were read
}

// part yields the blocks or cells of a part that a location selects, or all blocks if
// it selects none.
func (r *partReader) part(ctx context.Context, number int, loc citekit.Location, lenient bool) (more bool, err error) {
	blocks := loc.Blocks
	if lenient {
		if !r.isThere(number) {
			return true, nil
		}
		if it := r.content(r.spine[number-1].item); it != nil {
			if r.seen[it.name] {
				return true, nil
			}
			r.seen[it.name] = true
		}
	}
	p, _, err := r.book.part(ctx, number)
	if errors.Is(err, errNoText) {
		return true, checkNone(number, blocks)
	}
	if err != nil {
		return false, err
	}
	if r.read += len(p.data); r.read > maxRead {
		return false, fmt.Errorf("more than %d MiB of text; read or cite fewer parts: %w", maxRead>>20, citekit.ErrTooLarge)
	}
	if err := p.checkBlocks(number, blocks); err != nil {
		return false, err
	}
	if !loc.Cells.IsZero() {
		text, err := p.cellsText(loc)
		if err != nil || isBlank(text) {
			return true, err
		}
		return r.yield(citekit.TextRun{Text: text, Location: loc}, nil), nil
	}
	if blocks.IsZero() {
		blocks = citekit.Range{First: 1, Last: len(p.blocks)}
	}
	for i := blocks.First; i <= blocks.Last; i++ {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		text := p.blockText(p.blocks[i-1])
		if isBlank(text) {
			continue
		}
		if !r.yield(citekit.TextRun{Text: text, Location: location(number, citekit.Range{First: i, Last: i})}, nil) {
			return false, nil
		}
	}
	return true, nil
}

// checkNone refuses blocks of a part without markup.
func checkNone(number int, blocks citekit.Range) error {
	if blocks.IsZero() {
		return nil
	}
	return new(part).checkBlocks(number, blocks)
}

func location(number int, blocks citekit.Range) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Part: strconv.Itoa(number), Blocks: blocks}
}

// locationOf returns the location of parts.
func locationOf(parts citekit.Range) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Part: parts.String()}
}
