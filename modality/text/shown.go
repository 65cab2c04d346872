package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// A shown is the text that a page of HTML shows. It is nil for other texts, and for
// pages that are too long or show nothing: they are read as they are written.
type shown struct {
	*htmlblocks.ShownText
	lines int // of the page
}

// shown returns what src shows if it is a page.
func (r *Resolver) shown(ctx context.Context, src *citekit.Source) (*shown, error) {
	x, err := r.index(ctx, src)
	if err != nil || src.Size() > maxHeld {
		return nil, err
	}
	return r.shows.Get(ctx, pageKey(src), func(ctx context.Context) (*shown, int64, error) {
		const little = 64 // bytes of memory
		is, err := isPage(ctx, src, x)
		if err != nil || !is {
			return nil, little, err
		}
		text := cut{coding: x.coding, end: src.Size()}
		if text.coding.charset, _, err = text.charset(ctx, src); err != nil {
			return nil, 0, err
		}
		page, err := io.ReadAll(newUnified(ctx, src, text.coding, nil))
		if err != nil {
			return nil, 0, err
		}
		s := new(shown)
		if s.ShownText, err = htmlblocks.Read(ctx, page, isXML(src, page)); err != nil {
			return nil, 0, err
		}
		if strings.TrimSpace(s.Text) == "" {
			return nil, little, nil
		}
		s.lines, err = x.count(ctx, src)
		return s, s.Size(), err
	})
}

// errWritten reports a text that is read as it is written.
var errWritten = fmt.Errorf("markup of a text that is read with it: %w", errors.ErrUnsupported)

// ReadMarkup implements [verify.MarkupReader]: lines and blocks of HTML as they are
// written.
func (r *Resolver) ReadMarkup(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		each := func(run citekit.TextRun) bool { return yield(run, nil) }
		if err := r.readMarkup(ctx, src, loc, each); err != nil {
			yield(citekit.TextRun{}, err)
		}
	}
}

func (r *Resolver) readMarkup(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	c, err := r.find(ctx, src, citekit.Location{Modality: loc.Modality, Lines: loc.Lines})
	if err != nil {
		return err
	}
	s, err := r.shown(ctx, src)
	switch {
	case err != nil:
		return err
	case s == nil || unitOf(loc) != nil && loc.Blocks.IsZero() || !loc.Cells.IsZero():
		return errWritten
	case loc.Blocks.IsZero():
		return c.runs(ctx, src, yield)
	}
	return r.eachBlock(ctx, src, loc, yield, func(p *page, n int) (string, error) { return p.decoded(p.Bytes(n)) })
}

// isPage reports whether src is HTML.
func isPage(ctx context.Context, src *citekit.Source, x *index) (bool, error) {
	head, err := io.ReadAll(io.LimitReader(newUnified(ctx, src, x.coding, nil), headBytes))
	if err != nil {
		return false, err
	}
	format, ok := (&mapper{src: src, head: head}).markup()
	return ok && format == markup.HTML, nil
}

// isXML reports whether a page is XHTML.
func isXML(src *citekit.Source, page []byte) bool {
	return strings.EqualFold(extension(src.Name()), ".xhtml") || bytes.HasPrefix(bytes.TrimLeft(page, " \t\r\n"), []byte("<?xml"))
}

// pageKey is the key of what is kept of a page; "" for a source without a version.
func pageKey(src *citekit.Source) string {
	if src.Version() == "" {
		return ""
	}
	return fmt.Sprintf("%s %d %s", src.Version(), src.Size(), strings.ToLower(extension(src.Name())))
}

// A stretch is a part of the text of a page: some lines of the text, with the lines of
// the page on which their words stand.
type stretch struct {
	from, to    int // bytes of the text
	rows        int // lines of the text
	above       int // of those that a runBuilder holds, before this
	first, last int // lines of the page
}

// mostRuns is about how many runs the text of a long page has at most.
const mostRuns = 32 << 10

// read calls yield for the runs of the text on some lines of the page, or of all of it.
// The lines of a run are either lines of the page one by one, or not as many as the page
// has there, so that none is taken for another.
func (s *shown) read(ctx context.Context, lines citekit.Range, yield func(citekit.TextRun) bool) error {
	part := htmlblocks.Span{End: len(s.Text)}
	if !lines.IsZero() {
		part = s.Span(lines.First, lines.Last)
		if part.Start > 0 && s.Text[part.Start-1] != '\n' { // within a row
			for part.Start < part.End && s.Text[part.Start] == '\t' {
				part.Start++
			}
		}
	}
	g := runBuilder{shown: s, yield: yield}
	for n := 0; part.Start < part.End && !g.ended; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		next := s.stretch(part)
		g.add(next)
		part.Start = next.to
	}
	g.flush()
	if lines.IsZero() && g.last < s.lines && !g.ended {
		yield(citekit.TextRun{Location: linesAt(s.lines, s.lines)}) // says how far the page goes
	}
	return nil
}

// stretch returns the first line of a part of the text, with the blank lines behind it.
func (s *shown) stretch(part htmlblocks.Span) stretch {
	n := stretch{from: part.Start, to: part.End, rows: 1}
	if i := strings.IndexByte(s.Text[part.Start:part.End], '\n'); i >= 0 {
		n.to = part.Start + i + 1
	}
	n.first, n.last = s.Lines(n.from, n.to)
	for ; n.to < part.End && s.Text[n.to] == '\n'; n.to++ {
		n.rows++
	}
	return n
}

// A runBuilder makes runs.
type runBuilder struct {
	*shown
	yield func(citekit.TextRun) bool
	held  []stretch
	even  bool // their lines are those of the page, up to the last one
	last  int  // line of the page, of what was yielded
	ended bool // yield returned false
}

func (g *runBuilder) add(next stretch) {
	if n := len(g.held); n > 0 {
		before, size := g.held[n-1], next.from-g.held[0].from
		goesOn := g.even && next.first == next.last && next.first == before.first+before.rows && size < runBytes
		if !goesOn && size >= len(g.Text)/mostRuns {
			g.flush()
		} else {
			g.even = goesOn
		}
	}
	if len(g.held) == 0 {
		g.even = next.first == next.last
	}
	if n := len(g.held); n > 0 {
		next.above = g.held[n-1].above + g.held[n-1].rows
	}
	g.held = append(g.held, next)
}

func (g *runBuilder) flush() {
	for len(g.held) > 0 && !g.ended {
		n := len(g.held)
		if g.even && n > 1 && g.held[n-1].rows > 1 {
			n-- // the blank lines behind the last are not of the page
		}
		for n > 1 && !g.even && g.isMistaken(n) {
			n--
		}
		g.give(g.held[:n])
		g.held = g.held[n:]
	}
	g.held = nil
}

// isMistaken reports whether the first n stretches have as many lines as the page has
// there, although these are not the same.
func (g *runBuilder) isMistaken(n int) bool {
	first, last := g.held[0], g.held[n-1]
	return last.above+last.rows-first.above == last.last-first.first+1
}

// give yields a run of some stretches.
func (g *runBuilder) give(all []stretch) {
	first, last := all[0], all[len(all)-1]
	text := g.Text[first.from:last.to]
	blank := ""
	if n := last.last - first.first + 1; len(all) == 1 && n > 1 && n == first.rows {
		text, blank = text[:len(text)-first.rows+1], text[len(text)-first.rows+1:]
	}
	if !strings.HasSuffix(text, "\n") { // only lines of a row are read
		text = strings.TrimRight(text, "\t ") + "\n"
	}
	g.last = last.last
	g.ended = !g.yield(citekit.TextRun{Text: text, Location: linesAt(first.first, last.last)})
	if blank != "" && !g.ended {
		g.ended = !g.yield(citekit.TextRun{Text: blank, Location: linesAt(last.last, last.last)})
	}
}
