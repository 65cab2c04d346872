//go:build unix

package jobs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/citekit/citekit/cloud/internal/pgtest"
)

// What is there decides: hints that are late, doubled or wrong add nothing, and a source
// that is gone stands for no others.
func TestChanged(t *testing.T) {
	dir, lib := folder(t, map[string]string{
		"same.txt": "Same.\n", "changes.txt": "Before.\n", "gone.txt": "Gone.\n", "new.txt": "New.\n", ".hidden.txt": "Hidden.\n", "in/a.txt": "A.\n", "in/b.txt": "B.\n",
	})
	q, ws := open(t, pgtest.Start(t).Database(t)), lib.Workspace()
	if _, err := q.Add(t.Context(), []Source{{Path: "same.txt"}, {Path: "changes.txt"}, {Path: "gone.txt"}}, Bulk, 0); err != nil {
		t.Fatal(err)
	}
	stop := work(t, q, lib, nil)
	wait(t, q)
	stop()
	put(t, filepath.Join(dir, "changes.txt"), "After it has changed.\n")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	hints := []string{
		"same.txt", "changes.txt", "changes.txt", "gone.txt", "new.txt", ".hidden.txt", "a/.git/x.txt", "never.txt", "*.txt", "in", "in/", "../x.txt", "/etc/passwd", "",
		strings.Repeat("x", 5000), "a\x00b", "\xff.txt",
	}
	added, err := q.Changed(t.Context(), ws, hints)
	if err != nil || added.Jobs != 1 {
		t.Fatalf("%+v, %v", added, err)
	}
	all, err := q.List(t.Context(), Waiting, 0, 10)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	var paths []string
	for _, s := range all[0].Sources {
		paths = append(paths, s.Path)
		if s.Path == "gone.txt" && s.Identity != "" {
			t.Errorf("%+v", s)
		}
	}
	if got := strings.Join(paths, " "); got != "changes.txt gone.txt new.txt" {
		t.Errorf("added %s", got)
	}
	if added, err = q.Changed(t.Context(), ws, hints); err != nil || added.Jobs+added.Waiting != 1 { // a file is given its identity once it is old enough
		t.Errorf("the same again: %+v, %v", added, err)
	}
	work(t, q, lib, &WorkOptions{Workers: 1})
	wait(t, q)
	done, err := q.List(t.Context(), Done, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, j := range done {
		for status, n := range j.Counts {
			counts[status] += n
		}
	}
	if counts["mapped"] != 5 || counts["vanished"] == 0 || counts["failed"] != 0 {
		t.Errorf("%v", counts)
	}
	var g Gauge
	if d, err := g.Read(t.Context(), q.pool, q.schema); err != nil || d != (Depth{}) {
		t.Errorf("a queue that is empty: %+v, %v", d, err)
	}
	if d, err := g.Read(t.Context(), q.pool, "none"); err != nil || d != (Depth{}) {
		t.Errorf("a queue that was never opened: %+v, %v", d, err)
	}
}

// BenchmarkDepth asks how full a queue is in which a million jobs wait.
func BenchmarkDepth(b *testing.B) {
	database := pgtest.Start(b).Database(b)
	pool, err := pgxpool.New(b.Context(), strings.Replace(database, "pg:", "postgres:", 1))
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	if _, err := Open(b.Context(), pool, "public"); err != nil {
		b.Fatal(err)
	}
	if _, err := pool.Exec(b.Context(), `INSERT INTO river_job (kind, queue, args, max_attempts, priority, state)
		SELECT 'ingest', 'ingest', jsonb_build_object('n', n), 4, 3, 'available' FROM generate_series(1, 1000000) n`); err != nil {
		b.Fatal(err)
	}
	if _, err := pool.Exec(b.Context(), "VACUUM ANALYZE river_job"); err != nil {
		b.Fatal(err)
	}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			var g Gauge
			if d, err := g.Read(b.Context(), pool, "public"); err != nil || d.Waiting != 1_000_000 {
				b.Fatalf("%+v, %v", d, err)
			}
		}
	})
	var g Gauge
	for b.Loop() {
		if d, err := g.Read(b.Context(), pool, "public"); err != nil || d.Waiting != 1_000_000 {
			b.Fatalf("%+v, %v", d, err)
		}
	}
}
