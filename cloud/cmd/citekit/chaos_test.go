//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/cloud/s3"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace/driver"
)

// mappers is how many workers map the sources of a test.
const mappers = 4

// manySources returns how many sources workers map: CITEKIT_TEST_SOURCES, such as 100000,
// or 3,000 at night.
func manySources(t *testing.T) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("CITEKIT_TEST_SOURCES"), "0"))
	switch {
	case err != nil:
		t.Fatalf("CITEKIT_TEST_SOURCES: %v", err)
	case n > 0:
		return n
	case sharedtest.Long():
		return 3000
	}
	return 600
}

// TestWorkersDisturbed has four workers map many sources while workers are killed, the
// database is stopped and killed, the bucket refuses 5 % of the requests and drops 1 %
// of the connections, and one worker is cut off: for half a minute at night. At the end
// each source has one map and is in the index once.
func TestWorkersDisturbed(t *testing.T) {
	f := newField(t, manySources(t))
	f.fail(true)
	took := f.work(func(mapped int) bool { return f.disturb(mapped) })
	t.Logf("disturbed: %d sources in %v, %.0f a second, %v of processors", len(f.texts), took.Round(time.Millisecond), float64(len(f.texts))/took.Seconds(), f.used)
	f.fail(false)
	f.check()
}

// TestWorkersUndisturbed says, at night, how long the same takes with nothing in the
// way, and how long the plain command takes for as many directories at once.
func TestWorkersUndisturbed(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("it measures")
	}
	f := newField(t, manySources(t))
	took := f.work(func(int) bool { return true })
	used, requests := f.used, f.requests.Load()
	commits, err := strconv.ParseInt(f.sql(`SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("of each source: %.2f requests to the bucket, %.2f transactions", float64(requests)/float64(len(f.texts)), float64(commits)/float64(len(f.texts)))
	plain := f.plain()
	t.Logf("undisturbed: %d sources in %v, %.0f a second, %v of processors; %d directories in %v, %.0f a second, %v; %.2f of that",
		len(f.texts), took.Round(time.Millisecond), float64(len(f.texts))/took.Seconds(), used,
		mappers, plain.Round(time.Millisecond), float64(len(f.texts))/plain.Seconds(), f.used-used, plain.Seconds()/took.Seconds())
	f.check()
}

// A field has sources, the servers, and workers that reach these through wires.
type field struct {
	t       *testing.T
	random  *rand.Rand
	texts   map[string]string // of the sources, by key
	words   map[string]string // that only one source has, by its key
	server  *pgtest.Server
	objects *httptest.Server
	url     string // of the workspace, without wires
	workers [mappers]*mapper

	requests atomic.Int64 // to the bucket

	mu     sync.Mutex
	used   time.Duration // of processors, by processes that have ended
	faults bool          // whether the bucket is to fail at times
	chance *rand.Rand

	events []event // to come
	cut    *mapper // that is cut off, until
	until  time.Time
}

// A mapper is a worker that can be killed, and cut off.
type mapper struct {
	name  string // its access key
	wire  *wire
	cache string
	cmd   *exec.Cmd
	log   bytes.Buffer // of one process after the other
}

// An event disturbs the workers once some share of the sources is mapped.
type event struct {
	at   float64
	name string
	do   func()
}

func newField(t *testing.T, sources int) *field {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-of-tests")
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	random := sharedtest.Rand(t)
	f := &field{t: t, random: random, chance: rand.New(rand.NewPCG(random.Uint64(), 0)), server: pgtest.Start(t), texts: make(map[string]string), words: make(map[string]string)}
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	for i := range sources {
		key, word := fmt.Sprintf("folder%d/source%d.txt", i%100, i), fmt.Sprintf("quux%sz", letters(i))
		text := f.text(word)
		f.texts[key], f.words[key] = text, word
		if _, err := backend.PutObject("files", "in/"+key, map[string]string{"Last-Modified": "Mon, 02 Jan 2006 15:04:05 GMT"}, strings.NewReader(text), int64(len(text)), nil); err != nil {
			t.Fatal(err)
		}
	}
	f.url = f.server.Database(t)
	for i := range f.workers {
		f.workers[i] = &mapper{name: fmt.Sprint("worker", i), wire: newWire(t, f.database().Host), cache: t.TempDir()}
	}
	f.objects = httptest.NewServer(f.failing(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()))
	t.Cleanup(f.objects.Close)
	f.url += "?" + url.Values{"schema": {"s"}, "bucket": {f.bucket("out")}, "sources": {f.bucket("in")}}.Encode()
	t.Cleanup(func() {
		for _, m := range f.workers {
			m.wire.mend()
			f.kill(m)
			if t.Failed() {
				t.Logf("%s:\n%s", m.name, m.log.Bytes())
			}
		}
	})
	return f
}

func (f *field) bucket(prefix string) string {
	return "s3://files/" + prefix + "?" + url.Values{"endpoint": {f.objects.URL}}.Encode()
}

func (f *field) database() *url.URL {
	u, err := url.Parse(f.url)
	if err != nil {
		f.t.Fatal(err)
	}
	return u
}

// letters writes a number of five digits in letters.
func letters(n int) string {
	var b []byte
	for range 5 {
		b = append(b, "bcdfghklmn"[n%10], "aeiou"[n%5])
		n /= 10
	}
	return string(b)
}

// text returns some lines that have a word.
func (f *field) text(word string) string {
	var b strings.Builder
	at := f.random.IntN(12)
	for i := range 12 {
		for range 12 {
			b.WriteString(letters(f.random.IntN(3000))[:4] + " ")
		}
		if i == at {
			b.WriteString(word)
		}
		b.WriteString(".\n")
	}
	return b.String()
}

// fail says whether the bucket is to fail at times.
func (f *field) fail(at bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = at
}

// failing has a server of S3 refuse and drop some requests, and holds back those of a
// worker that is cut off.
func (f *field) failing(to http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		f.requests.Add(1)
		for _, m := range f.workers {
			if strings.Contains(r.Header.Get("Authorization"), "Credential="+m.name+"/") && !m.wire.pass(r.Context().Done()) {
				return
			}
		}
		f.mu.Lock()
		refuse, drop, before := f.faults && f.chance.Float64() < .05, f.faults && f.chance.Float64() < .01, f.chance.IntN(2) == 0
		f.mu.Unlock()
		switch {
		case refuse:
			_, _ = io.Copy(io.Discard, r.Body)
			rw.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(rw, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
		case drop:
			if !before { // it is done, and the answer lost
				to.ServeHTTP(httptest.NewRecorder(), r)
			}
			panic(http.ErrAbortHandler)
		default:
			to.ServeHTTP(rw, r)
		}
	})
}

// start starts a process of a worker.
func (f *field) start(m *mapper) {
	u := f.database()
	u.Host = m.wire.at
	m.cmd = f.command(m, u.String(), "worker")
	m.cmd.Stdout, m.cmd.Stderr = io.Discard, &m.log
	if err := m.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
}

// command returns a command of a machine of its own.
func (f *field) command(m *mapper, workspace string, args ...string) *exec.Cmd {
	c := exec.Command("citekit", args...)
	c.Dir = m.cache
	c.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID="+m.name, "XDG_CACHE_HOME="+m.cache, "XDG_CONFIG_HOME="+m.cache, "CITEKIT_WORKSPACE="+workspace)
	return c
}

// kill kills the process of a worker, if it has one.
func (f *field) kill(m *mapper) {
	if m.cmd == nil {
		return
	}
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	f.count(m.cmd)
	m.cmd = nil
}

// count adds what a process has used.
func (f *field) count(c *exec.Cmd) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// work has workers map all sources, and returns how long that takes from the first look
// for sources. It calls each with the number of maps from time to time, until there is
// nothing left to do and each returns true.
func (f *field) work(each func(mapped int) bool) time.Duration {
	for _, m := range f.workers {
		f.start(m)
	}
	// The workers make the tables.
	f.await(func() bool { return f.sql(`SELECT to_regclass('s.river_job') IS NOT NULL`) == "t" })
	began := time.Now()
	if out, err := f.command(&mapper{name: "test", cache: f.t.TempDir()}, f.url, "ingest", ".", "--queue").CombinedOutput(); err != nil {
		f.t.Fatalf("%v: %s", err, out)
	}
	found := time.Since(began)
	var mapped time.Duration
	f.await(func() bool {
		n, err := strconv.Atoi(f.sql(`SELECT count(*) FROM s.maps`))
		if err != nil {
			f.t.Fatal(err)
		}
		over := each(n)
		if mapped == 0 && n == len(f.texts) {
			mapped = time.Since(began)
		}
		return over && f.sql(`SELECT count(*) FROM s.river_job WHERE finalized_at IS NULL AND kind IN ('ingest', 'index')`) == "0"
	})
	took := time.Since(began)
	f.t.Logf("found and queued after %v, mapped after %v", found.Round(time.Millisecond), mapped.Round(time.Millisecond))
	for _, m := range f.workers {
		f.kill(m)
	}
	return took
}

// await asks until something holds, as long as the number of maps grows each three minutes.
func (f *field) await(is func() bool) {
	f.t.Helper()
	pause := time.Duration(min(200, max(20, len(f.texts)/10))) * time.Millisecond // each look takes time from the workers
	last, since, looked := "", time.Now(), time.Now()
	for ; !is(); time.Sleep(pause) {
		if time.Since(looked) < 5*time.Second {
			continue
		}
		looked = time.Now()
		now := "none"
		if f.sql(`SELECT to_regclass('s.maps') IS NOT NULL`) == "t" {
			now = f.sql(`SELECT count(*), (SELECT last_value FROM s.versions) FROM s.maps`)
		}
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > 3*time.Minute {
			f.t.Fatalf("nothing has changed for three minutes; maps are: %s; jobs: %s", now,
				f.sql(`SELECT kind, state, attempt, count(*), min(errors[array_upper(errors, 1)]->>'error') FROM s.river_job GROUP BY 1, 2, 3`))
		}
	}
}

func (f *field) sql(text string) string {
	f.t.Helper()
	return f.server.Exec(f.t, strings.TrimPrefix(f.database().Path, "/"), text)
}

// disturb does what is to be done when so many sources are mapped. It reports whether
// all is done.
func (f *field) disturb(mapped int) bool {
	if f.events == nil {
		f.plan()
	}
	for len(f.events) > 0 && float64(mapped) >= f.events[0].at*float64(len(f.texts)) {
		e := f.events[0]
		f.events = f.events[1:]
		f.t.Logf("%d mapped: %s", mapped, e.name)
		e.do()
	}
	if f.cut != nil && time.Now().After(f.until) {
		f.t.Logf("%d mapped: %s is back", mapped, f.cut.name)
		f.cut.wire.mend()
		f.cut = nil
	}
	return len(f.events) == 0 && f.cut == nil
}

// plan makes the events.
func (f *field) plan() {
	f.events = []event{
		{.25, "the database is stopped", func() { f.server.Stop(); f.server.Restart(f.t) }},
		{.6, "the database is killed", func() { f.server.Kill(); f.server.Restart(f.t) }},
	}
	off := f.workers[f.random.IntN(mappers)]
	f.events = append(f.events, event{.1 + .4*f.random.Float64(), off.name + " is cut off", func() {
		f.cut, f.until = off, time.Now().Add(time.Second)
		if sharedtest.Long() {
			f.until = time.Now().Add(30 * time.Second)
		}
		off.wire.cut()
	}})
	for range min(20, max(2, len(f.texts)/1000)) {
		m := f.workers[f.random.IntN(mappers)]
		f.events = append(f.events, event{.95 * f.random.Float64(), m.name + " is killed", func() {
			f.kill(m)
			f.start(m)
		}})
	}
	slices.SortStableFunc(f.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
}

// check compares what is there with what must be.
func (f *field) check() {
	t, ctx := f.t, f.t.Context()
	if left := f.sql(`SELECT id, state, errors FROM s.river_job WHERE state <> 'completed'`); left != "" {
		t.Errorf("jobs are left: %s", left)
	}
	ws, err := cloud.Open(ctx, withCache(f.url), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	lib := citekit.New(ws, modality.All(), nil)
	ids, err := ws.ListMaps(ctx, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	of := make(map[string]string) // the maps of the sources
	for _, id := range ids {
		m, err := lib.Map(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := f.texts[m.SourcePath]
		sum := sha256.Sum256([]byte(text))
		if other := of[m.SourcePath]; !ok || other != "" || m.SourceHash() != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is of %q with the hash %s, and so is %q; want one map of each source", id, m.SourcePath, m.SourceHash(), other)
		}
		of[m.SourcePath] = id
	}
	if len(of) != len(f.texts) {
		t.Errorf("%d sources have maps; want %d", len(of), len(f.texts))
	}
	if notes := f.sql(`SELECT count(*) FROM s.notes WHERE kind = 'ingest'`); notes != strconv.Itoa(len(f.texts)) {
		t.Errorf("%s sources are noted; want %d", notes, len(f.texts))
	}
	f.checkIndex(lib, of)
	f.checkObjects()
}

// mostWords is how many words are searched at most: more would take longer than the work.
const mostWords = 5000

// checkIndex counts what the index has, and searches sources by the word that each has
// alone.
func (f *field) checkIndex(lib *citekit.Library, of map[string]string) {
	t := f.t
	s := search.New(lib, nil)
	defer s.Close()
	stats, err := s.Stats(t.Context())
	left, leftErr := s.Unindexed(t.Context())
	if err != nil || leftErr != nil || stats.Resources != len(f.texts) || len(left) > 0 {
		t.Errorf("the index has %+v, %v, and lacks %d, %v; want all %d resources", stats, err, len(left), leftErr, len(f.texts))
	}
	t.Setenv("CITEKIT_WORKSPACE", f.url)
	at := serve(t)
	wrong, looked := 0, 0
	for key, word := range f.words { // each run another mostWords of them
		if looked++; looked > mostWords {
			break
		}
		var found struct {
			Results []struct{ DocumentID string }
			Total   int
		}
		if err := json.Unmarshal([]byte(post(t, at+"/v1/search", `{"q": "\"`+word+`\""}`)), &found); err != nil {
			t.Fatal(err)
		}
		if len(found.Results) != 1 || found.Total != 1 || found.Results[0].DocumentID != of[key] {
			if wrong++; wrong < 10 {
				t.Errorf("%d places have the word of %s: %+v; want %s", found.Total, key, found.Results, of[key])
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d words are not found once", wrong, min(looked, mostWords))
	}
}

// checkObjects looks for objects that neither evidence nor a list of garbage knows.
func (f *field) checkObjects() {
	bucket, err := s3.Open(f.bucket("out"), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	defer bucket.Close()
	known := make(map[string]bool)
	for _, key := range strings.Fields(f.sql(`SELECT content FROM s.evidence WHERE content IS NOT NULL UNION SELECT key FROM s.garbage`)) {
		known[key] = true
	}
	objects := 0
	for opts, more := (driver.ListOptions{Limit: 1000}), true; more; {
		page, err := bucket.List(f.t.Context(), opts)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, o := range page.Objects {
			if opts.After = o.Key; !known[o.Key] && !strings.HasPrefix(o.Key, "workspace-") { // the mark of the bucket
				f.t.Errorf("nothing knows the object %s of %d bytes", o.Key, o.Size)
			}
			objects++
		}
		more = page.More
	}
	f.t.Logf("%d objects; %s are garbage", objects, f.sql(`SELECT count(*) FROM s.garbage`))
}

// plain returns how long the plain command takes for the sources in directories.
func (f *field) plain() time.Duration {
	dirs := make([]string, mappers)
	for i := range dirs {
		dirs[i] = f.t.TempDir()
	}
	i := 0
	for key, text := range f.texts {
		name := filepath.Join(dirs[i%mappers], key)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			f.t.Fatal(err)
		}
		i++
	}
	began := time.Now()
	var running sync.WaitGroup
	for _, dir := range dirs {
		running.Go(func() {
			c := exec.CommandContext(f.t.Context(), "citekit", "ingest", ".")
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil {
				f.t.Errorf("%v: %s", err, out)
			}
			f.count(c)
		})
	}
	running.Wait()
	return time.Since(began)
}

// A wire leads connections to a server. While it is cut, nothing passes, and neither end
// hears of it.
type wire struct {
	at, to string
	mu     sync.Mutex
	whole  chan struct{} // closed while it is not cut
}

func newWire(t *testing.T, to string) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{at: l.Addr().String(), to: to, whole: make(chan struct{})}
	close(w.whole)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(ctx, client)
		}
	}()
	return w
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole = make(chan struct{})
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.whole:
	default:
		close(w.whole)
	}
}

// pass waits while the wire is cut. It returns false if done is closed before.
func (w *wire) pass(done <-chan struct{}) bool {
	w.mu.Lock()
	whole := w.whole
	w.mu.Unlock()
	select {
	case <-whole:
		return true
	case <-done:
		return false
	}
}

// carry carries what two ends say.
func (w *wire) carry(ctx context.Context, client net.Conn) {
	defer client.Close()
	if !w.pass(ctx.Done()) {
		return
	}
	server, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer server.Close()
	one := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		data := make([]byte, 64<<10)
		for {
			n, err := from.Read(data)
			if !w.pass(ctx.Done()) || err != nil {
				return
			}
			if _, err := to.Write(data[:n]); err != nil {
				return
			}
		}
	}
	go one(server, client)
	one(client, server)
}
