//go:build unix

package cloud_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

// BenchmarkStore makes calls from one caller, and from 16 at a time, with a map of
// 20 KB and evidence of 8.
func BenchmarkStore(b *testing.B) {
	w, ctx := open(b, schema(b), driver.NewMemory()), context.Background()
	var nodes bytes.Buffer
	for i := range 200 {
		fmt.Fprintf(&nodes, `{"id":"n%d","title":"Section %d of the guide","location":{"pages":[%d,%d]}},`, i, i*7, i, i+1)
	}
	data, evidence := nodes.Bytes(), strings.Repeat("evidence", 1000)
	var made atomic.Int64
	id := func() string { return fmt.Sprint("m", made.Add(1)) }
	if err := w.WriteMap(ctx, "m", data); err != nil {
		b.Fatal(err)
	}
	store(b, w, evidenceKey, evidence)
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"StatMap", func() error { _, err := w.StatMap(ctx, "m"); return err }},
		{"ReadMap", func() error { _, _, err := w.ReadMap(ctx, "m", 1<<20); return err }},
		{"WriteMapIf", func() error { _, err := w.WriteMapIf(ctx, id(), data, citekit.Stamp{}); return err }},
		{"WriteNoteIf", func() error { _, err := w.WriteNoteIf(ctx, "kind", id(), data[:200], citekit.Stamp{}); return err }},
		{"ChangeNotes100", func() error {
			changes := make([]citekit.NoteChange, 100)
			for i := range changes {
				changes[i] = citekit.NoteChange{Name: id(), Data: data[:200]}
			}
			_, err := w.ChangeNotes(ctx, "kind", changes)
			return err
		}},
		{"FindEvidence", func() error { _, err := w.FindEvidence(ctx, evidenceKey); return err }},
		{"StoreEvidence", func() error {
			_, err := w.StoreEvidence(ctx, fmt.Sprintf("%016x", made.Add(1)), citekit.EvidenceMeta{Name: "n", Size: -1}, strings.NewReader(evidence))
			return err
		}},
		{"LeaseEvidence", func() error {
			_, release, err := w.LeaseEvidence(ctx, fmt.Sprintf("%016x", made.Add(1)))
			if err == nil {
				release()
			}
			return err
		}},
		{"MapsStamp", func() error { _, err := w.MapsStamp(ctx); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.call(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/16", func(b *testing.B) {
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := c.call(); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
