package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

// keep stores evidence that is to be kept.
func keep(t testing.TB, d *workspace.Directory, key, name, body string) {
	t.Helper()
	meta := citekit.EvidenceMeta{Name: name, Size: int64(len(body)), Keep: true}
	if _, err := d.StoreEvidence(t.Context(), key, meta, strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
}

// The parts of an index stay while other evidence makes room.
func TestEvidenceKept(t *testing.T) {
	d := open(t, t.TempDir(), &workspace.Options{MaxEvidenceBytes: 1000})
	now := time.Now()
	d.SetClock(func() time.Time { return now })
	body := strings.Repeat("x", 100)
	for i := range 4 {
		keep(t, d, keyOf(100+i), fmt.Sprint("segment", i), body)
	}
	for i := range 20 {
		now = now.Add(time.Hour)
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
	}
	for i := range 4 {
		if !checkEvidence(t, d, keyOf(100+i), body) {
			t.Errorf("segment %d is gone", i)
		}
	}
	if checkEvidence(t, d, keyOf(0), body) {
		t.Error("the oldest evidence is still there")
	}
	now = now.Add(40 * 24 * time.Hour)
	done, err := d.TrimEvidence(t.Context(), workspace.Trim{MaxBytes: 1})
	if err != nil || done.Left != 0 || done.Files == 0 {
		t.Errorf("after 40 days: %+v, %v", done, err)
	}
}

func TestTrimEvidence(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	now := time.Now()
	d.SetClock(func() time.Time { return now })
	body := strings.Repeat("x", 100)
	for i := range 10 {
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
		markUsed(t, dir, keyOf(i), now.Add(time.Duration(i-10)*24*time.Hour))
	}
	keep(t, d, keyOf(10), "segment", body)
	markUsed(t, dir, keyOf(10), now.Add(-20*24*time.Hour))
	trimmed := func(trim workspace.Trim, files int, left int64) {
		t.Helper()
		done, err := d.TrimEvidence(t.Context(), trim)
		if want := (workspace.Trimmed{Files: files, Bytes: int64(100 * files), Left: left}); err != nil || done != want {
			t.Errorf("%+v: %+v, %v; want %+v", trim, done, err, want)
		}
	}
	trimmed(workspace.Trim{}, 0, 1100)
	trimmed(workspace.Trim{UnusedFor: 7*24*time.Hour + time.Hour, DryRun: true}, 3, 800)
	trimmed(workspace.Trim{UnusedFor: 7*24*time.Hour + time.Hour}, 3, 800)
	trimmed(workspace.Trim{MaxBytes: 500}, 3, 500)
	if !checkEvidence(t, d, keyOf(6), body) || checkEvidence(t, d, keyOf(5), body) {
		t.Error("what was used longest ago is not what went")
	}
	markUsed(t, dir, keyOf(6), now)
	trimmed(workspace.Trim{MaxBytes: 1}, 3, 200) // one is in use now, and one is to be kept
	if _, err := open(t, t.TempDir(), nil).TrimEvidence(t.Context(), workspace.Trim{MaxBytes: 1}); err != nil {
		t.Errorf("no evidence: %v", err)
	}
}

// Processes that store, use and trim at once neither lose what they just made
// nor pass the budget.
func TestTrimWhileStoring(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	var together sync.WaitGroup
	for w := range 3 {
		d := open(t, dir, &workspace.Options{MaxEvidenceBytes: 5000})
		together.Go(func() {
			for i := range 20 {
				key, body := keyOf(100*w+i), strings.Repeat("x", 100)
				_, err := d.StoreEvidence(context.Background(), key, citekit.EvidenceMeta{Name: fmt.Sprintf("e%d-%d", w, i), Size: 100}, strings.NewReader(body))
				if errors.Is(err, citekit.ErrTooLarge) {
					continue
				}
				if err != nil {
					t.Error(err)
				} else if !checkEvidence(t, d, key, body) {
					t.Error("what was just made is gone")
				}
				if _, err := d.TrimEvidence(context.Background(), workspace.Trim{MaxBytes: 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	together.Wait()
	done, err := open(t, dir, nil).TrimEvidence(t.Context(), workspace.Trim{DryRun: true})
	if err != nil || done.Left > 5000 || done.Left < 4000 {
		t.Errorf("%d bytes are there, %v", done.Left, err)
	}
}
