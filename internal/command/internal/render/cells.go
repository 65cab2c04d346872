package render

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/preview"
)

// cellsFormat is part of every key of cells.
const cellsFormat = "cells/1"

// Cells returns the cells of evidence of a table, of a sheet, or of rows of comma-separated
// values as "csv" or "json", which is kept in the workspace beside the evidence. File is the
// path of the source if it has no map. The CSV has the texts as the source shows them: those
// that a spreadsheet program takes for a formula, too.
//
// Errors match [errors.ErrUnsupported] if the evidence is not of one table whose cells are
// known, and [citekit.ErrTooLarge] if it has more than 1,048,576 cells; others are those of
// [preview.Tabler] and of the source.
func Cells(ctx context.Context, lib *citekit.Library, e *citekit.Evidence, as, file string) (*citekit.Evidence, error) {
	tables, err := tablesOf(ctx, lib, e.Address, file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the cells of %s: %w", e.Address, err)
	case len(tables) != 1 || !isRows(tables[0]) && e.Address.Location.Table == "" && e.Address.Location.Blocks.IsZero():
		return nil, fmt.Errorf("%s is not one table; write such as pages=5&table=2, table=2 where there are no pages, or rows=2-9 of comma-separated values: %w", e.Address, errors.ErrUnsupported)
	}
	made := *e
	var data []byte
	if made.MediaType = "application/json"; as == "csv" {
		table := tables[0]
		if table.Location.Sheet == "" && len(table.Location.Cols) > 0 {
			table = narrowed(table)
		}
		made.MediaType, data = "text/csv", []byte(table.CSV())
	} else if data, err = tables[0].MarshalJSON(); err != nil {
		return nil, err
	}
	made.Charset, made.CharsetGuessed, made.Changes = "utf-8", false, []string{"the cells as they are printed, in " + strings.ToUpper(as)}
	key := ctxio.HashParts(cellsFormat, as, e.Key, string(data))
	stored, err := lib.Workspace().FindEvidence(ctx, key)
	made.Cached = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		meta := citekit.EvidenceMeta{
			Name: plain.EvidenceName(e.ResourceID, as+"_"+e.Address.Fragment(), key, "."+as), Resource: e.ResourceID,
			Size: int64(len(data)), MediaType: made.MediaType, Charset: made.Charset, SourceHash: e.SourceHash, Changes: made.Changes,
		}
		stored, err = lib.Workspace().StoreEvidence(ctx, key, meta, bytes.NewReader(data))
	}
	if err != nil {
		return nil, err
	}
	made.OutputPath, made.Key, made.Name = stored.Path, key, stored.Name
	made.Size, made.SHA256 = stored.Size, stored.SHA256
	return &made, nil
}

// isRows reports whether a table is rows of a workbook or of comma-separated values.
func isRows(t preview.Table) bool { return t.Location.Sheet != "" || !t.Location.Rows.IsZero() }

// tablesOf returns the tables at an address, or of a file that has no map. The rows of a
// workbook and of comma-separated values are one.
func tablesOf(ctx context.Context, lib *citekit.Library, a citekit.Address, file string) ([]preview.Table, error) {
	at := &citekit.Opened{Location: a.Location}
	var err error
	switch {
	case file == "":
		at, err = lib.Open(ctx, a)
	case a.Location.Member != "":
		return nil, fmt.Errorf("there is no map of it; map it with 'citekit ingest' first: %w", errors.ErrUnsupported)
	default:
		at.Source, err = lib.OpenSource(ctx, file)
	}
	if err != nil {
		return nil, plainError(err)
	}
	defer at.Source.Close()
	resolver, err := lib.Resolver(at.Location.Modality)
	if err != nil {
		return nil, err
	}
	var tables []preview.Table
	err = lib.WithSlot(ctx, at.Location.Modality, func(ctx context.Context) error {
		rows, err := rowTable(ctx, resolver, at.Source, at.Location)
		if rows != nil && err == nil {
			if tables = []preview.Table{*rows}; file == "" {
				tables[0].Location = at.Located(rows.Location)
			}
		} else if tabler, ok := resolver.(preview.Tabler); err == nil && file != "" {
			if !ok {
				return fmt.Errorf("the tables of %s source: %w", message.Article(at.Location.Modality), errors.ErrUnsupported)
			}
			tables, err = tabler.Tables(ctx, at.Source, at.Location)
			if at.Location.Modality == citekit.Text && errors.Is(err, errors.ErrUnsupported) {
				err = nil
			}
		}
		return cmp.Or(err, at.Source.CheckUnchanged())
	})
	if err != nil || tables != nil || file != "" {
		return tables, err
	}
	if tables, err = preview.New(lib).Tables(ctx, a); at.Location.Modality == citekit.Text && errors.Is(err, errors.ErrUnsupported) {
		return nil, nil // of no markup with tables
	}
	return tables, plainError(err)
}

// plainError returns an error without the address that is told beside it.
func plainError(err error) error {
	if failed := (*citekit.ResolveError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
