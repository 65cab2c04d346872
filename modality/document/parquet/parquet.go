// Package parquet resolves rows of Parquet files. The evidence is a Parquet
// file that has only these rows, and only the columns that were asked for.
//
// A file has one table. Its name is that of the root of the schema, which the
// writing program chose and which is mostly "schema". Rows count from 1 in the
// order of the file, over all row groups. A column is a field of the root, nested
// or not.
//
// Package modality does not link this package, because it brings the
// compressors of the format. A program adds it to the resolver of documents:
//
//	documents := resolvers[citekit.Document].(*document.Resolver)
//	documents.More = map[string]citekit.Resolver{parquet.Format: new(parquet.Resolver)}
package parquet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/parquet"
	"github.com/citekit/citekit/modality/document/internal/rows"
	"github.com/citekit/citekit/modality/internal/docfile"
)

// Format is the name of the format in [document.Resolver].
//
// [document.Resolver]: https://pkg.go.dev/github.com/citekit/citekit/modality/document#Resolver
const Format = "parquet"

// A Resolver resolves rows of Parquet files. The zero value is ready to use. It
// must not be copied.
type Resolver struct {
	// CacheBytes bounds the memory for the footers of files; zero means 16 MiB, and a
	// negative number keeps none.
	CacheBytes int64

	once  sync.Once
	files concurrent.Cache[*parquet.Footer]
}

const (
	defaultCacheBytes = 16 << 20
	maxEvidence       = 256 << 20 // largest evidence in bytes; it is made in memory
	mediaType         = "application/vnd.apache.parquet"
	ext               = ".parquet"
)

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "parquet/2" }

// Resolve implements [citekit.Resolver]. The evidence is a Parquet file of the
// rows and columns. The elements of its schema, and all values, are those of the
// source, byte for byte. They are uncompressed and in one row group. Footer data
// about all rows, such as statistics and key-value pairs, is left out. The error
// for more than 256 MiB matches [citekit.ErrTooLarge].
//
// The error for an encrypted file or a file with encrypted columns matches
// [citekit.ErrEncrypted]. Errors match [errors.ErrUnsupported] for compression
// with LZO or with the LZ4 framing of Hadoop, and for encodings that the format
// no longer has.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	f, err := r.open(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	if req.Location.IsWhole() {
		return docfile.Whole(ctx, src, mediaType, ext), nil
	}
	c, err := find(f, req.Location)
	if err != nil {
		return nil, err
	}
	data, err := f.Cut(ctx, c.columns, c.first, c.last, maxEvidence)
	if err != nil {
		return nil, known(err)
	}
	var changes []string
	if f.Pairs {
		changes = append(changes, "pairs of keys and values in the footer, which are of all rows, left out")
	}
	return docfile.Cut(ctx, data, mediaType, ext, changes), nil
}

// Measure implements [citekit.Measurer]. The extent has one table. Rows are
// checked when they are read.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	if _, err := r.open(ctx, src, citekit.Location{Modality: citekit.Document}); err != nil {
		return citekit.Extent{}, err
	}
	return citekit.Extent{Modality: citekit.Document, Tables: 1, MediaType: mediaType}, nil
}

// open opens a file for a location.
func (r *Resolver) open(ctx context.Context, src *citekit.Source, loc citekit.Location) (*parquet.File, error) {
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a Parquet file"); err != nil {
		return nil, err
	}
	r.once.Do(func() { r.files.MaxCost = docfile.Bound(r.CacheBytes, defaultCacheBytes) })
	footer, err := r.files.Get(ctx, docfile.Key(src, ""), func(ctx context.Context) (*parquet.Footer, int64, error) {
		footer, err := parquet.ReadFooter(src, src.Size())
		if err != nil {
			return nil, 0, known(err)
		}
		return footer, footer.Bytes(), nil
	})
	if err != nil {
		return nil, err
	}
	return footer.Of(src), nil
}

// known maps err to an error that [citekit.Resolver] documents.
func known(err error) error {
	switch {
	case errors.Is(err, parquet.ErrDamaged):
		return fmt.Errorf("%v: %w", err, citekit.ErrFormat)
	case errors.Is(err, parquet.ErrLarge):
		return fmt.Errorf("%v: %w", err, citekit.ErrTooLarge)
	case errors.Is(err, parquet.ErrEncrypted):
		return fmt.Errorf("a Parquet file; write it without encryption: %w", citekit.ErrEncrypted)
	case errors.Is(err, parquet.ErrUnsupported):
		return fmt.Errorf("%v: %w", err, errors.ErrUnsupported)
	}
	return err
}

// A cut is a selection of rows and columns of a file.
type cut struct {
	first   int // first row; 1 even for an empty table
	last    int
	columns []int    // indexes, from 0
	names   []string // as requested
}

// find returns the rows and columns that loc selects; all for the whole file.
func find(f *parquet.File, loc citekit.Location) (*cut, error) {
	extent := citekit.Extent{Modality: citekit.Document, Tables: 1}
	if err := extent.Check(loc); err != nil {
		return nil, err
	}
	if loc.Table != "" && !strings.EqualFold(loc.Table, tableName(f)) {
		return nil, fmt.Errorf("no table %s; there is %s: %w", message.Quote(loc.Table), message.Quote(tableName(f)), citekit.ErrRange)
	}
	c := &cut{names: loc.Cols}
	var err error
	if c.first, c.last, err = rows.Range(loc, f.Rows); err != nil {
		return nil, err
	}
	names := make([]string, len(f.Columns))
	for i, column := range f.Columns {
		names[i] = column.Name
		if len(loc.Cols) == 0 { // names may be there twice
			c.columns = append(c.columns, i)
		}
	}
	if len(loc.Cols) > 0 {
		c.columns, err = rows.Columns(names, loc.Cols)
	}
	return c, err
}

// tableName returns the name of the table: the name of the schema root, or "schema"
// if that cannot be used in an address.
func tableName(f *parquet.File) string {
	loc := citekit.Location{Modality: citekit.Document, Table: f.Name}
	if f.Name == "" || loc.Validate() != nil {
		return "schema"
	}
	return f.Name
}
