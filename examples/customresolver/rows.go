package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
)

// A rows resolver cites rows of CSV files, for which a line inside a quoted
// field would else be a line of its own: lines=2-3 are the second and third
// row, the header being the first. All other text it leaves to the built-in
// resolver, which it embeds and whose every method it must therefore chain.
type rows struct{ *text.Resolver }

// maxNodes is how many rows a map has nodes for; later ones can be cited, too.
const maxNodes = 1000

func isTable(src *citekit.Source) bool { return strings.EqualFold(path.Ext(src.Name()), ".csv") }

// Version tells evidence of this resolver from that of the built-in one.
func (r rows) Version() string { return "rows/1+" + r.Resolver.Version() }

func (r rows) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if !isTable(src) {
		return r.Resolver.Resolve(ctx, src, req)
	}
	start, end := int64(-1), int64(0)
	for row, err := range selected(ctx, src, req.Location) {
		if err != nil {
			return nil, err
		}
		if start < 0 {
			start = row.start
		}
		end = row.end
	}
	if req.Location.IsWhole() {
		start, end = 0, src.Size()
	}
	return &citekit.Content{
		Body:      io.NopCloser(io.NewSectionReader(src, start, end-start)),
		Size:      end - start,
		MediaType: "text/csv",
		Ext:       ".csv",
	}, nil
}

func (r rows) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	if !isTable(src) {
		return r.Resolver.Measure(ctx, src)
	}
	extent := citekit.Extent{Modality: citekit.Text, MediaType: "text/csv"}
	for _, err := range read(ctx, src) {
		if err != nil {
			return citekit.Extent{}, err
		}
		extent.Lines++
	}
	return extent, nil
}

func (r rows) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if !isTable(src) || req.Modality != citekit.Text {
		return r.Resolver.Map(ctx, src, req)
	}
	structure := &citekit.Draft{Method: "rows"}
	for row, err := range read(ctx, src) {
		if err != nil {
			return nil, err
		}
		if row.number > 1 && len(structure.Nodes) < maxNodes {
			structure.Nodes = append(structure.Nodes, &citekit.Node{Title: row.fields[0], Type: "row", Location: row.location()})
		}
	}
	return structure, nil
}

func (r rows) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	if !isTable(src) {
		return r.Resolver.ReadText(ctx, src, loc)
	}
	return func(yield func(citekit.TextRun, error) bool) {
		for row, err := range selected(ctx, src, loc) {
			if err != nil {
				yield(citekit.TextRun{}, err)
				return
			}
			words := strings.ToValidUTF8(strings.Join(row.fields, "\t"), "\ufffd")
			if !yield(citekit.TextRun{Text: words + "\n", Location: row.location()}, nil) {
				return
			}
		}
	}
}

// A row is a record of a table, and the bytes where it stands.
type row struct {
	number     int // from 1
	fields     []string
	start, end int64
}

func (r row) location() citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: r.number, Last: r.number}}
}

// read yields all rows of a table. It stops after the first error.
func read(ctx context.Context, src *citekit.Source) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		reader := csv.NewReader(src.Reader())
		for number := 1; ; number++ {
			if err := ctx.Err(); err != nil {
				yield(row{}, err)
				return
			}
			start := reader.InputOffset()
			fields, err := reader.Read()
			if err == io.EOF {
				return
			}
			var malformed *csv.ParseError
			if errors.As(err, &malformed) {
				err = fmt.Errorf("%v: %w", err, citekit.ErrFormat)
			}
			if !yield(row{number, fields, start, reader.InputOffset()}, err) || err != nil {
				return
			}
		}
	}
}

// selected yields the rows at loc, and an error if some are not there.
func selected(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		if loc.Modality != citekit.Text || loc.Validate() != nil {
			yield(row{}, fmt.Errorf("rows are cited by lines: %w", errors.ErrUnsupported))
			return
		}
		last := 0
		for r, err := range read(ctx, src) {
			if err != nil {
				yield(row{}, err)
				return
			}
			last = r.number
			if !loc.Lines.IsZero() && last > loc.Lines.Last {
				return
			}
			if last >= loc.Lines.First && !yield(r, nil) {
				return
			}
		}
		if loc.Lines.Last > last {
			yield(row{}, fmt.Errorf("row %d of %d: %w", loc.Lines.Last, last, citekit.ErrRange))
		}
	}
}
