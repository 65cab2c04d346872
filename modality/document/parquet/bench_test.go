package parquet_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/parquettest"
	"github.com/citekit/citekit/modality/document/parquet"
)

// BenchmarkResolve takes ten rows from the end, cold.
func BenchmarkResolve(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		data := parquettest.File(b, n, 20_000, "snappy")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				c, err := new(parquet.Resolver).Resolve(b.Context(), source(data), citekit.Request{Location: rows(n-9, n)})
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, c.Body)
			}
		})
	}
}
