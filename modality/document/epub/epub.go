// Package epub resolves parts of EPUB books, of EPUB 2 and 3.
//
// # Parts
//
// The parts of a book are the itemrefs in the spine of the package document of
// its first rendition, counted from 1 in reading order. Those that are not
// linear count, and so does each repeat of an item. A part whose item is
// missing counts, too, and cannot be resolved, unless other parts are with it.
//
// # Blocks
//
// The blocks of a part are counted from 1. They hold all of its text, each
// character once. The elements p, h1 to h6, ul, ol, dl, menu, table, figure,
// pre, hr, details and dialog are a block each, with all that is in them, even
// if they are empty. Other elements that begin on a line of their own, such as
// div, section, blockquote, aside and nav, are passed through if they have a
// block in them, and else are one, unless they show nothing. What stands
// between blocks without an element of its own is a block as well, from its
// first text or picture to its last. Elements that show nothing, such as
// anchors and marks of page breaks, are none. A drawing (SVG) that is a part is
// one block.
//
// # Cells
//
// The first table in a block has rows and columns counted from 1, so that
// cells=B2:C3 selects some of its cells. A cell that takes several rows or columns is
// at its first.
package epub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/warm"
	"github.com/citekit/citekit/internal/zipread"
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
// The evidence has the part, or each of several, byte for byte; what it shows or plays, such as
// style sheets, pictures, fonts and scripts, with what these need in turn; and
// the package document and the tables of contents, cut down to the part. It
// keeps the metadata of the book. Other parts, the cover unless the part shows
// it, and signatures are left out. Of blocks, the part has its head, the blocks
// and the start and end tags around them. Of cells, it has their table with these
// cells alone; those that begin outside of the range are left empty. Links to what is left out stay and
// are counted in the changes.
//
// # Damaged books
//
// Parts that are not well-formed XML are read as HTML, by and large as browsers
// do. Names of members are found whatever the case of their letters. References
// never leave the archive, and no network is used. Entities that a document
// defines itself are not known.
type Resolver struct {
	// CacheBytes bounds the memory, roughly, of the package documents of
	// books that are kept for further calls; zero means 32 MiB, negative none.
	CacheBytes int64

	once  sync.Once
	books warm.Cache[*book]
}

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "epub/2" }

// open returns the book in src, as it is kept or read anew.
func (r *Resolver) open(ctx context.Context, src *citekit.Source) (*book, error) {
	r.once.Do(func() {
		r.books.MaxCost = max(r.CacheBytes, 0)
		if r.CacheBytes == 0 {
			r.books.MaxCost = 32 << 20
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if src.Size() == 0 {
		return nil, damaged("the source is empty")
	}
	key := src.Version()
	if key != "" {
		key = fmt.Sprintf("%s %d", key, src.Size())
	}
	b, err := r.books.Get(ctx, key, func(ctx context.Context) (*book, int64, error) {
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

// openAt opens a book and checks a location in it, without reading a part.
func (r *Resolver) openAt(ctx context.Context, src *citekit.Source, loc citekit.Location) (*book, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := loc.Validate(); err != nil {
		return nil, err
	}
	if loc.Modality != citekit.Document {
		return nil, fmt.Errorf("%s location in a document: %w", message.Article(loc.Modality), errors.ErrUnsupported)
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

// checkBlocks returns an error if the part does not have the blocks.
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

// Measure implements [citekit.Measurer]. The extent has the number of parts;
// blocks are checked when a part is read.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	b, err := r.open(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return b.extent(), nil
}

// Resolve implements [citekit.Resolver]. The media type is always
// "application/epub+zip". The mode has no meaning for books. Evidence of more
// than 256 MiB is an error matching [citekit.ErrTooLarge], and so is a part of
// more than 32 MiB. A protected book is one matching [citekit.ErrEncrypted].
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	b, err := r.openAt(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	if req.Location.IsWhole() {
		return content(ctx, io.NewSectionReader(src, 0, src.Size()), src.Size(), nil), nil
	}
	data, changes, err := b.cut(ctx, req.Location)
	if err != nil {
		return nil, known(ctx, err)
	}
	return content(ctx, bytes.NewReader(data), int64(len(data)), changes), nil
}

func content(ctx context.Context, r io.Reader, size int64, changes []string) *citekit.Content {
	return &citekit.Content{
		Body: io.NopCloser(ctxio.Reader(ctx, r)), Size: size, MediaType: mediaType, Ext: ext, Changes: changes,
	}
}

// maxRead is how many bytes of markup one call of ReadText reads: far more than
// books have, and what a bomb is stopped at.
const maxRead = 256 << 20

// ReadText implements [citekit.TextReader]. Each run is a block that has text,
// with its end of line. Lines within a block are those of its lists, rows and
// line breaks; cells of a table have tabs between them; pictures are read as
// their alternative text, and the readings of ruby are left out. Cells are one
// run, a line for each row. Of several parts, those that are missing or no text
// are passed over.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		b, err := r.openAt(ctx, src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		parts := loc.Parts()
		if loc.IsWhole() {
			parts = citekit.Range{First: 1, Last: len(b.spine)}
		}
		reading := reading{book: b, yield: yield}
		for n := parts.First; n <= parts.Last; n++ {
			more, err := reading.part(ctx, n, loc, parts.Len() > 1 || loc.IsWhole())
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

type reading struct {
	*book
	yield func(citekit.TextRun, error) bool
	read  int
}

// part yields the blocks of a part that a location selects, all if it selects
// none, or the cells of one.
func (r *reading) part(ctx context.Context, number int, loc citekit.Location, lenient bool) (more bool, err error) {
	blocks := loc.Blocks
	if lenient && !r.isThere(number) {
		return true, nil
	}
	p, _, err := r.book.part(ctx, number)
	if errors.Is(err, errNoText) {
		return true, checkNone(number, blocks)
	}
	if err != nil {
		return false, err
	}
	if r.read += len(p.data); r.read > maxRead {
		return false, fmt.Errorf("more than %d MiB of text: %w", maxRead>>20, citekit.ErrTooLarge)
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

// checkNone refuses blocks of a part that is no text.
func checkNone(number int, blocks citekit.Range) error {
	if blocks.IsZero() {
		return nil
	}
	return new(part).checkBlocks(number, blocks)
}

func location(number int, blocks citekit.Range) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Part: strconv.Itoa(number), Blocks: blocks}
}

// locationOf returns that of parts.
func locationOf(parts citekit.Range) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Part: parts.String()}
}
