// Package docfile has what the resolvers of document formats share: checks of what
// they are asked for, keys of their caches, and the content of evidence.
package docfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
)

// CheckLocation returns an error for an invalid location and one of another modality,
// which matches [errors.ErrUnsupported], or ctx.Err(). Kind names the document with
// its article, such as "a workbook".
func CheckLocation(ctx context.Context, loc citekit.Location, modality citekit.Modality, kind string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := loc.Validate(); err != nil {
		return err
	}
	if loc.Modality != modality {
		return fmt.Errorf("%s location in %s: %w", message.Article(loc.Modality), kind, errors.ErrUnsupported)
	}
	return nil
}

// CheckMap is [CheckLocation] for the request of a map.
func CheckMap(ctx context.Context, req citekit.MapRequest, modality citekit.Modality, kind string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if req.Modality != modality {
		return fmt.Errorf("%s map of %s: %w", message.Article(req.Modality), kind, errors.ErrUnsupported)
	}
	return nil
}

// Key returns the key of a cache for a part of a source, or for all of it if part is
// "". It is "", which no cache keeps, if the source may change unseen.
func Key(src *citekit.Source, part string) string {
	version := src.Version()
	if version == "" {
		return ""
	}
	return fmt.Sprintf("%s %d %s", version, src.Size(), part)
}

// TableBlock returns a location with a table by its number as the block that is this table,
// of some blocks counted from 1; others unchanged. The error matches [citekit.ErrRange] if
// there is no such table.
func TableBlock(loc citekit.Location, blocks int, isTable func(block int) bool) (citekit.Location, error) {
	if loc.Table == "" {
		return loc, nil
	}
	tables := 0
	for n := 1; n <= blocks; n++ {
		if !isTable(n) {
			continue
		}
		if tables++; tables == loc.TableNumber() {
			loc.Table, loc.Blocks = "", citekit.Range{First: n, Last: n}
			return loc, nil
		}
	}
	return loc, NoTable(loc, tables)
}

// NoTable returns the error of a location whose table is not among some tables.
func NoTable(loc citekit.Location, tables int) error {
	in := "of the document"
	switch {
	case len(loc.Pages) > 0:
		in = fmt.Sprintf("on page %v", loc.Pages[0])
	case loc.Part != "":
		in = "of part " + loc.Part
	}
	switch {
	case tables == 0:
		return fmt.Errorf("table %s %s, where there is none: %w", message.Clip(loc.Table), in, citekit.ErrRange)
	case tables == 1:
		return fmt.Errorf("table %s %s; there is one, table=1: %w", message.Clip(loc.Table), in, citekit.ErrRange)
	}
	return fmt.Errorf("table %s %s; tables run 1-%d: %w", message.Clip(loc.Table), in, tables, citekit.ErrRange)
}

// Bound returns the bound that an option of a resolver sets: standard for zero, and 0,
// which allows nothing, for a negative number.
func Bound(option, standard int64) int64 {
	if option == 0 {
		return standard
	}
	return max(option, 0)
}

// Whole returns the unchanged source. Reading it fails once ctx is done.
func Whole(ctx context.Context, src *citekit.Source, mediaType, ext string) *citekit.Content {
	return content(ctx, src.Reader(), src.Size(), mediaType, ext)
}

// Cut returns data as evidence. Reading it fails once ctx is done.
func Cut(ctx context.Context, data []byte, mediaType, ext string, changes []string) *citekit.Content {
	c := content(ctx, bytes.NewReader(data), int64(len(data)), mediaType, ext)
	c.Changes = changes
	return c
}

func content(ctx context.Context, r io.Reader, size int64, mediaType, ext string) *citekit.Content {
	return &citekit.Content{Body: io.NopCloser(ctxio.Reader(ctx, r)), Size: size, MediaType: mediaType, Ext: ext}
}
