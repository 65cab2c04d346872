//go:build unix

package cloud

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/workspace/driver"
)

// openVersion opens a workspace as a version does that knows so many migrations. What
// migrations up to the last added, that version does not use.
func openVersion(t *testing.T, address string, b driver.Bucket, known int) (*Workspace, error) {
	t.Helper()
	p, err := parse(address)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(p, &Options{Bucket: b})
	w.known = known
	t.Cleanup(func() { w.Close() })
	if err := w.connect(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := w.migrate(t.Context()); err != nil {
		return nil, err
	}
	w.marked.Store(true) // which it does not know of
	return w, w.row(t.Context(), repeating, []any{&w.id}, `SELECT id FROM {s}.store`)
}

// An earlier version goes on while this one changes the tables, and starts again after.
func TestRolledForward(t *testing.T) {
	server, b := pgtest.Shared(t), driver.NewMemory()
	address := server.Database(t)
	old, err := openVersion(t, address, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	const large = maxInline + 1
	work := func(w *Workspace, i int) error {
		ctx := t.Context()
		id, key := fmt.Sprint("map", i), fmt.Sprintf("%016x", i)
		stamp, err := w.WriteMapIf(ctx, id, []byte("{}"), citekit.Stamp{})
		if err == nil {
			_, err = w.WriteMapIf(ctx, id, []byte("[]"), stamp)
		}
		if err == nil {
			_, err = w.WriteNoteIf(ctx, "kind", id, []byte("1"), citekit.Stamp{})
		}
		if err == nil {
			_, err = w.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n", Size: large}, strings.NewReader(strings.Repeat("x", large)))
		}
		if err == nil {
			_, err = w.FindEvidence(ctx, key)
		}
		return err
	}
	const before, after = 20, 20
	var running sync.WaitGroup
	var done atomic.Int64
	begun, migrated := make(chan struct{}), make(chan struct{})
	for worker := range 4 {
		running.Go(func() {
			left := after
			for i := worker * 1_000_000; left > 0; i++ {
				if err := work(old, i); err != nil {
					t.Errorf("the earlier version: %v", err)
					return
				}
				if done.Add(1) == before {
					close(begun)
				}
				select {
				case <-migrated:
					left--
				default:
				}
			}
		})
	}
	<-begun
	w, err := Open(t.Context(), address, &Options{Bucket: b})
	close(migrated)
	running.Wait()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := work(w, 500_000); err != nil {
		t.Error(err)
	}
	ids, err := w.ListMaps(t.Context(), "", 0)
	if want := int(done.Load()) + 1; err != nil || len(ids) != want {
		t.Errorf("%d maps, %v; want %d", len(ids), err, want)
	}
	// Who goes back to the earlier version.
	again, err := openVersion(t, address, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := work(again, 999_999); err != nil {
		t.Error(err)
	}
}

// A version that a schema no longer works with says so: when it starts, and when it runs.
func TestTooOld(t *testing.T) {
	server, b := pgtest.Shared(t), driver.NewMemory()
	address := server.Database(t)
	w, err := Open(t.Context(), address, &Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.WriteMap(t.Context(), "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	name := address[strings.LastIndexByte(address, '/')+1:]
	server.Exec(t, name, `ALTER TABLE citekit.maps RENAME packed TO compressed; INSERT INTO citekit.migrations (number, needed) VALUES (9, 9)`)
	var fault interface{ StorageFault() string }
	if _, _, err := w.ReadMap(t.Context(), "m", 100); !errors.As(err, &fault) || !strings.Contains(err.Error(), "a later version of citekit") {
		t.Errorf("ReadMap: %v; want an error that says what to do", err)
	}
	for _, readOnly := range []bool{false, true} {
		_, err := Open(t.Context(), address, &Options{Bucket: b, ReadOnly: readOnly})
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), fmt.Sprintf("migration 9, and this version knows %d", migrated)) {
			t.Errorf("Open, read only %v: %v; want an error that says what to do", readOnly, err)
		}
	}
}
