//go:build unix

package cloud_test

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace/driver"
)

// BenchmarkUpdateDistant measures from when an ingest has returned that has mapped and
// indexed a source until each of three other replicas finds it, asked one search after
// the other. Requests take 20 ms longer.
func BenchmarkUpdateDistant(b *testing.B) {
	d := newDistant(b)
	d.putNote(b)
	d.ingest(b, "note.txt")
	writer := d.replica(b, "")
	index := search.New(writer, nil)
	defer index.Close()
	var readers []*search.Searcher
	for range 3 {
		readers = append(readers, d.searcher(b))
	}
	d.each.Store(int64(20 * time.Millisecond))
	for _, s := range readers {
		d.search(b, s, "line")
	}
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		word := fmt.Sprintf("kettle%d", n)
		key := word + ".txt"
		text := "There is a " + word + " on the stove."
		d.put(b, key, int64(len(text)), strings.NewReader(text))
		if _, err := ingest.Run(b.Context(), writer, []string{key}, nil); err != nil {
			b.Fatal(err)
		}
		if err := index.Update(b.Context()); err != nil {
			b.Fatal(err)
		}
		begun := time.Now()
		for _, s := range readers {
			for len(d.search(b, s, word).Results) == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-most")
}

// BenchmarkReady has a new process fetch an index until it is ready, and compares that
// with reading the same objects of the bucket one after the other.
func BenchmarkReady(b *testing.B) {
	d := newDistant(b)
	d.putNotes(b, 100, 1000)
	for b.Loop() {
		d.read.Clear()
		w, err := cloud.Open(context.Background(), d.url+"&"+url.Values{"cache": {b.TempDir()}}.Encode(), nil)
		if err != nil {
			b.Fatal(err)
		}
		lib := citekit.New(w, modality.All(), nil)
		s := search.New(lib, nil)
		begun := time.Now()
		if err := s.Ready(b.Context()); err != nil {
			b.Fatal(err)
		}
		ready := time.Since(begun)
		stats, err := s.Stats(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		bytes := stats.Bytes
		var read int64
		begun = time.Now()
		d.read.Range(func(key, _ any) bool {
			body, _, err := d.content.Read(b.Context(), key.(string), driver.ReadOptions{})
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.Copy(io.Discard, body)
			body.Close()
			if err != nil {
				b.Fatal(err)
			}
			read += n
			return true
		})
		plain := time.Since(begun)
		b.ReportMetric(float64(bytes)/1e6/ready.Seconds(), "MB/s-ready")
		b.ReportMetric(float64(read)/1e6/plain.Seconds(), "MB/s-plain")
		b.ReportMetric(float64(bytes)/1e6, "MB")
		s.Close()
		lib.Close()
	}
}
