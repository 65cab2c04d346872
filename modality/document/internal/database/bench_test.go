package database_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/modality/document/internal/database"
)

// many returns a database of so many rows, made of one of the small one.
func many(b *testing.B, rows int) []byte {
	data := sqlitetest.Small(b)
	db, err := sqlite.Open(b.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	w := db.Tables[0].NewWriter(nil, 1<<30)
	dir, err := db.Tables[0].Directory(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	err = db.Tables[0].Read(b.Context(), dir, 2, 2, func(r sqlite.Row) bool {
		for r.Rowid = 1; r.Rowid <= int64(rows); r.Rowid++ {
			if err := w.Add(r); err != nil {
				b.Fatal(err)
			}
		}
		return true
	})
	if err != nil {
		b.Fatal(err)
	}
	return w.Finish()
}

// BenchmarkResolve takes ten rows from the end, cold.
func BenchmarkResolve(b *testing.B) {
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		data := many(b, rows)
		b.Run(strings.TrimSuffix(fmt.Sprint(rows), "000")+"k", func(b *testing.B) {
			for b.Loop() {
				c, err := new(database.Resolver).Resolve(b.Context(), source(data), citekit.Request{Location: table("orders", rows-9, rows)})
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, c.Body)
			}
		})
	}
}
