package text

import (
	"context"
	"errors"
	"iter"
	"strings"

	"golang.org/x/text/transform"

	"github.com/citekit/citekit"
)

// runBytes is the size of the part of the source for one run of text.
const runBytes = 64 << 10

// ReadText implements [citekit.TextReader]. A run holds whole lines, some 64 KB
// of them; a longer line comes in several runs with the same location. Line
// ends are unchanged, a byte order mark is left out, and invalid bytes in the
// charset become U+FFFD.
//
// Of HTML, the text is what the page shows, with the lines of the page on which it
// stands: without tags, scripts and styles, with characters for references, with a
// blank line between blocks and a tab between the cells of a row. Lines that show
// nothing have no text. Pages of more than 16 MiB, and those that show nothing at all,
// are read as they are written.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		each := func(run citekit.TextRun) bool { return yield(run, nil) }
		if err := r.readText(ctx, src, loc, each); err != nil {
			yield(citekit.TextRun{}, err)
		}
	}
}

func (r *Resolver) readText(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	if err := checkText(loc); err != nil {
		return err
	}
	unit, err := r.unitIn(ctx, src, loc)
	if err != nil {
		return err
	}
	if unit != nil {
		return unit.text(r, ctx, src, loc, yield)
	}
	c, err := r.find(ctx, src, loc)
	if err != nil {
		return err
	}
	s, err := r.shown(ctx, src)
	if err != nil {
		return err
	}
	if s != nil {
		return s.read(ctx, loc.Lines, yield)
	}
	return c.runs(ctx, src, yield)
}

// runs calls yield for the runs of c until it returns false.
func (c cut) runs(ctx context.Context, src *citekit.Source, yield func(citekit.TextRun) bool) error {
	charset, _, err := c.charset(ctx, src)
	if err != nil {
		return err
	}
	d := decoder(charset)
	pos, line := c.start, c.first
	if pos == 0 {
		pos = int64(c.coding.mark)
	}
	whole := true
	buf := make([]byte, min(runBytes, c.end-c.start)+maxWidth)
	for pos < c.end {
		part := buf[:min(int64(len(buf)), c.end-pos)]
		if err := readFull(ctx, src, part, pos); err != nil {
			return err
		}
		part, ends := c.lines(part, pos+int64(len(part)) == c.end)
		if whole {
			d.Reset()
		}
		whole = ends > 0 && c.coding.endsLine(part) || pos+int64(len(part)) == c.end
		text, read, err := decode(d, part, whole)
		if err != nil {
			return err
		}
		pos += int64(read)
		last := line + ends
		if whole && c.coding.endsLine(part) {
			last--
		}
		run := citekit.TextRun{Text: text, Location: linesAt(line, last)}
		if !yield(run) {
			return nil
		}
		line += ends
	}
	return nil
}

func linesAt(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

// lines returns the whole lines at the beginning of part, or all of part if its
// first line is longer, and the number of lines that end in it.
func (c cut) lines(part []byte, last bool) ([]byte, int) {
	stop := len(part)
	if !last {
		stop -= maxWidth // the unit after a CR decides whether it ends its line
	}
	n, end := 0, 0
	for i := c.coding.nextEnd(part, 0, stop); i >= 0; i = c.coding.nextEnd(part, i, stop) {
		n, end = n+1, i
	}
	if last || n == 0 {
		return part[:stop], n
	}
	return part[:end], n
}

// decode returns part as UTF-8, and the number of bytes decoded: if whole is
// false, part may end within a character.
func decode(d transform.Transformer, part []byte, whole bool) (text string, read int, err error) {
	var b strings.Builder
	out := make([]byte, 4<<10+3*len(part))
	for {
		written, n, err := d.Transform(out, part[read:], whole)
		b.Write(out[:written])
		read += n
		switch {
		case errors.Is(err, transform.ErrShortDst) && n > 0:
		case err == nil, errors.Is(err, transform.ErrShortSrc) && read > 0:
			return b.String(), read, nil
		default:
			return "", 0, err
		}
	}
}
