//go:build unix

package jobs

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/ingest"
)

// A putting is an index that notes what it is given.
type putting struct {
	mu   sync.Mutex
	put  []string
	runs int  // of Index
	part bool // it does not put all
	fail bool // it cannot put
}

func (p *putting) Index(context.Context, func(done, of int)) (ingest.Indexed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs++
	return ingest.Indexed{}, nil
}

func (p *putting) IndexMapped(_ context.Context, ids []string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail {
		return false, errors.New("it cannot be put")
	}
	p.put = append(p.put, ids...)
	return !p.part, nil
}

// What a job has mapped is put into the index before the job ends; only what was not
// put, or may not have been, takes a job of the index.
func TestIndexMapped(t *testing.T) {
	server := pgtest.Start(t)
	for name, test := range map[string]struct {
		part  bool
		fail  bool
		split bool
		runs  bool
	}{
		"all":    {},
		"part":   {part: true, runs: true},
		"failed": {fail: true, runs: true},
		"split":  {split: true, runs: true},
	} {
		t.Run(name, func(t *testing.T) {
			database := server.Database(t)
			_, lib := folder(t, map[string]string{"a.txt": "A.\n", "b.txt": "B.\n"})
			q := open(t, database)
			if _, err := q.Add(t.Context(), sources(t, lib), Bulk, 0); err != nil {
				t.Fatal(err)
			}
			if test.split { // as if its worker had vanished
				if _, err := q.pool.Exec(t.Context(), "UPDATE river_job SET attempt = 1"); err != nil {
					t.Fatal(err)
				}
			}
			x := &putting{part: test.part, fail: test.fail}
			stop := work(t, q, lib, &WorkOptions{Index: x})
			if counts := wait(t, q); counts[Done] == 0 || len(counts) != 1 {
				t.Errorf("%v", counts)
			}
			has := func() (runs int) {
				if err := q.pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'index'").Scan(&runs); err != nil {
					t.Fatal(err)
				}
				return runs
			}
			if has() > 0 != test.runs {
				t.Errorf("%d jobs of the index; want some: %t", has(), test.runs)
			}
			for late := time.Now().Add(3 * time.Minute); test.runs; time.Sleep(20 * time.Millisecond) {
				x.mu.Lock()
				runs := x.runs
				x.mu.Unlock()
				if runs > 0 {
					break
				}
				if time.Now().After(late) {
					t.Fatal("the index was not asked for")
				}
			}
			stop()
			if slices.Sort(x.put); !test.fail && !slices.Equal(x.put, []string{"a", "b"}) {
				t.Errorf("put %q; want what was mapped", x.put)
			}
		})
	}
}
