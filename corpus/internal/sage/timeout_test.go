package sage_test

import (
	"bytes"
	"context"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus/internal/sage"
	"github.com/citekit/citekit/modality/text"
)

// A slowReader takes some time of the clock of the test for each text.
type slowReader struct {
	*text.Resolver
	wait  atomic.Int64 // nanoseconds
	reads atomic.Int64
}

func (r *slowReader) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		r.reads.Add(1)
		if wait := r.wait.Load(); wait > 0 {
			select {
			case <-time.After(time.Duration(wait)):
			case <-ctx.Done():
				yield(citekit.TextRun{}, ctx.Err())
				return
			}
		}
		for run, err := range r.Resolver.ReadText(ctx, src, loc) {
			if !yield(run, err) {
				return
			}
		}
	}
}

// serveSlowly is serve with a reader that takes a second for each text once the files are mapped.
func serveSlowly(t *testing.T, files map[string]string, opts *sage.Options, f func(s *served, r *slowReader)) {
	t.Helper()
	serve(t, nil, nil, func(s *served) {
		for name, content := range files {
			s.write(name, content)
		}
		r := &slowReader{Resolver: new(text.Resolver)}
		s.start(citekit.Resolvers{citekit.Text: r}, opts)
		r.wait.Store(int64(time.Second))
		f(s, r)
	})
}

// TestTimeout checks the levels of time: that a call ends before its limit with what it
// has, and with an error if it has nothing.
func TestTimeout(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	serveSlowly(t, files, &sage.Options{Logger: logger}, func(s *served, _ *slowReader) {
		start := time.Now()
		some, failed := s.call("sage_get_knowledge", map[string]any{"layer": "core"}) // 2 s: one of two texts
		if failed {
			s.Fatal(some)
		}
		s.want(some, 1., "metadata", "files_loaded")
		s.want(some, 1., "metadata", "omitted")
		s.want(some, false, "complete")
		if spent := time.Since(start); spent <= time.Second || spent >= 1800*time.Millisecond {
			s.Errorf("after %v, want it more than a tenth before the limit", spent)
		}
		s.want(some, float64(time.Since(start).Milliseconds()), "metadata", "load_time_ms")
		for _, one := range []struct {
			ask     int
			level   string
			message string
			elapsed float64
		}{
			{500, "T2", "Operation exceeded T2 timeout (500ms)", 360},
			{100, "T1", "Operation exceeded T1 timeout (100ms)", 0},
			{101, "T2", "Operation exceeded T2 timeout (101ms)", 72},
		} {
			got, failed := s.call("sage_get_knowledge", map[string]any{"layer": "guidelines", "timeout_ms": one.ask})
			if !failed {
				s.Errorf("%d ms: %v", one.ask, got)
			}
			s.want(got, "TIMEOUT", "error", "code")
			s.want(got, one.message, "error", "message")
			s.want(got, one.level, "error", "details", "timeout_level")
			s.want(got, one.elapsed, "error", "details", "elapsed_ms")
			s.want(got, false, "fallback", "complete")
		}
		whole, failed := s.call("sage_get_knowledge", map[string]any{"layer": "all", "timeout_ms": 99_999}) // as 10 s
		s.want(whole, 6., "metadata", "files_loaded")
		s.want(whole, nil, "complete")
		for _, event := range []string{"level=T3 elapsed_ms=1640", "level=T2 elapsed_ms=360", "level=T1 elapsed_ms=0"} {
			if failed || !strings.Contains(log.String(), "msg=timeout tool=sage_get_knowledge "+event) {
				s.Errorf("%v, log without %s: %s", whole, event, log.String())
			}
		}
		if n := strings.Count(log.String(), "msg=timeout"); n != 4 {
			s.Errorf("%d timeouts in the log: %s", n, log.String())
		}
	})
}

// TestTimeoutHasTitles checks that a timeout names what it could not load.
func TestTimeoutHasTitles(t *testing.T) {
	serveSlowly(t, files, nil, func(s *served, _ *slowReader) {
		got, _ := s.call("sage_get_knowledge", map[string]any{"layer": "core", "timeout_ms": 500})
		s.want(got, "Operation exceeded T2 timeout (500ms)", "error", "message")
		s.want(got, "[text://defaults] content/core/defaults.md\n[text://principles] content/core/principles.md\n", "fallback", "content")
	})
}

// TestMemory checks that calls of the first level answer from memory, and that memory is
// never older than the files.
func TestMemory(t *testing.T) {
	serveSlowly(t, files, nil, func(s *served, r *slowReader) {
		if _, kept := at(info(s), "cache", "enabled").(bool); !kept {
			s.Skip("this system does not tell that a file has changed")
		}
		core := map[string]any{"layer": "core", "timeout_ms": 10_000}
		first, _ := s.call("sage_get_knowledge", core)
		s.want(first, false, "metadata", "from_cache")
		reads := r.reads.Load()
		at1 := map[string]any{"layer": "core", "timeout_ms": 100}
		second, failed := s.call("sage_get_knowledge", at1)
		s.want(second, true, "metadata", "from_cache")
		s.want(second, 2., "metadata", "files_loaded")
		s.want(second, at(first, "content"), "content")
		if failed || r.reads.Load() != reads {
			s.Errorf("read %d times more", r.reads.Load()-reads)
		}
		s.want(info(s), .5, "cache", "hit_rate") // two of four

		s.write("content/core/principles.md", "# Core Principles\n\nAll is new, and longer than before by far.\n")
		changed, _ := s.call("sage_get_knowledge", at1)
		s.want(changed, false, "complete")
		s.want(changed, 1., "metadata", "files_loaded") // the other one
		if strings.Contains(at(changed, "content").(string), "fallback") {
			s.Error("the old text of a changed file")
		}
		stale, _ := s.call("sage_get_knowledge", core)
		s.want(stale, "it changed since it was mapped; map it again", "metadata", "not_loaded", 0, "reason")
		if _, err := s.corpus.Ingest(s.Context()); err != nil {
			s.Fatal(err)
		}
		again, _ := s.call("sage_get_knowledge", core)
		s.holds(again, []string{"All is new", "ten results"}, "content")
		s.want(again, nil, "complete")
	})
}

func info(s *served) map[string]any {
	s.Helper()
	got, _ := s.call("sage_info", nil)
	return got
}

// TestServerTimeout checks the time in the settings of a server: that of calls without
// another, and the longest.
func TestServerTimeout(t *testing.T) {
	for _, one := range []struct {
		server  time.Duration
		ask     any
		message string
	}{
		{5 * time.Second, 9000, "Operation exceeded T4 timeout (5000ms)"},
		{300 * time.Millisecond, nil, "Operation exceeded T2 timeout (300ms)"},
		{5 * time.Second, nil, "Operation exceeded T3 timeout (2000ms)"}, // the default of the schema
	} {
		serveSlowly(t, map[string]string{"core/a.md": "# A\n\nText.\n"}, &sage.Options{Timeout: one.server}, func(s *served, r *slowReader) {
			args := map[string]any{"layer": "core"}
			if one.ask != nil {
				args["timeout_ms"] = one.ask
			}
			r.wait.Store(int64(time.Minute))
			got, _ := s.call("sage_get_knowledge", args)
			s.want(got, one.message, "error", "message")
		})
	}
}

// TestChangedLink checks that a layer that becomes a link out of the folder gives
// nothing, not even from memory.
func TestChangedLink(t *testing.T) {
	inside := maps.Clone(files)
	inside["frameworks/autonomy.md"] = "# Autonomy\n\nThe levels.\n"
	serve(t, inside, nil, func(s *served) {
		outside := s.TempDir()
		if err := os.WriteFile(filepath.Join(outside, "autonomy.md"), []byte(inside["frameworks/autonomy.md"]), 0o666); err != nil {
			s.Fatal(err)
		}
		got, _ := s.call("sage_get_knowledge", map[string]any{"layer": "frameworks"})
		s.holds(got, []string{"The levels."}, "content")
		folder := filepath.Join(s.dir, "frameworks")
		if err := os.Rename(folder, folder+"-old"); err != nil {
			s.Fatal(err)
		}
		if err := os.Symlink(outside, folder); err != nil {
			s.Skip(err)
		}
		for _, ms := range []int{100, 2000} {
			got, failed := s.call("sage_get_knowledge", map[string]any{"layer": "frameworks", "timeout_ms": ms})
			if !failed {
				s.want(got, "", "content")
				s.want(got, 0., "metadata", "files_loaded")
				s.want(got, "it is outside the folders that may be read", "metadata", "not_loaded", 0, "reason")
			} else if ms > 100 {
				s.Errorf("%d ms: %v", ms, got)
			}
		}
		found, _ := s.call("sage_search", map[string]any{"query": "levels", "layer": "frameworks"})
		s.want(found, []any{}, "results")
	})
}

// TestConcurrent calls everything at once, for the race detector.
func TestConcurrent(t *testing.T) {
	serve(t, files, nil, func(s *served) {
		var group sync.WaitGroup
		for i := range 24 {
			group.Go(func() {
				tool, args := "sage_get_knowledge", map[string]any{"layer": []string{"core", "all", "practices"}[i%3]}
				if i%4 == 3 {
					tool, args = "sage_info", nil
				}
				result, err := s.session.CallTool(s.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
				if err != nil || result.IsError {
					s.Errorf("%s %v: %+v, %v", tool, args, result, err)
				}
			})
		}
		group.Wait()
		if rate := at(info(s), "cache", "hit_rate").(float64); rate < 0 || rate > 1 {
			s.Errorf("hit rate %v", rate)
		}
	})
}
