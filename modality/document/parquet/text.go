package parquet

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/parquet"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/document/internal/rows"
	"github.com/citekit/citekit/modality/internal/docfile"
)

const (
	maxSummary = 500
	maxGroups  = 1000 // most nodes for row groups
)

// ReadText implements [citekit.TextReader]. Each row is a line with tabs between
// its values; line ends and tabs in values become spaces. Null is empty. Structs,
// lists and maps are JSON. Times are as in RFC 3339, with "Z" if the schema
// declares UTC. Bytes that are not text appear as a blob with their number. A
// value is cut off after 1 MiB. Each run is a row; after 100,000 rows runs have up to
// 500, as a text may have no more than some 250,000 runs.
//
// The error matches [citekit.ErrTooLarge] for rows that unpack to more than 1 GiB
// and more than 256 times the size of the file.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		if err := r.readText(ctx, src, loc, yield); err != nil {
			yield(citekit.TextRun{}, err)
		}
	}
}

// readText yields runs, and returns the error that the caller has to yield.
func (r *Resolver) readText(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun, error) bool) error {
	f, err := r.open(ctx, src, loc)
	if err != nil {
		return err
	}
	c, err := find(f, loc)
	if err != nil {
		return err
	}
	text := rows.Text{Yield: yield}
	text.Begin(citekit.Location{Modality: citekit.Document, Table: cmp.Or(loc.Table, tableName(f)), Cols: c.names}, c.first)
	err = f.Read(ctx, c.columns, c.first, c.last, func(values []string) error {
		if !text.Add(values) {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	if err == nil {
		text.End()
	}
	return known(err)
}

// errStop ends reading without an error.
var errStop = errors.New("stop")

// Map implements [citekit.Mapper]. It returns a node for the table, whose summary
// gives the number of rows and the columns with their types. If there are several row
// groups, each is a child, at most 1,000 in all. The metadata have "tables", which is
// 1, and "row_groups".
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := docfile.CheckMap(ctx, req, citekit.Document, "a Parquet file"); err != nil {
		return nil, err
	}
	f, err := r.open(ctx, src, citekit.Location{Modality: citekit.Document})
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, c := range f.Columns {
		columns = append(columns, c.Name+" "+c.Type)
	}
	name := tableName(f)
	table := &citekit.Node{
		Type: "table", Title: plain.Line(name), Location: citekit.Location{Modality: citekit.Document, Table: name},
		Summary: plain.Shorten(message.Count(f.Rows, "row")+": "+rows.List(columns), maxSummary),
	}
	table.Children = groups(f, name)
	d := &citekit.Draft{Method: "tables", Metadata: map[string]any{"format": Format, "tables": 1, "row_groups": len(f.Groups)}}
	d.Nodes = append(d.Nodes, table)
	return d, nil
}

// groups returns nodes for row groups.
func groups(f *parquet.File, name string) (nodes []*citekit.Node) {
	if len(f.Groups) < 2 {
		return nil
	}
	for _, g := range f.Groups {
		if g.Rows == 0 {
			continue
		}
		if len(nodes) == maxGroups {
			break
		}
		rows := citekit.Range{First: g.First, Last: g.First + g.Rows - 1}
		nodes = append(nodes, &citekit.Node{
			Type: "rows", Title: "Rows " + rows.String(), Location: citekit.Location{Modality: citekit.Document, Table: name, Rows: rows},
		})
	}
	return nodes
}
