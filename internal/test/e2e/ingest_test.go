package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// An ingestReport is what citekit ingest --json prints.
type ingestReport struct {
	Items []struct {
		Path, Status, Type, Method, Reason, Code string
		ResourceID                               string `json:"resource_id"`
		Nodes                                    int
	}
	Summary map[string]int
}

// runIngest runs citekit ingest over paths in base and returns its report. It
// checks what must hold whatever the sources are: an end in time and within
// memory, valid maps, no temporary files, no secrets.
func runIngest(t *testing.T, base string, args ...string) ingestReport {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, append([]string{"ingest", "--json"}, args...)...)
	cmd.Dir = base
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(scratch, "config"))
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	start := time.Now()
	peak, runErr := runWatched(cmd)
	took := time.Since(start)
	var report ingestReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("ingest: %v\n%s\n%s", runErr, out.Bytes(), complaints.Bytes())
	}
	if failed := report.Summary["failed"] > 0; failed != (runErr != nil) || complaints.Len() > 0 {
		t.Errorf("ingest: %v, %v\n%s", report.Summary, runErr, complaints.Bytes())
	}
	if peak > 0 {
		t.Logf("%v, peak memory %d MB, %v", report.Summary, peak>>20, took.Round(time.Millisecond))
		if peak > mostMemory && sharedtest.Long() { // only in the nightly run: it depends on the machine
			t.Errorf("ingest took %d MB", peak>>20)
		}
	}
	checkMaps(t, base, report)
	return report
}

// runWatched runs a command and returns the largest resident set it was seen
// to have. What the system tells at its end counts that of its parent too.
func runWatched(cmd *exec.Cmd) (peak int64, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(5 * time.Millisecond):
			peak = max(peak, peakMemory(cmd.Process.Pid))
		}
	}
}

// checkMaps checks that the maps that are there are those in the report and
// those alone, each of them sound.
func checkMaps(t *testing.T, base string, report ingestReport) {
	t.Helper()
	for _, item := range report.Items {
		t.Logf("%s %s %s %s %d %s", item.Status, item.Path, item.Type, item.Method, item.Nodes, item.Reason)
		switch item.Status {
		case "failed", "skipped":
			if item.Reason == "" || strings.Contains(item.Reason, base) || len(item.Reason) > 500 {
				t.Errorf("%s: reason %q", item.Path, item.Reason)
			}
		}
	}
	maps := filepath.Join(base, ".resource_maps")
	_ = filepath.WalkDir(maps, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == ".lock" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		if !json.Valid(data) || bytes.Contains(data, canary) || !strings.HasSuffix(e.Name(), ".json") {
			t.Errorf("%s is no sound map, or holds what it must not", e.Name())
		}
		return nil
	})
	if report.Summary["mapped"] > 0 {
		out, err := exec.Command(scratchBinary(t), "check-map", "--all", "--dir", base).CombinedOutput()
		if err != nil {
			t.Errorf("check-map: %v\n%s", err, out)
		}
	}
}

func scratchBinary(t *testing.T) string {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// TestIngestAttacks maps hostile documents, images and archives, XML and HTML,
// and what looks like maps.
func TestIngestAttacks(t *testing.T) { eachAttackSet(t, ingestAttacks) }

func ingestAttacks(t *testing.T, attacks attackSet) {
	listen(t)
	for _, group := range []string{"documents", "images", "archives", "markup", "maps"} {
		t.Run(group, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "base")
			copyTree(t, attacks.group(group), base)
			report := runIngest(t, base, ".")
			if len(report.Items) < 5 {
				t.Errorf("%d sources", len(report.Items))
			}
			again := runIngest(t, base, ".")
			if again.Summary["mapped"] > 0 {
				t.Errorf("mapped again: %v", again.Summary)
			}
		})
	}
}

// TestIngestBadFiles maps files with everything wrong, and one that is right.
func TestIngestBadFiles(t *testing.T) {
	base := t.TempDir()
	pdf, err := os.ReadFile(sharedtest.Corpus(t, "pdf/manual-bzip2.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	mp4, err := os.ReadFile(sharedtest.Corpus(t, "media/h264-aac-chapters.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	png, err := os.ReadFile(sharedtest.Corpus(t, "image/png-16bit.png"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"good.md":              []byte("# Good\n\nText.\n"),
		"empty.pdf":            nil,
		"empty.mp4":            nil,
		"empty.txt":            nil,
		"truncated.pdf":        pdf[:len(pdf)/3],
		"truncated.mp4":        mp4[:len(mp4)/3],
		"headless.mp4":         mp4[len(mp4)/3:],
		"truncated.png":        png[:len(png)/2],
		"movie-named.txt":      mp4,
		"picture-named.pdf":    png,
		"text-named.mp4":       []byte("# A text\n\nAll the same.\n"),
		"text-named.pdf":       []byte("Just a text.\n"),
		"binary.dat":           bytes.Repeat([]byte{0, 1, 2, 0xff}, 1000),
		"binary.go":            bytes.Repeat([]byte{0, 1, 2, 0xff}, 1000),
		"broken.json":          []byte(`{"a": [1, 2`),
		"broken.go":            []byte("package x\n\nfunc f( {\n"),
		"unclosed.py":          []byte("def f():\n  '''never closed\n"),
		"one-line.js":          bytes.Repeat([]byte("function f(){return [1,2,{a:'b'}]};"), 100_000),
		"nothing-but-ws.txt":   []byte(" \n\t\n"),
		"bad\x01name\u202e.md": []byte("# Odd name\n"),
	} {
		writeFile(t, filepath.Join(base, name), data)
	}
	for _, name := range []string{"sparse.txt", "sparse.pdf", "sparse.mp4", "sparse.wav", "sparse.png", "sparse.csv"} {
		sparse(t, filepath.Join(base, name), 5<<30)
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	writeFile(t, outside, append([]byte("# "), canary...))
	links := map[string]string{"link.md": "good.md", "outside.md": outside, "dangling.md": "none", "loop.md": "loop.md"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	report := runIngest(t, base, ".")
	status := make(map[string]string)
	for _, item := range report.Items {
		status[item.Path] = item.Status + " " + item.Type
	}
	for name, want := range map[string]string{
		"good.md": "mapped text", "movie-named.txt": "mapped video", "picture-named.pdf": "mapped image",
		"text-named.mp4": "mapped text", "text-named.pdf": "mapped text", "binary.dat": "skipped ", "binary.go": "skipped ",
		"empty.pdf": "skipped ", "nothing-but-ws.txt": "skipped ", "sparse.txt": "skipped ", "sparse.csv": "skipped ", "link.md": "skipped ", "outside.md": "skipped ",
		"broken.json": "mapped text", "broken.go": "mapped text", "unclosed.py": "mapped text", "one-line.js": "mapped text",
	} {
		if status[name] != want {
			t.Errorf("%s: %s, want %s", name, status[name], want)
		}
	}
	named := runIngest(t, base, "link.md", "outside.md", "dangling.md", "loop.md", "sparse.txt", "empty.pdf", "binary.dat")
	if named.Summary["failed"] != 6 {
		t.Errorf("by name: %v", named.Summary)
	}
}

func sparse(t *testing.T, path string, size int64) {
	t.Helper()
	writeFile(t, path, nil)
	if err := os.Truncate(path, size); err != nil {
		t.Skip("no sparse files:", err)
	}
}

// TestIngestChangingFile maps a file while it is being written.
func TestIngestChangingFile(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "log.txt")
	writeFile(t, path, []byte("first\n"))
	writeFile(t, filepath.Join(base, "still.txt"), []byte("one\n"))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				f.WriteString("another line\n")
			}
		}
	}()
	report := runIngest(t, base, "still.txt", "log.txt")
	close(stop)
	<-stopped
	for _, item := range report.Items {
		if item.Path == "still.txt" && item.Status != "mapped" {
			t.Errorf("%+v", item)
		}
		if item.Path == "log.txt" && item.Status == "failed" && item.Code != "STALE" {
			t.Errorf("%+v", item)
		}
	}
}

// TestIngestUnreadable maps a folder with files and folders that may not be
// read.
func TestIngestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may read everything")
	}
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "good.txt"), []byte("one\n"))
	writeFile(t, filepath.Join(base, "closed.txt"), []byte("two\n"))
	writeFile(t, filepath.Join(base, "folder", "in.txt"), []byte("three\n"))
	for _, name := range []string{"closed.txt", "folder"} {
		if err := os.Chmod(filepath.Join(base, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(base, "folder"), 0o700)
	report := runIngest(t, base, ".")
	if report.Summary["mapped"] != 1 || report.Summary["failed"] != 2 {
		t.Errorf("%+v", report)
	}
}
