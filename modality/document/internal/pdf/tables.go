package pdf

import (
	"context"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/table"
)

// Tables are the tables of a page.
type pageTables struct {
	Page    int           // from 1
	Tables  []table.Table // from top to bottom
	Refused []table.Refused
}

// tablesOn returns the tables of pages, counted from 0, in ascending order. Tables
// continue each other over consecutive pages of these. Pages that PDFium cannot read
// have none.
func (j *job) tablesOn(ctx context.Context, indexes []int) ([]pageTables, error) {
	found := make([]pageTables, len(indexes))
	for i, index := range indexes {
		found[i].Page = index + 1
	}
	return found, nil
}
