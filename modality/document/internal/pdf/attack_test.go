package pdf_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/attacktest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

const (
	attackVariable = "CITEKIT_TEST_ATTACK" // names the files that a child process opens
	attackWait     = 3 * time.Minute       // for each file, until it counts as hanging
	attackMemory   = 512 << 10             // KiB resident
	mapMemory      = 300 << 10             // likewise, of mapping
)

// TestAttacks opens hostile files in another process, which has to end with results or
// errors; at night each in a process of its own, which has to stay small.
func TestAttacks(t *testing.T) {
	if paths := os.Getenv(attackVariable); paths != "" {
		for _, path := range filepath.SplitList(paths) {
			t.Run(filepath.Base(path), func(t *testing.T) { attack(t, path) })
		}
		return
	}
	dir := attackFiles(t)
	names, err := filepath.Glob(filepath.Join(dir, "documents", "*.pdf"))
	if err != nil || len(names) < 18 {
		t.Fatalf("%d hostile files, %v", len(names), err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	together := len(names)
	if sharedtest.Long() {
		together = 1
	}
	for paths := range slices.Chunk(names, together) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(together)*attackWait)
		defer cancel()
		cmd := exec.CommandContext(ctx, self, "-test.run=^TestAttacks$", "-test.v")
		cmd.Env = append(os.Environ(), attackVariable+"="+strings.Join(paths, string(filepath.ListSeparator)))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if bytes.Contains(out, []byte("CANARY")) {
			t.Errorf("the canary is out:\n%s", out)
		}
		if done := bytes.Count(out, []byte("    --- PASS: ")); done != len(paths) {
			t.Errorf("%d files of %d:\n%s", done, len(paths), out)
		}
		t.Logf("%v of processor time\n%s", cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), out)
	}
}

// attackFiles returns a directory of hostile files, which it makes.
func attackFiles(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("hostile files are large")
	}
	dir := t.TempDir()
	if err := attacktest.Make(dir, attacktest.Seeds{PDF: simple(false)}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// attack does everything a resolver can with a file.
func attack(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src := citekit.NewSource(f, citekit.SourceInfo{Name: "hostile.pdf", Size: info.Size(), Identity: path})
	r := sharedResolver()
	attackMap(t, r, src)
	extent, err := r.Measure(t.Context(), src)
	t.Logf("measure: %d pages, %v", extent.Pages, err)
	for _, loc := range []citekit.Location{pages(1, 1), boxed(1, 0.1, 0.1, 0.5, 0.5), pages(1, max(extent.Pages, 1))} {
		x, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
		if err != nil {
			t.Logf("resolve: %v", err)
			checkKnown(t, err)
			continue
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(x.Body); err != nil || int64(got.Len()) != x.Size {
			t.Errorf("%d bytes of %d, %v", got.Len(), x.Size, err)
		}
		if bytes.Contains(got.Bytes(), []byte("CANARY")) || bytes.Contains(got.Bytes(), []byte("JavaScript")) || bytes.Contains(got.Bytes(), []byte("/Launch")) {
			t.Errorf("the extract has what it must not have")
		}
		t.Logf("resolve: %d bytes", got.Len())
	}
	for run, err := range r.ReadText(t.Context(), src, pages(1, 1)) {
		t.Logf("text: %d bytes, %v", len(run.Text), err)
		if err != nil {
			checkKnown(t, err)
		}
	}
	if peak := peakMemory(); peak > attackMemory && !raced && sharedtest.Long() {
		t.Errorf("%d KiB of memory at the peak", peak)
	} else {
		t.Logf("peak %d KiB", peak)
	}
}

// attackMap has a file mapped, which takes less memory than extracting.
func attackMap(t *testing.T, r *pdf.Resolver, src *citekit.Source) {
	t.Helper()
	s, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	switch {
	case err != nil:
		t.Logf("map: %v", err)
		checkKnown(t, err)
	default:
		checkStructure(t, s)
		t.Logf("map: %s, %d nodes, %v", s.Method, len(s.Nodes), s.Metadata)
	}
	if peak := peakMemory(); peak > mapMemory && !raced && sharedtest.Long() {
		t.Errorf("%d KiB of memory at the peak of mapping", peak)
	}
}

func checkKnown(t *testing.T, err error) {
	t.Helper()
	if citekit.CodeOf(err) == message.CodeInternal {
		t.Errorf("%v matches none of the documented errors", err)
	}
}

var peakLine = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// peakMemory returns the largest resident size of this process in KiB, where
// the system tells it, else 0.
func peakMemory() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	match := peakLine.FindSubmatch(status)
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0
	}
	return n
}
