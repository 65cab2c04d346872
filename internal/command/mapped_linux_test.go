package command

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// A source is written through a mapping that moves no times, under a Library
// that has it parsed, and under ingest.
func TestSourceWrittenThroughMapping(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	must(t, os.WriteFile(path, []byte(strings.Repeat("some line\n", 20_000)), 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := syscall.Mmap(int(f.Fd()), 0, 200_000, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Skip("this file system does not map files: ", err)
	}
	defer syscall.Munmap(content)
	content[0] = 'S'
	time.Sleep(300 * time.Millisecond) // so that the times are old enough
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	mapIt := func() ingest.Status {
		report, err := ingest.Run(t.Context(), lib, []string{"a.txt"}, nil)
		if err != nil || report.Err() != nil {
			t.Fatal(err, report.Err())
		}
		return report.Items[0].Status
	}
	mapIt()
	line, err := citekit.ParseAddress("text://a#lines=2-2")
	if err != nil {
		t.Fatal(err)
	}
	first, err := lib.ResolveAddress(t.Context(), line, nil)
	if err != nil {
		t.Fatal(err)
	}
	copy(content, "s\nme\nline\n") // more lines, in the same page
	if e, err := lib.ResolveAddress(t.Context(), line, nil); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("after the change: %+v, %v", e, err)
	}
	if status := mapIt(); status != ingest.Mapped {
		t.Errorf("ingest says %s", status)
	}
	e, err := lib.ResolveAddress(t.Context(), line, nil)
	if err != nil || e.SourceHash == first.SourceHash {
		t.Fatalf("mapped again: %+v, %v", e, err)
	}
	if data, _ := os.ReadFile(e.OutputPath); string(data) != "me\n" {
		t.Errorf("line 2 is %q", data)
	}
}
