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
	"regexp"
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

// TestReplicasShare has what one server of a store gives work at another, which shares the file
// of keys alone: links, ingests by a worker, the limits of a caller; and has sessions of
// older revisions of MCP end there, so that clients begin anew.
func TestReplicasShare(t *testing.T) {
	p := newPlace(t)
	named, sources := p.workspace()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CITEKIT_WORKSPACE", named)
	t.Setenv(syncVariable, sources)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("guide.md", []byte("# Tides\n\nHigh water is at 12:40 on Mondays.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	citekit := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("citekit", args...).Output()
		if err != nil {
			t.Fatalf("citekit %s: %v", args, err)
		}
		return string(out)
	}
	keys := filepath.Join(t.TempDir(), "keys.json")
	key := strings.Fields(citekit("key", "new", "--keys", keys, "--workspace", "default"))[0]
	worker := exec.Command("citekit", "worker")
	worker.Stderr = os.Stderr
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		worker.Process.Signal(syscall.SIGTERM)
		_ = worker.Wait() // it says that it was interrupted
	})
	settings := filepath.Join(t.TempDir(), "citekit.yaml")
	if err := os.WriteFile(settings, []byte("keys: "+keys+"\ncapabilities: {ingest: true}\nlimits: {rate: 0.001, burst: 40}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var servers []*client
	for range 2 {
		t.Setenv("XDG_CONFIG_HOME", t.TempDir())
		servers = append(servers, &client{t: t, at: serve(t, "--config", settings), key: key})
	}
	one, other := servers[0], servers[1]
	one.begin()
	moved := &client{t: t, at: other.at, key: key, session: one.session}
	if status, body := moved.send("tools/list", `{}`); status != http.StatusNotFound {
		t.Errorf("the session of another server: %d %s", status, body)
	}
	other.begin()

	job := one.find(one.tool("ingest", `{"paths": ["."]}`), `"job_id": ?"([^"]+)"`)
	for state := "running"; state != "done"; {
		if state != "running" {
			t.Fatalf("the ingest is %s", state)
		}
		state = other.find(other.tool("ingestStatus", `{"job_id": "`+job+`"}`), `"status": ?"([^"]+)"`)
	}
	if done := citekit("jobs", "list", "--state", "done"); !strings.Contains(done, "guide.md") {
		t.Errorf("the worker did %q", done)
	}

	link := one.find(one.tool("resolve", `{"address": "text://guide#lines=3-3"}`), `"evidence_url": ?"([^"]+)"`)
	link = other.at + strings.TrimPrefix(strings.ReplaceAll(link, `\u0026`, "&"), one.at)
	for _, follow := range []struct {
		link string
		want int
	}{{link, 200}, {strings.Replace(link, "ticket=", "ticket=A", 1), 403}} {
		answer, err := http.Get(follow.link)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != follow.want || follow.want == 200 && string(body) != "High water is at 12:40 on Mondays.\n" {
			t.Errorf("a link of another server: %d %q, %v", answer.StatusCode, body, err)
		}
	}
	// Each server alone would admit forty.
	admitted := 0
	for i := range 100 {
		if status, _ := servers[i%2].send("tools/list", `{}`); status == http.StatusOK {
			admitted++
		}
	}
	if admitted == 0 || admitted > 40 {
		t.Errorf("both servers admitted %d more calls", admitted)
	}
}

// A client calls a server over MCP with a key.
type client struct {
	t                *testing.T
	at, key, session string
}

// begin begins a session of an older revision.
func (c *client) begin() {
	c.t.Helper()
	if status, body := c.send("initialize", `{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}`); status != http.StatusOK || c.session == "" {
		c.t.Fatalf("%d %s", status, body)
	}
}

func (c *client) tool(name, arguments string) string {
	c.t.Helper()
	status, body := c.send("tools/call", `{"name": "`+name+`", "arguments": `+arguments+`}`)
	if status != http.StatusOK {
		c.t.Fatalf("%s: %d %s", name, status, body)
	}
	return strings.ReplaceAll(body, `\"`, `"`)
}

// find returns what an expression has in parentheses.
func (c *client) find(body, expression string) string {
	c.t.Helper()
	found := regexp.MustCompile(expression).FindStringSubmatch(body)
	if found == nil {
		c.t.Fatalf("no %s in %s", expression, body)
	}
	return found[1]
}

func (c *client) send(method, params string) (status int, body string) {
	c.t.Helper()
	r, err := http.NewRequest(http.MethodPost, c.at+"/mcp", strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "`+method+`", "params": `+params+`}`))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + c.key, "Mcp-Session-Id": c.session,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.session == "" {
		c.session = answer.Header.Get("Mcp-Session-Id")
	}
	return answer.StatusCode, string(data)
}

// serve starts a server, and returns its address.
func serve(t *testing.T, flags ...string) string {
	t.Helper()
	cmd := exec.Command("citekit", append([]string{"serve", "--transport", "http", "--port", "0"}, flags...)...)
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
