package sheet

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// maxGap is the largest number of empty cells between two cells of one run.
const maxGap = 64

// ReadText implements [citekit.TextReader]. Each run is a row, or a part of a row
// if many empty cells lie between. Its text is what the cells show, with tabs
// between them and a line feed at the end. Its location begins at the first column
// of loc, or at column A for a sheet or whole rows, and ends at the last cell
// that shows something. Values are shown in their number format, dates in
// English; line breaks within a cell become spaces. Rows that show nothing and
// chart sheets are left out.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		err := r.readText(ctx, src, loc, func(run citekit.TextRun) bool { return yield(run, nil) })
		if err != nil && err != errStopped {
			yield(citekit.TextRun{}, err)
		}
	}
}

func (r *Resolver) readText(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	if ok, err := r.isODS(ctx, src, loc); err != nil {
		return err
	} else if ok {
		return r.readODSText(ctx, src, loc, yield)
	}
	j, err := r.start(ctx, src, loc)
	if err != nil {
		return err
	}
	if loc.Sheet == "" {
		for i := range j.book.sheets {
			e := &j.book.sheets[i]
			at := citekit.Location{Modality: citekit.Document, Sheet: e.name}
			if first, _ := j.book.find(e.name); e.kind != cellSheet || at.Validate() != nil || first != i {
				continue
			}
			if err := j.readSheet(ctx, e, at, yield); err != nil {
				return err
			}
		}
		return nil
	}
	i, err := j.book.find(loc.Sheet)
	if err != nil {
		return err
	}
	e := &j.book.sheets[i]
	if e.kind != cellSheet && loc.Cells.IsZero() && loc.Rows.IsZero() && len(loc.Cols) == 0 {
		return nil
	}
	return j.readSheet(ctx, e, loc, yield)
}

type stopped struct{}

func (stopped) Error() string { return "stopped" }

var errStopped error = stopped{}

// readSheet yields the rows of a sheet.
func (j *job) readSheet(ctx context.Context, e *entry, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	x, err := j.index(ctx, e)
	if err != nil {
		return err
	}
	a, err := selected(loc, x.used)
	if err != nil {
		return err
	}
	t := &rowText{reader: j.cellReader(ctx), sheet: e.name, area: a.meet(x.used), yield: yield}
	if t.area.isEmpty() {
		return nil
	}
	t.area.left = a.left // the first column of the range, as in the text of evidence
	return x.each(ctx, j.p, t.area, t.row)
}

// A rowText writes the text of rows.
type rowText struct {
	reader *cellReader
	sheet  string
	area   area
	yield  func(citekit.TextRun) bool

	cells []shownCell
	line  strings.Builder
}

type shownCell struct {
	col  int32
	text string
}

// row yields the runs of a row.
func (t *rowText) row(w *row) error {
	t.cells = t.cells[:0]
	for i := range w.cells {
		c := &w.cells[i]
		if c.col < t.area.left || c.col > t.area.right || c.value.from == c.value.to {
			continue
		}
		text, err := t.reader.shown(c.kind, c.style, c.value.of(w.data))
		if err != nil {
			return err
		}
		if text != "" {
			t.cells = append(t.cells, shownCell{c.col, text})
		}
	}
	if !w.inOrder {
		slices.SortStableFunc(t.cells, func(c, d shownCell) int { return cmp.Compare(c.col, d.col) })
	}
	return t.emit(w.number)
}

// emit yields the runs of the current cells as a row.
func (t *rowText) emit(number int32) error {
	for from := 0; from < len(t.cells); {
		to := from + 1
		for to < len(t.cells) && t.cells[to].col-t.cells[to-1].col <= maxGap {
			to++
		}
		left := t.cells[from].col
		if from == 0 && left-t.area.left <= maxGap {
			left = t.area.left
		}
		if !t.yield(t.run(number, left, t.cells[from:to])) {
			return errStopped
		}
		from = to
	}
	return nil
}

// run returns the run of some cells of a row.
func (t *rowText) run(number, left int32, cells []shownCell) citekit.TextRun {
	t.line.Reset()
	col := left
	for _, c := range cells {
		for ; col < c.col; col++ {
			t.line.WriteByte('\t')
		}
		t.line.WriteString(c.text)
	}
	t.line.WriteByte('\n')
	at := citekit.Location{Modality: citekit.Document, Sheet: t.sheet, Cells: area{left, number, col, number}.cells()}
	return citekit.TextRun{Text: t.line.String(), Location: at}
}
