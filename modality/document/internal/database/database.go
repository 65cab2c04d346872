// Package database resolves rows of the tables of SQLite databases. The
// evidence is a database that has only these rows of the one table, and only
// the columns that were asked for. The nodes of a map are the tables. No SQL is
// run.
//
// Rows count from 1, in the order of the rowids of the table, or of its primary
// key if it has no rowids. Column names are not a row. Views and virtual tables
// have no rows of their own and cannot be cited.
//
// The source is read, never written. A workspace opens a database together with its
// write-ahead log (package workspace); a rollback journal is ignored.
package database

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/modality/document/internal/rows"
	"github.com/citekit/citekit/modality/internal/docfile"
)

// A Resolver resolves rows of databases. The zero value is ready to use. It must
// not be copied.
type Resolver struct {
	// CacheBytes bounds the memory for the positions of table rows; zero means 16
	// MiB, and a negative number keeps none.
	CacheBytes int64

	once        sync.Once
	directories concurrent.Cache[*sqlite.Directory]
}

const (
	defaultCacheBytes = 16 << 20
	maxEvidence       = 256 << 20 // most bytes of rows in one evidence, which is made in memory
)

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "database/3" }

// Resolve implements [citekit.Resolver]. The evidence is a database with only the
// selected rows of the table, each with its rowid and its values as stored. The table
// has the same declaration as in the source if that needs no index and no columns are
// selected. Otherwise its columns have only names and types, and Changes reports
// this. The error for more than 256 MiB of rows matches [citekit.ErrTooLarge].
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	db, err := open(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	if req.Location.IsWhole() {
		return docfile.Whole(ctx, src, mediaType, ext), nil
	}
	c, err := r.find(ctx, src, db, req.Location)
	if err != nil {
		return nil, err
	}
	w := c.table.NewWriter(c.columns, maxEvidence)
	err = c.read(ctx, func(row sqlite.Row) error { return w.Add(row) })
	if err != nil {
		return nil, err
	}
	return docfile.Cut(ctx, w.Finish(), mediaType, ext, c.changes(w.Verbatim)), nil
}

const (
	mediaType = "application/vnd.sqlite3"
	ext       = ".sqlite"
)

// Measure implements [citekit.Measurer]. It counts the tables. Rows are checked
// when they are read.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	db, err := open(ctx, src, citekit.Location{Modality: citekit.Document})
	if err != nil {
		return citekit.Extent{}, err
	}
	return citekit.Extent{Modality: citekit.Document, Tables: len(db.Tables), MediaType: mediaType}, nil
}

// open opens a database for a location.
func open(ctx context.Context, src *citekit.Source, loc citekit.Location) (*sqlite.Database, error) {
	if err := docfile.CheckLocation(ctx, loc, citekit.Document, "a database"); err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, src, src.Size())
	return db, known(err)
}

// known maps err to an error that [citekit.Resolver] documents.
func known(err error) error {
	switch {
	case errors.Is(err, sqlite.ErrDamaged):
		return fmt.Errorf("%v: %w", err, citekit.ErrFormat)
	case errors.Is(err, sqlite.ErrLarge):
		return fmt.Errorf("the database or what is asked for of it; cite fewer rows: %w", citekit.ErrTooLarge)
	}
	return err
}

// A cut is a selection of rows and columns of a table.
type cut struct {
	db      *sqlite.Database
	table   *sqlite.Table
	rows    *sqlite.Directory
	first   int // first row; 1 even for an empty table
	last    int
	columns []int    // indexes, from 0; none for all
	name    string   // table name, as requested
	names   []string // column names, as requested
}

// find returns the rows and columns that loc selects.
func (r *Resolver) find(ctx context.Context, src *citekit.Source, db *sqlite.Database, loc citekit.Location) (*cut, error) {
	extent := citekit.Extent{Modality: citekit.Document, Tables: len(db.Tables)}
	if err := extent.Check(loc); err != nil {
		return nil, err
	}
	table, err := tableOf(db, loc.Table)
	if err != nil {
		return nil, err
	}
	directory, err := r.directory(ctx, src, table)
	if err != nil {
		return nil, err
	}
	c := &cut{db: db, table: table, rows: directory, name: loc.Table, names: loc.Cols}
	if c.first, c.last, err = rows.Range(loc, directory.Rows()); err != nil {
		return nil, err
	}
	c.columns, err = rows.Columns(columnNames(table), loc.Cols)
	return c, err
}

func columnNames(table *sqlite.Table) (names []string) {
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	return names
}

func tableOf(db *sqlite.Database, name string) (*sqlite.Table, error) {
	if table := db.Table(name); table != nil {
		return table, nil
	}
	for _, view := range db.Views {
		if strings.EqualFold(view, name) {
			return nil, fmt.Errorf("%s is a view or a virtual table, which has no rows of its own; cite the tables it shows: %w", message.Quote(view), errors.ErrUnsupported)
		}
	}
	var names []string
	for _, table := range db.Tables {
		names = append(names, table.Name)
	}
	return nil, fmt.Errorf("no table %s; there are %s: %w", message.Quote(name), rows.List(names), citekit.ErrRange)
}

// directory returns the positions of the rows of a table.
func (r *Resolver) directory(ctx context.Context, src *citekit.Source, table *sqlite.Table) (*sqlite.Directory, error) {
	r.once.Do(func() {
		r.directories.MaxCost = docfile.Bound(r.CacheBytes, defaultCacheBytes)
	})
	return r.directories.Get(ctx, docfile.Key(src, table.Name), func(ctx context.Context) (*sqlite.Directory, int64, error) {
		d, err := table.Directory(ctx)
		if err != nil {
			return nil, 0, known(err)
		}
		return d, d.Bytes(), nil
	})
}

// read calls f for each row of c until f fails.
func (c *cut) read(ctx context.Context, f func(sqlite.Row) error) error {
	if c.last < c.first {
		return nil
	}
	var failed error
	err := c.table.Read(ctx, c.rows, c.first, c.last, func(row sqlite.Row) bool {
		failed = f(row)
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return known(err)
}

// changes lists how evidence differs from the source.
func (c *cut) changes(verbatim bool) []string {
	var changes []string
	if !verbatim {
		changes = append(changes, "the columns have their names and types alone: constraints, defaults and indexes left out")
	}
	if !c.table.Rowids {
		changes = append(changes, "the rows have rowids from 1, for the source has none")
	}
	if c.table.Computed() {
		changes = append(changes, "columns that the source computes and does not store left empty")
	}
	return changes
}
