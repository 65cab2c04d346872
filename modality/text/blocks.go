package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// errNoPage reports a text without blocks.
var errNoPage = fmt.Errorf("blocks of a text that is no HTML; cite its lines, such as lines=5-7: %w", errors.ErrUnsupported)

// A page is an HTML page with its charset.
type page struct {
	*htmlblocks.Page
	coding textEncoding
	xml    bool
}

// page returns the blocks of src, or an error that says why it has none.
func (r *Resolver) page(ctx context.Context, src *citekit.Source) (*page, error) {
	x, err := r.index(ctx, src)
	if err != nil {
		return nil, err
	}
	return r.pages.Get(ctx, pageKey(src), func(ctx context.Context) (*page, int64, error) {
		p, err := readPage(ctx, src, x)
		if err != nil {
			return nil, 0, err
		}
		return p, src.Size() + 64*int64(len(p.Blocks)), nil
	})
}

func readPage(ctx context.Context, src *citekit.Source, x *index) (*page, error) {
	is, err := isPage(ctx, src, x)
	switch {
	case err != nil:
		return nil, err
	case !is:
		return nil, errNoPage
	case x.coding.width > 1 || newRowScanner(x.coding, 0).switching:
		return nil, fmt.Errorf("blocks of a page in %s; cite its lines, such as lines=5-7: %w", x.coding.charset, errors.ErrUnsupported)
	case src.Size() > maxHeld:
		return nil, fmt.Errorf("blocks of a page of more than %d MiB; cite its lines: %w", maxHeld>>20, citekit.ErrTooLarge)
	}
	all := make([]byte, src.Size())
	if err := readFull(ctx, src, all, 0); err != nil {
		return nil, err
	}
	p := &page{coding: x.coding, xml: isXML(src, all[x.coding.mark:])}
	if p.coding.charset, p.coding.guessed, err = (cut{coding: x.coding, end: src.Size()}).charset(ctx, src); err != nil {
		return nil, err
	}
	p.Page, err = htmlblocks.Parse(ctx, all, p.xml)
	return p, err
}

// find checks that a location is in the page, and writes the block of a table in place of
// its number. If the location has cells, it returns the table of the block with them, or
// else nil.
func (p *page) find(loc *citekit.Location) (_ *htmlblocks.Table, err error) {
	extent := citekit.Extent{Modality: citekit.Text, Blocks: len(p.Blocks)}
	if err := extent.Check(citekit.Location{Modality: citekit.Text, Blocks: loc.Blocks, Table: loc.Table}); err != nil {
		return nil, err
	}
	if *loc, err = docfile.TableBlock(*loc, len(p.Blocks), func(n int) bool { return p.Table(n) != nil }); err != nil || loc.Cells.IsZero() {
		return nil, err
	}
	n := loc.Blocks.First
	table := p.Table(n)
	switch {
	case table == nil:
		return nil, fmt.Errorf("cells of block %d, which is not a table: %w", n, errors.ErrUnsupported)
	case int(loc.Cells.Last.Row) > table.Rows || int(loc.Cells.Last.Col) > table.Cols:
		return nil, fmt.Errorf("cells %v of a table of %s and %s: %w", loc.Cells, message.Count(table.Rows, "row"), message.Count(table.Cols, "column"), citekit.ErrRange)
	}
	return table, nil
}

// resolveBlocks implements Resolve for blocks of HTML.
func (r *Resolver) resolveBlocks(ctx context.Context, src *citekit.Source, loc citekit.Location) (*citekit.Content, error) {
	p, err := r.page(ctx, src)
	if err != nil {
		return nil, err
	}
	asked := loc
	table, err := p.find(&loc)
	if err != nil {
		return nil, err
	}
	made, changes := htmlblocks.Cut{}, []string(nil)
	if table == nil {
		made = p.Cut(loc.Blocks.First, loc.Blocks.Last)
	} else {
		rows, cols := spansOf(loc.Cells)
		var reached int
		if made, reached = p.CutCells(loc.Blocks.First, table, rows, cols); reached > 0 {
			changes = append(changes, message.Count(reached, "cell")+" that begin outside of the range left empty")
		}
	}
	if made.Scripts > 0 {
		changes = append(changes, message.Count(made.Scripts, "script")+" or templates left out")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var actual *citekit.Location
	if !loc.Equal(asked) {
		actual = &loc
	}
	return &citekit.Content{
		Body:      io.NopCloser(bytes.NewReader(made.Data)),
		Size:      int64(len(made.Data)),
		MediaType: p.mediaType(),
		Ext:       p.extension(src.Name()),
		Charset:   p.coding.charset,

		CharsetGuessed: p.coding.guessed,
		Actual:         actual,
		Changes:        changes,
	}, nil
}

func (p *page) mediaType() string {
	if p.xml {
		return "application/xhtml+xml"
	}
	return "text/html"
}

// extension returns the extension of evidence, which must be one of HTML so
// that programs display it as HTML.
func (p *page) extension(name string) string {
	switch ext := strings.ToLower(extension(name)); {
	case ext == ".html" || ext == ".htm" || ext == ".xhtml":
		return extension(name)
	case p.xml:
		return ".xhtml"
	}
	return ".html"
}

func spansOf(c citekit.Cells) (rows, cols htmlblocks.Span) {
	return htmlblocks.Span{Start: int(c.First.Row), End: int(c.Last.Row)}, htmlblocks.Span{Start: int(c.First.Col), End: int(c.Last.Col)}
}

// readBlocks implements ReadText for blocks of HTML: a run for each block, or
// for each row of cells.
func (r *Resolver) readBlocks(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	return r.eachBlock(ctx, src, loc, yield, func(p *page, n int) (string, error) { return p.text(p.Bytes(n), p.Look(n)) })
}

// eachBlock calls yield for blocks of HTML with what textOf returns of them, or for the
// rows of cells.
func (r *Resolver) eachBlock(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool, textOf func(*page, int) (string, error)) error {
	p, err := r.page(ctx, src)
	if err != nil {
		return err
	}
	table, err := p.find(&loc)
	if err != nil {
		return err
	}
	if table != nil {
		return p.readCells(ctx, table, loc, yield)
	}
	for n := loc.Blocks.First; n <= loc.Blocks.Last; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := textOf(p, n)
		if err != nil {
			return err
		}
		at := citekit.Location{Modality: citekit.Text, Blocks: citekit.Range{First: n, Last: n}}
		if text != "" && !yield(citekit.TextRun{Text: text, Location: at}) {
			return nil
		}
	}
	return nil
}

// decoded returns a part of the page in UTF-8.
func (p *page) decoded(part []byte) (string, error) {
	decoded, _, err := decode(decoder(p.coding.charset), part, true)
	return decoded, err
}

// text returns the words of a part of the page that looks as the elements around it.
func (p *page) text(part []byte, around htmlblocks.Look) (string, error) {
	decoded, err := p.decoded(part)
	return p.Text([]byte(decoded), around), err
}

func (p *page) readCells(ctx context.Context, table *htmlblocks.Table, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	rows, cols := spansOf(loc.Cells)
	for row := rows.Start; row <= rows.End; row++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var line strings.Builder
		for col := cols.Start; col <= cols.End; col++ {
			if col > cols.Start {
				line.WriteByte('\t')
			}
			if cell, begins := p.CellBytes(table, row, col); begins {
				text, err := p.text(cell, table.Look(row))
				if err != nil {
					return err
				}
				line.WriteString(strings.Join(strings.Fields(text), " "))
			}
		}
		at := citekit.Location{Modality: citekit.Text, Blocks: loc.Blocks}
		at.Cells.First = citekit.Cell{Col: int32(cols.Start), Row: int32(row)}
		at.Cells.Last = citekit.Cell{Col: int32(cols.End), Row: int32(row)}
		if !yield(citekit.TextRun{Text: line.String() + "\n", Location: at}) {
			return nil
		}
	}
	return nil
}
