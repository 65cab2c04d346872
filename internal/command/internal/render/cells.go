package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/preview"
)

// cellsFormat is part of every key of cells.
const cellsFormat = "cells/1"

// Cells returns the cells of evidence of a table as "csv" or "json", which is kept in the
// workspace beside the evidence. File is the path of the source if it has no map. The CSV
// has the texts as the source has them: those that a spreadsheet program takes for a
// formula, too.
//
// Errors match [errors.ErrUnsupported] if the evidence is not of one table whose cells are
// known; others are those of [preview.Tabler] and of the source.
func Cells(ctx context.Context, lib *citekit.Library, e *citekit.Evidence, as, file string) (*citekit.Evidence, error) {
	tables, err := tablesOf(ctx, lib, e.Address, file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the cells of %s: %w", e.Address, err)
	case len(tables) != 1 || e.Address.Location.Table == "" && e.Address.Location.Blocks.IsZero():
		return nil, fmt.Errorf("%s is not one table; write such as pages=5&table=2, or table=2 where there are no pages: %w", e.Address, errors.ErrUnsupported)
	}
	made := *e
	var data []byte
	if made.MediaType = "application/json"; as == "csv" {
		made.MediaType, data = "text/csv", []byte(tables[0].CSV())
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

// tablesOf returns the tables at an address, or of a file that has no map.
func tablesOf(ctx context.Context, lib *citekit.Library, a citekit.Address, file string) (tables []preview.Table, err error) {
	if file == "" {
		tables, err = preview.New(lib).Tables(ctx, a)
		if failed := (*citekit.ResolveError)(nil); errors.As(err, &failed) {
			err = failed.Err
		}
		return tables, err
	}
	resolver, err := lib.Resolver(a.Location.Modality)
	if err != nil {
		return nil, err
	}
	tabler, ok := resolver.(preview.Tabler)
	if !ok || a.Location.Member != "" {
		return nil, fmt.Errorf("there is no map of it; map it with 'citekit ingest' first: %w", errors.ErrUnsupported)
	}
	src, err := lib.OpenSource(ctx, file)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	err = lib.WithSlot(ctx, a.Location.Modality, func(ctx context.Context) error {
		if tables, err = tabler.Tables(ctx, src, a.Location); err != nil {
			return err
		}
		return src.CheckUnchanged()
	})
	return tables, err
}
