//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/cloud/s3"
	"github.com/citekit/citekit/workspace/driver"
)

// syncVariable names the bucket that gets the files of the working directory before each
// run of the command, so that scripts for a directory run on a store.
const syncVariable = "CITEKIT_TEST_SYNC"

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){"citekit": func() {
		if to := os.Getenv(syncVariable); to != "" {
			if err := syncFiles(context.Background(), to); err != nil {
				fmt.Fprintln(os.Stderr, "sync:", err)
				os.Exit(3)
			}
		}
		main()
	}})
}

// syncFiles makes the objects of a bucket those of the working directory.
func syncFiles(ctx context.Context, to string) error {
	bucket, err := s3.Open(to, &s3.Options{AnyKey: true})
	if err != nil {
		return err
	}
	defer bucket.Close()
	left := make(map[string]string)
	for opts, more := (driver.ListOptions{Limit: 1000}), true; more; {
		page, err := bucket.List(ctx, opts)
		if err != nil {
			return err
		}
		for _, o := range page.Objects {
			left[o.Key], opts.After = strings.Trim(o.ETag, `"`), o.Key
		}
		more = page.More
	}
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sum := md5.Sum(data)
		same := left[name] == hex.EncodeToString(sum[:])
		delete(left, name)
		if same {
			return nil
		}
		_, err = bucket.Write(ctx, name, bytes.NewReader(data), driver.WriteOptions{Size: int64(len(data))})
		return err
	})
	for name := range left {
		err = errors.Join(err, bucket.Delete(ctx, name, ""))
	}
	return err
}

// A place has the servers of a test.
type place struct {
	database string // the URL of a database
	objects  string // the URL of a server of S3 with the bucket "files"
	made     atomic.Int64
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return newPlaceIn(t, pgtest.Start(t))
}

func newPlaceIn(t testing.TB, database *pgtest.Server) *place {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-of-tests")
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	return &place{database: database.Database(t), objects: server.URL}
}

// workspace returns the URL of a workspace that is empty, and that of its sources.
func (p *place) workspace() (named, sources string) {
	n := p.made.Add(1)
	bucket := func(prefix string) string {
		return fmt.Sprintf("s3://files/%s%d?%s", prefix, n, url.Values{"endpoint": {p.objects}}.Encode())
	}
	sources = bucket("sources")
	query := url.Values{"schema": {fmt.Sprintf("s%d", n)}, "bucket": {bucket("objects")}, "sources": {sources}}
	return p.database + "?" + query.Encode(), sources
}

// setup returns the setup of a script with a workspace of its own. If files is set, its
// sources are those of the working directory.
func (p *place) setup(files bool) func(*testscript.Env) error {
	return func(env *testscript.Env) error {
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
			env.Setenv(name, filepath.Join(env.WorkDir, ".tmp", "settings"))
		}
		for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GORACE"} {
			env.Setenv(name, os.Getenv(name))
		}
		named, sources := p.workspace()
		env.Setenv("CITEKIT_WORKSPACE", named)
		if !files {
			return nil
		}
		env.Setenv(syncVariable, sources)
		if _, err := os.Stat(filepath.Join(env.WorkDir, ".resource_maps")); err != nil {
			return nil
		}
		maps := exec.Command("citekit", "copy", env.WorkDir, named) // of the script
		maps.Env = append(os.Environ(), "XDG_CACHE_HOME="+env.Getenv("XDG_CACHE_HOME"), "XDG_CONFIG_HOME="+env.Getenv("XDG_CONFIG_HOME"))
		if out, err := maps.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

// TestScripts runs scripts of stores.
func TestScripts(t *testing.T) {
	p := newPlace(t)
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), Setup: p.setup(true), RequireExplicitExec: true})
}

// sameScripts are those of the plain command, for a directory, that say what a store says.
var sameScripts = []string{
	"adapt", "answer", "archive", "check-map", "cite", "inspect", "list", "mapper", "nodeids", "reanchor", "renames",
	"search", "similar", "stale", "typetext", "verify", "words",
}

// TestSameScripts runs scripts of the plain command on a store.
func TestSameScripts(t *testing.T) {
	p := newPlace(t)
	names := sameScripts
	if asked := os.Getenv("CITEKIT_TEST_SCRIPTS"); asked != "" {
		names = strings.Fields(asked)
	}
	var files []string
	for _, name := range names {
		files = append(files, filepath.Join("..", "..", "..", "internal", "command", "testdata", "script", name+".txtar"))
	}
	testscript.Run(t, testscript.Params{Files: files, Setup: p.setup(true), RequireExplicitExec: true})
}

// TestServeHTTP serves a store over HTTP from two processes that share nothing else.
func TestServeHTTP(t *testing.T) {
	p := newPlace(t)
	named, sources := p.workspace()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CITEKIT_WORKSPACE", named)
	t.Setenv(syncVariable, sources)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("guide.md", []byte("# Tides\n\nHigh water is at 12:40 on Mondays.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("citekit", "ingest", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	one, other := serve(t), serve(t)
	for _, at := range []string{one, other} {
		if got := post(t, at+"/v1/search", `{"q": "high water"}`); !strings.Contains(got, "12:40") {
			t.Errorf("a search found %s", got)
		}
		if got := post(t, at+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`); !strings.Contains(got, "serverInfo") {
			t.Errorf("MCP says %s", got)
		}
	}
	evidence, err := http.Get(other + "/v1/evidence/" + url.PathEscape("text://guide#lines=3-3"))
	if err != nil {
		t.Fatal(err)
	}
	defer evidence.Body.Close()
	if body, err := io.ReadAll(evidence.Body); err != nil || string(body) != "High water is at 12:40 on Mondays.\n" {
		t.Errorf("the evidence is %q, %v", body, err)
	}
}

// serve starts a server, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("citekit", "serve", "--transport", "http", "--port", "0")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(pipe).ReadString('\n')
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "citekit: serving MCP at ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	return strings.TrimSuffix(at, "/mcp")
}

func post(t *testing.T, to, body string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
