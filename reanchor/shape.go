package reanchor

import (
	"context"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// partsOf returns the parts of a text at a cited location, or those around it if the
// layer does not separate them. Rows of a text are its lines.
func partsOf(ctx context.Context, l *textlayer.Layer, loc citekit.Location) ([]textlayer.Bytes, error) {
	if isRowsOfText(loc) && l.Len() <= maxText {
		text, err := l.Text(ctx, 0, l.Len())
		if err != nil {
			return nil, err
		}
		if lines, err := (citation.Cells{Rows: loc.Rows}).Lines(text); err == nil {
			return l.Ranges(citekit.Location{Modality: citekit.Text, Lines: lines})
		}
	}
	return l.Around(loc)
}

func isRowsOfText(loc citekit.Location) bool {
	return loc.Modality == citekit.Text && !loc.Rows.IsZero() && loc.Member == ""
}

// likeCited returns a new place with the rows, columns, cells or box that were cited, at
// the new rows, block or page. It returns false if the place cannot have these.
func likeCited(ctx context.Context, was, loc citekit.Location, now *textlayer.Layer) (citekit.Location, bool) {
	rows := citekit.Range{First: int(loc.Cells.First.Row), Last: int(loc.Cells.Last.Row)}
	switch {
	case loc.Sheet != "" && !loc.Cells.IsZero() && !was.Cells.IsZero():
		if was.Cells.Last.Row-was.Cells.First.Row != loc.Cells.Last.Row-loc.Cells.First.Row {
			return loc, false
		}
		loc.Cells.First.Col, loc.Cells.Last.Col = was.Cells.First.Col, was.Cells.Last.Col
	case loc.Sheet != "" && !loc.Cells.IsZero() && !was.Rows.IsZero():
		loc.Cells, loc.Rows, loc.Cols = citekit.Cells{}, rows, was.Cols
	case loc.Blocks.Len() == 1 && was.Blocks.Len() == 1 && loc.Cells.IsZero() && !was.Cells.IsZero():
		loc.Cells = was.Cells
	case !was.Box.IsZero() && loc.Box.IsZero() && was.PageCount() == 1 && loc.PageCount() == 1:
		loc.Box = was.Box
	case isRowsOfText(was) && !loc.Lines.IsZero() && loc.Member == "" && now.Len() <= maxText:
		text, err := now.Text(ctx, 0, now.Len())
		if err != nil {
			return loc, false
		}
		at, err := citation.RowsAt(text, loc.Lines)
		if err != nil {
			return loc, false
		}
		loc.Lines, loc.Rows, loc.Cols = citekit.Range{}, at.Rows, was.Cols
	default:
		return loc, false
	}
	return loc, loc.Validate() == nil
}

// shapeByQuote gives the new place of a quote the selectors of the cited one, if the
// quote is there. Of other cells it leaves those that have the quote.
func (r *Reanchorer) shapeByQuote(ctx context.Context, req Request, now *textlayer.Layer, result *Result) error {
	at := result.Address.Location
	loc, ok := likeCited(ctx, req.Address.Location, at, now)
	if !ok || at.Equal(loc) {
		return ctx.Err()
	}
	for _, loc := range []citekit.Location{loc, at} {
		v, err := r.verifier.Quote(ctx, verify.Request{Quote: req.Quote, Only: true,
			Address: citekit.Address{Resource: req.Address.Resource, Location: loc}})
		switch {
		case err != nil:
			return err
		case !v.Holds():
			continue
		case loc.Equal(at) && !at.Cells.IsZero():
			loc = v.Address.Location
		}
		result.Address.Location = loc
		break
	}
	return nil
}

// shape gives the new place of a part the selectors of the cited one, if the part and
// what says which columns it has are unchanged, letter for letter.
func (f *finder) shape(ctx context.Context, lib *citekit.Library, part textlayer.Bytes, loc citekit.Location) (citekit.Location, error) {
	was := f.result.Was.Location
	like, ok := likeCited(ctx, was, loc, f.now)
	if !ok || len(f.found) != 1 {
		return loc, ctx.Err()
	}
	before, err := f.old.Location(part.From, part.To)
	if err != nil {
		return loc, err
	}
	if before.Cells.First.Col != loc.Cells.First.Col || before.Cells.Last.Col != loc.Cells.Last.Col {
		return loc, nil
	}
	same, err := f.isSame(ctx, part, f.found[0])
	if err != nil || !same {
		return loc, err
	}
	if isRowsOfText(was) {
		if same, err = f.isSameTable(ctx, lib, like); err != nil || !same {
			return loc, err
		}
	}
	return like, nil
}

// isSame reports whether two parts have the same text, except for line ends behind it.
func (f *finder) isSame(ctx context.Context, part, at textlayer.Bytes) (bool, error) {
	was, err := f.old.Text(ctx, part.From, part.To)
	if err != nil {
		return false, err
	}
	is, err := f.now.Text(ctx, at.From, at.To)
	return strings.TrimRight(was, "\r\n") == strings.TrimRight(is, "\r\n"), err
}

// isSameTable reports whether the rows of a new place have the text that was found,
// under the same header.
func (f *finder) isSameTable(ctx context.Context, lib *citekit.Library, loc citekit.Location) (bool, error) {
	header := [2]string{}
	for i, l := range []*textlayer.Layer{f.old, f.now} {
		text, err := l.Text(ctx, 0, min(l.Len(), maxHeader))
		if err != nil {
			return false, err
		}
		header[i], _, _ = strings.Cut(text, "\n")
	}
	if len(loc.Cols) > 0 && strings.TrimRight(header[0], "\r") != strings.TrimRight(header[1], "\r") {
		return false, nil
	}
	want, err := f.now.Text(ctx, f.found[0].From, f.found[0].To)
	if err != nil {
		return false, err
	}
	loc.Cols = nil
	var is strings.Builder
	for run, err := range lib.ReadText(ctx, f.result.Was.Resource, loc) {
		if err != nil || is.Len() > len(want) {
			return false, ctx.Err()
		}
		is.WriteString(run.Text)
	}
	return strings.TrimRight(is.String(), "\r\n") == strings.TrimRight(want, "\r\n"), nil
}

// maxHeader is how much of a table is read to compare its header, in bytes.
const maxHeader = 64 << 10
