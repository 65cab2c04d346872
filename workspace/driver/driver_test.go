package driver_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
)

// A fileLock locks a file, against other processes.
type fileLock struct {
	mu   sync.Mutex
	path string
	file *os.File
}

func (l *fileLock) Lock() {
	l.mu.Lock()
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = localfile.Lock(context.Background(), f)
	}
	if err != nil {
		panic(err)
	}
	l.file = f
}

func (l *fileLock) Unlock() {
	localfile.Unlock(l.file)
	l.file.Close()
	l.mu.Unlock()
}

func openFolder(t testing.TB, dir string) *folder {
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &folder{root, &fileLock{path: filepath.Join(dir, "lock")}}
}

// A forgetful bucket writes, loses the answer, and writes again, as clients over
// a network do.
type forgetful struct{ driver.Bucket }

func (f forgetful) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return driver.Attributes{}, err
	}
	at, err := f.Bucket.Write(ctx, key, bytes.NewReader(data), opts)
	if err == nil && (opts.IfMatch != "" || opts.IfAbsent) {
		at, err = f.Bucket.Write(ctx, key, bytes.NewReader(data), opts)
	}
	return at, err
}

var poem = fstest.MapFS{workspacetest.SourcePath: {Data: []byte(workspacetest.SourceContent)}}

func workspaceOf(b driver.Bucket) *workspace.Bucket {
	return workspace.FromDriver(b, &workspace.BucketOptions{Sources: poem})
}

func TestDriver(t *testing.T) {
	workspacetest.TestDriver(t, func(t testing.TB) driver.Bucket { return openFolder(t, t.TempDir()) })
}

func TestMemory(t *testing.T) {
	workspacetest.TestDriver(t, func(testing.TB) driver.Bucket { return driver.NewMemory() })
}

func TestConformance(t *testing.T) {
	workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
		dir := t.TempDir()
		return func() citekit.Workspace { return workspaceOf(openFolder(t, dir)) }
	})
}

// What is written on a condition is written, although the driver wrote it twice.
func TestLostAnswers(t *testing.T) {
	ws, ctx := workspaceOf(forgetful{openFolder(t, t.TempDir())}), t.Context()
	var mapStamp, noteStamp citekit.Stamp
	for i := range 3 {
		var err error
		if mapStamp, err = ws.WriteMapIf(ctx, "m", []byte{byte('0' + i)}, mapStamp); err != nil {
			t.Errorf("map %d: %v", i, err)
		}
		if noteStamp, err = ws.WriteNoteIf(ctx, "kind", "n", make([]byte, 40_000), noteStamp); err != nil {
			t.Errorf("note %d: %v", i, err)
		}
		release, err := ws.LockIngest(ctx)
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	if _, err := ws.WriteMapIf(ctx, "m", nil, citekit.Stamp{}); !errors.Is(err, citekit.ErrConflict) {
		t.Errorf("a map that is there: %v", err)
	}
}

// TestMain also is the program that TestProcesses runs.
func TestMain(m *testing.M) {
	if dir := os.Getenv("CITEKIT_TEST_BUCKET"); dir != "" {
		if err := count(context.Background(), dir); err != nil {
			log.Fatal(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const counts = 20 // of each process

// count adds to a map and to a note, and stores evidence.
func count(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	ws := workspaceOf(&folder{root, &fileLock{path: filepath.Join(dir, "lock")}})
	defer ws.Close()
	for range counts {
		for {
			data, stamp, err := ws.ReadMap(ctx, "m", 1000)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if _, err = ws.WriteMapIf(ctx, "m", append(data, 'x'), stamp); err == nil {
				break
			} else if !errors.Is(err, citekit.ErrConflict) {
				return err
			}
		}
		if _, err := ws.WriteNoteIf(ctx, "kind", rand.Text(), make([]byte, 5000), citekit.Stamp{}); err != nil {
			return err
		}
		meta := citekit.EvidenceMeta{Name: "large.txt", Size: -1}
		if _, err := ws.StoreEvidence(ctx, "0123456789abcdef", meta, strings.NewReader(strings.Repeat("same", 20_000))); err != nil {
			return err
		}
	}
	return nil
}

func program(dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CITEKIT_TEST_BUCKET="+dir)
	return cmd
}

func TestProcesses(t *testing.T) {
	const processes = 3
	dir, ctx := t.TempDir(), t.Context()
	var running []*exec.Cmd
	for range processes {
		cmd := program(dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	ws := workspaceOf(openFolder(t, dir))
	defer ws.Close()
	if data, _, err := ws.ReadMap(ctx, "m", 1000); err != nil || len(data) != processes*counts {
		t.Errorf("the map has %d of %d, %v", len(data), processes*counts, err)
	}
	notes := 0
	for n, err := range ws.Notes(ctx, "kind") {
		if err != nil || len(n.Data) != 5000 {
			t.Errorf("note of %d bytes, %v", len(n.Data), err)
		}
		notes++
	}
	if notes != processes*counts {
		t.Errorf("%d notes of %d", notes, processes*counts)
	}
	content, _, err := ws.OpenEvidence(ctx, "0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if data, err := io.ReadAll(content); err != nil || len(data) != 80_000 {
		t.Errorf("evidence of %d bytes, %v", len(data), err)
	}
}

// A process that is killed at any of its writes leaves a workspace that can be
// read, and written to.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	dir, ctx := t.TempDir(), t.Context()
	for i := range 12 {
		cmd := program(dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForObjects(t, dir, 5*(i+1))
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		_ = cmd.Wait()
		ws := workspaceOf(openFolder(t, dir))
		data, stamp, err := ws.ReadMap(ctx, "m", 1000)
		if err == nil {
			_, err = ws.WriteMapIf(ctx, "m", data, stamp)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) || strings.Trim(string(data), "x") != "" {
			t.Errorf("map %q, %v", data, err)
		}
		for n, err := range ws.Notes(ctx, "kind") {
			if err != nil || len(n.Data) != 5000 {
				t.Errorf("note of %d bytes, %v", len(n.Data), err)
			}
		}
		if _, err := ws.WriteNoteIf(ctx, "kind", rand.Text(), make([]byte, 5000), citekit.Stamp{}); err != nil {
			t.Error(err)
		}
		if found, err := ws.FindEvidence(ctx, "0123456789abcdef"); !errors.Is(err, fs.ErrNotExist) && (err != nil || found.Size != 80_000) {
			t.Errorf("evidence %+v, %v", found, err)
		}
		ws.Close()
	}
}

// waitForObjects returns when the process has had time to write a number of objects,
// or has ended.
func waitForObjects(t *testing.T, dir string, number int) {
	t.Helper()
	for range 200 {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) >= number {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
