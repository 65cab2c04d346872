package database

import (
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/document/internal/rows"
	"github.com/citekit/citekit/modality/internal/docfile"
)

const maxSummary = 500

// Map implements [citekit.Mapper]. It returns a node for each table, whose summary
// gives the columns and the number of rows. The metadata have "tables", the number of
// tables.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := docfile.CheckMap(ctx, req, citekit.Document, "a database"); err != nil {
		return nil, err
	}
	db, err := open(ctx, src, citekit.Location{Modality: citekit.Document})
	if err != nil {
		return nil, err
	}
	if len(db.Tables) == 0 {
		return nil, fmt.Errorf("the database has no tables; %w", citekit.ErrEmpty)
	}
	d := &citekit.Draft{Method: "tables", Metadata: map[string]any{"format": "sqlite", "tables": len(db.Tables)}}
	for i, table := range db.Tables[:min(len(db.Tables), about.MaxMappedNodes)] {
		loc := citekit.Location{Modality: citekit.Document, Table: table.Name}
		if loc.Validate() != nil {
			continue // its name cannot be used in an address
		}
		directory, err := r.directory(ctx, src, table)
		if err != nil {
			return nil, err
		}
		d.Nodes = append(d.Nodes, &citekit.Node{
			Type: "table", Title: plain.Line(table.Name), Location: loc,
			Summary: plain.Shorten(message.Count(directory.Rows(), "row")+": "+rows.List(columnNames(table)), maxSummary),
		})
		if req.Progress != nil {
			req.Progress(float64(i+1) / float64(len(db.Tables)))
		}
	}
	return d, nil
}
