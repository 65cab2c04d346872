// Package sqlite reads tables of SQLite database files, and writes files of one table.
// It never changes a file that it reads, and ignores locks and rollback journals.
// [Merge] reads a database together with its write-ahead log.
//
// The format is that of https://www.sqlite.org/fileformat2.html.
package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Errors of this package match one of these, or are an error of the reader or
// ctx.Err().
var (
	ErrDamaged = errors.New("the database is damaged")
	ErrLarge   = errors.New("too large")
)

const (
	magic      = "SQLite format 3\x00"
	headerSize = 100
	minPage    = 512
	maxPage    = 1 << 16
	minUsable  = 480
)

// An Encoding is how a database stores text.
type Encoding uint32

// The encodings.
const (
	UTF8 Encoding = 1 + iota
	UTF16LE
	UTF16BE
)

// A Database is an open file. It is safe for concurrent use if its reader is.
type Database struct {
	Tables []*Table // in schema order, without SQLite's own tables
	Views  []string // views and virtual tables, which store no rows

	Encoding Encoding

	r        io.ReaderAt
	pageSize int
	usable   int
	pages    uint32

	byName, byFold map[string]*Table // the first of each name, as it is and folded
}

// Open reads the schema of the database in r, of size bytes.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Database, error) {
	var h [headerSize]byte
	if size < headerSize {
		return nil, damaged("it has %d bytes", size)
	}
	if err := readAt(r, h[:], 0); err != nil {
		return nil, err
	}
	if string(h[:len(magic)]) != magic {
		return nil, damaged("its header is not that of SQLite")
	}
	db := &Database{r: r, pageSize: int(binary.BigEndian.Uint16(h[16:]))}
	if db.pageSize == 1 {
		db.pageSize = maxPage
	}
	db.usable = db.pageSize - int(h[20])
	if db.pageSize < minPage || db.pageSize&(db.pageSize-1) != 0 || db.usable < minUsable {
		return nil, damaged("its pages have %d bytes", db.pageSize)
	}
	db.Encoding = max(Encoding(binary.BigEndian.Uint32(h[56:])), UTF8)
	if db.Encoding > UTF16BE {
		return nil, damaged("its text encoding is %d", db.Encoding)
	}
	db.pages = uint32(min(size/int64(db.pageSize), 1<<32-2))
	if declared := binary.BigEndian.Uint32(h[28:]); declared > db.pages && string(h[24:28]) == string(h[92:96]) {
		return nil, damaged("it has %d of %d pages", db.pages, declared)
	}
	db.byName, db.byFold = make(map[string]*Table), make(map[string]*Table)
	return db, db.readSchema(ctx)
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// readAt fills p from r.
func readAt(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return damaged("it ends early")
	}
	return err
}

// page reads the first n bytes of a page into buf.
func (db *Database) page(number uint32, buf []byte) error {
	if number < 1 || number > db.pages {
		return damaged("page %d of %d", number, db.pages)
	}
	return readAt(db.r, buf, int64(number-1)*int64(db.pageSize))
}

// Table returns a table by name, or nil. An exact match wins over one that differs in
// case.
func (db *Database) Table(name string) *Table {
	if t := db.byName[name]; t != nil {
		return t
	}
	return db.byFold[foldASCII(name)]
}
