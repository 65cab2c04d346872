package modalitytest

import (
	"bytes"
	"context"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

// A reReader reads the source as often as times says.
type reReader struct {
	citekit.Resolver
	times func(size int64) int64
}

func (r reReader) ReadText(_ context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		for range r.times(src.Size()) {
			if _, err := io.Copy(io.Discard, src.Reader()); err != nil {
				yield(citekit.TextRun{}, err)
				return
			}
		}
		yield(citekit.TextRun{Text: "text", Location: loc}, nil)
	}
}

func TestLinearSeesGrowth(t *testing.T) {
	grow := func(n int) []byte { return bytes.Repeat([]byte("x"), n) }
	for _, test := range []struct {
		name  string
		times func(size int64) int64
		want  string
	}{
		{"always ten times", func(int64) int64 { return 10 }, ""},
		{"once for each KB", func(size int64) int64 { return size >> 10 }, "bytes read"},
	} {
		rec := &recorder{TB: t}
		Linear(rec, func() citekit.Resolver { return reReader{times: test.times} }, "a.txt", citekit.Text, 100<<10, grow)
		if got := strings.Join(rec.failures, "\n"); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
