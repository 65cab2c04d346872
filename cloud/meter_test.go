//go:build unix

package cloud_test

import (
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/workspace/driver"
)

// Servers that take from one bucket get its rate together, whatever each asks for.
func TestTake(t *testing.T) {
	url := schema(t)
	all := []*cloud.Workspace{open(t, url, driver.NewMemory()), open(t, url, driver.NewMemory())}
	const rate, burst, seconds = 50, 100, 20
	at := time.Unix(1_000_000_000, 0)
	taken := 0.0
	for range seconds * 10 {
		for _, w := range all {
			n, left, err := w.TakeAt(t.Context(), "calls a", rate, burst, 1, 40, &at)
			if err != nil || left < 0 || n != 0 && (n < 1 || n > 40) {
				t.Fatalf("%v, %v left, %v", n, left, err)
			}
			taken += n
		}
		at = at.Add(100 * time.Millisecond)
	}
	if most := float64(rate*seconds + burst); taken > most || taken < most-rate {
		t.Errorf("%v were taken; %v are right", taken, most)
	}
	// A debt is paid off by time alone; a clock that goes back gives nothing.
	take := func(least, most, wantTaken, wantLeft float64) {
		t.Helper()
		if n, left, err := all[0].TakeAt(t.Context(), "bytes a", rate, burst, least, most, &at); err != nil || n != wantTaken || left != wantLeft {
			t.Errorf("%v, %v left, %v", n, left, err)
		}
	}
	take(0, 150, 150, -50)
	at = at.Add(-time.Hour)
	take(1, 1, 0, -50)
	at = at.Add(time.Hour + time.Second)
	take(1, 1, 0, 0)
	at = at.Add(time.Hour)
	take(200, 200, 0, 100)
	take(1, 200, 100, 0)
}

// Takers at once, by the clock of the database, take no token twice.
func TestTakeAtOnce(t *testing.T) {
	url := schema(t)
	w := open(t, url, driver.NewMemory())
	var mu sync.Mutex
	var taking sync.WaitGroup
	taken := 0.0
	for range 8 {
		taking.Go(func() {
			for range 20 {
				n, _, err := w.Take(t.Context(), "a", 0, 100, 1, 1)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				taken += n
				mu.Unlock()
			}
		})
	}
	taking.Wait()
	if taken != 100 {
		t.Errorf("%v of 100 tokens were taken", taken)
	}
	sql(t, url, `UPDATE {s}.meters SET at = now() - interval '2 days'`)
	if _, err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := sql(t, url, `SELECT count(*) FROM {s}.meters`); n != "0" {
		t.Errorf("%s buckets", n)
	}
}
