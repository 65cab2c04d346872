//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A crowd is replicas of the server behind a proxy, with sources that change.
type crowd struct {
	t   *testing.T
	dir string // of settings

	mu       sync.Mutex
	replicas []*replica
	turn     int

	at     string // the proxy
	client *http.Client

	sources []*source
	made    sync.Map // names of evidence that was resolved
	failed  atomic.Int64
	calls   atomic.Int64

	latency struct {
		sync.Mutex
		cached, calm []time.Duration // calm: while no replica started, ended or was held up
	}
	changing atomic.Int64 // odd while one does
}

// A replica is a process that serves.
type replica struct {
	cmd   *exec.Cmd
	to    *httputil.ReverseProxy
	at    string
	ready atomic.Bool
	stop  chan struct{} // ends the look at its probe
	log   bytes.Buffer
	ended chan struct{} // closed once the log is whole
}

// A source is a file of lines that tell its version.
type source struct {
	name       string
	put, known atomic.Int64 // versions: in the bucket, and mapped
}

const (
	sourceLines   = 400
	stableSources = 6 // of which no version but the first comes
)

func (s *source) line(n int, version int64) string {
	return fmt.Sprintf("Gauge %d of %s showed the level v%d.", n, s.name, version)
}

func (s *source) write(t *testing.T, version int64) {
	t.Helper()
	var text strings.Builder
	for n := range sourceLines {
		text.WriteString(s.line(n+1, version) + "\n")
	}
	// Its size differs, so that the change is seen whatever the clock of the store shows.
	text.WriteString(strings.Repeat("=", int(version)) + "\n")
	if err := os.WriteFile(s.name+".txt", []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// start starts a replica.
func (c *crowd) start() *replica {
	c.t.Helper()
	r := &replica{cmd: exec.Command("citekit", "serve", "--config", filepath.Join(c.dir, "citekit.yaml")), stop: make(chan struct{}), ended: make(chan struct{})}
	r.cmd.Env = append(os.Environ(), syncVariable+"=", "CITEKIT_WORKSPACE=")
	pipe, err := r.cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	for r.at == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			c.t.Fatalf("a replica does not start: %v: %s%s", err, r.log.String(), line)
		}
		r.log.WriteString(line)
		if _, at, ok := strings.Cut(line, "serving MCP at "); ok {
			r.at = strings.TrimSuffix(strings.TrimSpace(at), "/mcp")
		}
	}
	go func() {
		defer close(r.ended)
		_, _ = io.Copy(&r.log, lines)
	}()
	to, err := url.Parse(r.at)
	if err != nil {
		c.t.Fatal(err)
	}
	r.to = &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(to)
			p.Out.Host = p.In.Host // links lead back to the proxy
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}
	go r.probe()
	c.mu.Lock()
	c.replicas = append(c.replicas, r)
	c.mu.Unlock()
	return r
}

// probe follows the probe of a replica, as a proxy does.
func (r *replica) probe() {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for {
		answer, err := client.Get(r.at + "/readyz")
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		r.ready.Store(err == nil && answer.StatusCode == http.StatusOK)
		select {
		case <-r.stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// until waits until something holds.
func (c *crowd) until(what string, is func() bool) {
	c.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("not so after three minutes: %s", what)
		}
	}
}

// end terminates a replica, which must end in order.
func (c *crowd) end(r *replica) {
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Error(err)
	}
	<-r.ended
	if err := r.cmd.Wait(); err != nil {
		c.t.Errorf("a replica ended with %v: %s", err, r.log.String())
	}
	close(r.stop)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas = slices.DeleteFunc(c.replicas, func(one *replica) bool { return one == r })
}

// next returns the replica whose turn it is among those that are ready. It never tries
// another for a request that failed.
func (c *crowd) next() *replica {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range c.replicas {
		c.turn++
		if r := c.replicas[c.turn%len(c.replicas)]; r.ready.Load() {
			return r
		}
	}
	return nil
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var to *replica
	for to = c.next(); to == nil && r.Context().Err() == nil; to = c.next() {
		time.Sleep(10 * time.Millisecond)
	}
	if to != nil {
		// Else the body of a request is closed while the proxy still looks for its end, and
		// the answer that has begun is cut.
		_ = http.NewResponseController(w).EnableFullDuplex()
		to.to.ServeHTTP(w, r)
	}
}

// ask makes a request by way of the proxy, and returns the status and the answer.
func (c *crowd) ask(method, path, body string, header ...string) (int, string) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.at+path, strings.NewReader(body))
	if err != nil {
		c.fail("%v", err)
		return 0, ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(data)
}

// tool calls a tool over MCP without a session.
func (c *crowd) tool(name string, arguments map[string]any) (int, string) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": name, "arguments": arguments, "_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]string{"name": "t", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	if err != nil {
		c.fail("%v", err)
	}
	return c.ask("POST", "/mcp", string(body), "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
}

func (c *crowd) fail(format string, args ...any) {
	if c.failed.Add(1) <= 10 {
		c.t.Errorf(format, args...)
	}
}

// checkOK checks an answer that must have a text.
func (c *crowd) checkOK(what string, status int, answer, has string) bool {
	if status != http.StatusOK || !strings.Contains(answer, has) || strings.Contains(answer, `"isError":true`) {
		c.fail("%s: %d %.400s; want %q", what, status, answer, has)
		return false
	}
	return true
}

// checkVersion checks an answer that must have a line of a source as it was at some time
// of the call. Only a source that changed meanwhile may be stale.
func (c *crowd) checkVersion(what string, s *source, n int, known int64, status int, answer string) {
	put := s.put.Load()
	for version := known; version <= put; version++ {
		if strings.Contains(answer, s.line(n, version)) {
			return
		}
	}
	if put > known && (status == http.StatusConflict || strings.Contains(answer, "STALE")) {
		return
	}
	c.fail("%s of line %d of %s, of which version %d was mapped and %d put: %d %s", what, n, s.name, known, put, status, answer)
}

// follow notes the name of evidence that was resolved, and follows its link.
func (c *crowd) follow(answer, has string) {
	_, link, _ := strings.Cut(answer, `"type":"resource_link"`)
	_, name, _ := strings.Cut(link, `"name":"`)
	name, _, _ = strings.Cut(name, `"`)
	c.made.Store(name, true)
	_, path, _ := strings.Cut(link, c.at)
	path, _, ok := strings.Cut(path, `"`)
	if !ok {
		c.fail("there is no link in %s", answer)
		return
	}
	status, content := c.ask("GET", path, "")
	c.checkOK("a link", status, content, has)
}

// call makes one call of some kind. fresh is a number that only a few calls have.
func (c *crowd) call(random *rand.Rand, fresh int) {
	stable := c.sources[random.IntN(stableSources)]
	some := c.sources[random.IntN(len(c.sources))]
	n := 1 + random.IntN(20)
	known := some.known.Load()
	address := func(s *source, first, last int) string {
		return fmt.Sprintf("text://%s#lines=%d-%d", s.name, first, last)
	}
	switch random.IntN(8) {
	case 0: // evidence that others ask for at the same time, for the first time
		first := 1 + fresh%(sourceLines/2)
		last := first + 1 + fresh/(sourceLines/2)%(sourceLines/2)
		status, answer := c.tool("resolve", map[string]any{"address": address(stable, first, last)})
		if c.checkOK("resolve", status, answer, "output_path") {
			c.follow(answer, stable.line(first, 1))
		}
	case 1, 2: // evidence that was made before
		changing, begun := c.changing.Load(), time.Now()
		status, answer := c.ask("GET", "/v1/evidence/"+url.PathEscape(address(stable, n, n+1)), "")
		took := time.Since(begun)
		if c.checkOK("evidence", status, answer, stable.line(n, 1)) {
			c.latency.Lock()
			c.latency.cached = append(c.latency.cached, took)
			if changing%2 == 0 && c.changing.Load() == changing {
				c.latency.calm = append(c.latency.calm, took)
			}
			c.latency.Unlock()
		}
	case 3:
		status, answer := c.ask("POST", "/v1/search", fmt.Sprintf(`{"q": "gauge %d %s", "topK": 5}`, n, stable.name))
		c.checkOK("search", status, answer, stable.name)
	case 4:
		status, answer := c.tool("getContents", map[string]any{"ids": []string{address(some, n, n)}})
		c.checkVersion("getContents", some, n, known, status, answer)
	case 5:
		quote, err := json.Marshal(map[string]string{"quote": stable.line(n, 1), "address": address(stable, n, n)})
		if err != nil {
			c.fail("%v", err)
		}
		status, answer := c.ask("POST", "/v1/verify", string(quote))
		c.checkOK("verify", status, answer, `"holds":true`)
	case 6:
		status, answer := c.tool("getStructure", map[string]any{"resource_id": some.name})
		c.checkOK("getStructure", status, answer, some.name)
	case 7:
		status, answer := c.ask("GET", "/v1/evidence/"+url.PathEscape(address(some, n, n)), "")
		c.checkVersion("evidence", some, n, known, status, answer)
	}
	c.calls.Add(1)
}

// change makes a new version of one of the sources that change.
func (c *crowd) change(i int) error {
	s := c.sources[stableSources+i%(len(c.sources)-stableSources)]
	version := s.put.Add(1) // from here on it may be seen
	s.write(c.t, version)
	out, err := exec.Command("citekit", "ingest", ".").CombinedOutput() // which puts it first
	if err != nil {
		return fmt.Errorf("ingest: %w: %s", err, out)
	}
	s.known.Store(version)
	return nil
}

// TestReplicas has callers of replicas, behind a proxy that follows their probes, while
// each is restarted, one is paused and sources change.
func TestReplicas(t *testing.T) {
	count, callers, total, restarts, idle := 2, 4, int64(200), 2, time.Duration(0)
	if sharedtest.Long() { // ten minutes on two processors, half of their time
		count, callers, total, restarts, idle = 4, 8, 24_000, 24, 300*time.Millisecond
	}
	seed := sharedtest.Seed(t)
	server := pgtest.Start(t)
	p := newPlaceIn(t, server)
	named, sources := p.workspace()
	c := &crowd{t: t, dir: t.TempDir(), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", c.dir)
	t.Setenv("CITEKIT_WORKSPACE", named)
	t.Setenv(syncVariable, sources)
	t.Chdir(t.TempDir())
	for i := range stableSources + 2 {
		s := &source{name: fmt.Sprintf("station%c", 'a'+i)}
		s.put.Store(1)
		s.known.Store(1)
		s.write(t, 1)
		c.sources = append(c.sources, s)
	}
	if out, err := exec.Command("citekit", "ingest", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	settings := fmt.Sprintf(`transport: http
port: 0
stateless: true
drain: 3s
limits: {rate: -1, calls: 64, calls_per_caller: 64, heavy_calls: 16, heavy_per_caller: 16, queue_per_caller: 500, wait: 2m}
workspaces: {main: {url: %q}}
`, named)
	if err := os.WriteFile(filepath.Join(c.dir, "citekit.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	database := named[strings.LastIndexByte(named, '/')+1 : strings.IndexByte(named, '?')]
	database = database[strings.LastIndexByte(database, '/')+1:]
	// Each time that evidence is stored leaves a row.
	server.Exec(t, database, `CREATE TABLE s1.stored (name text);
		CREATE FUNCTION s1.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO s1.stored VALUES (NEW.name); RETURN NULL; END';
		CREATE TRIGGER note AFTER INSERT OR UPDATE OF meta ON s1.evidence FOR EACH ROW EXECUTE FUNCTION s1.note()`)

	for range count {
		c.start()
	}
	t.Cleanup(func() {
		for _, r := range slices.Clone(c.replicas) {
			c.end(r)
		}
	})
	proxy := httptest.NewServer(c)
	t.Cleanup(proxy.Close)
	c.at = proxy.URL
	for _, s := range c.sources[:stableSources] { // what is made before
		for n := 1; n <= 20; n++ {
			status, answer := c.ask("GET", "/v1/evidence/"+url.PathEscape(fmt.Sprintf("text://%s#lines=%d-%d", s.name, n, n+1)), "")
			if !c.checkOK("evidence", status, answer, s.line(n, 1)) {
				t.FailNow()
			}
		}
	}

	rolled := make(chan struct{})
	isRolled := func() bool {
		select {
		case <-rolled:
			return true
		default:
			return false
		}
	}
	var all sync.WaitGroup
	var begun atomic.Int64
	for i := range callers {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			for !isRolled() || c.calls.Load() < total && c.failed.Load() == 0 {
				c.call(random, int(begun.Add(1))/16)
				time.Sleep(time.Duration(random.Float64() * float64(idle)))
			}
		})
	}
	all.Go(func() {
		for i := 0; !isRolled(); i++ {
			if err := c.change(i); err != nil {
				c.fail("%v", err)
				return
			}
			at := c.calls.Load()
			c.until("calls go on", func() bool { return c.calls.Load() > at+20 || c.failed.Load() > 0 || isRolled() })
		}
	})
	for i := range restarts { // the oldest makes room for a new one
		c.changing.Add(1)
		fresh := c.start()
		c.until("the new replica is ready", fresh.ready.Load)
		c.mu.Lock()
		oldest, other := c.replicas[0], c.replicas[1]
		c.mu.Unlock()
		c.end(oldest)
		if i%4 == 1 {
			pause(other)
		}
		c.changing.Add(1)
		at := c.calls.Load()
		c.until("calls go on", func() bool { return c.calls.Load() >= at+total/int64(restarts)/2 || c.failed.Load() > 0 })
	}
	close(rolled)
	all.Wait()

	var evidence, twice []string
	c.made.Range(func(name, _ any) bool {
		evidence = append(evidence, name.(string))
		return true
	})
	stored := make(map[string]int)
	for _, name := range strings.Fields(server.Exec(t, database, `SELECT name FROM s1.stored`)) {
		stored[name]++
	}
	for _, name := range evidence {
		if stored[name] != 1 {
			twice = append(twice, fmt.Sprintf("%s %d times", name, stored[name]))
		}
	}
	if len(evidence) == 0 || len(twice) > 0 {
		t.Errorf("of %d pieces of evidence some were not stored once: %q", len(evidence), twice)
	}
	cached, calm := c.latency.cached, c.latency.calm
	slices.Sort(cached)
	slices.Sort(calm)
	if len(calm) == 0 {
		t.Fatal("nothing was resolved from the cache")
	}
	t.Logf("%d calls, %d failed, of %d replicas with %d restarts; %d pieces of evidence, each made once: %v; resolve from cache: p50 %v, p99 %v of %d, and %v, %v of %d while no replica changed; sources changed to versions %d and %d",
		c.calls.Load(), c.failed.Load(), count, restarts, len(evidence), len(twice) == 0, cached[len(cached)/2], cached[len(cached)*99/100], len(cached), calm[len(calm)/2], calm[len(calm)*99/100], len(calm),
		c.sources[stableSources].known.Load(), c.sources[stableSources+1].known.Load())
}

// pause holds up a replica for some seconds, in the midst of its calls.
func pause(r *replica) {
	_ = r.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(3 * time.Second)
	_ = r.cmd.Process.Signal(syscall.SIGCONT)
}

// While a store does not answer, a replica says so, refuses calls at once, and none of
// them stays; it recovers by itself.
func TestLostStore(t *testing.T) {
	sharedtest.NotShort(t)
	p := newPlace(t)
	at, rest, _ := strings.Cut(strings.TrimPrefix(p.database, "pg://citekit@"), "/")
	database := newWire(t, at)
	var refuses atomic.Bool
	forward, err := url.Parse(p.objects)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(forward)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuses.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	p.database, p.objects = "pg://citekit@"+database.at+"/"+rest, front.URL
	named, sources := p.workspace()
	c := &crowd{t: t, dir: t.TempDir(), client: http.DefaultClient}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", c.dir)
	t.Setenv("CITEKIT_WORKSPACE", named)
	t.Setenv(syncVariable, sources)
	t.Chdir(t.TempDir())
	s := &source{name: "station"}
	s.write(t, 1)
	if out, err := exec.Command("citekit", "ingest", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	settings := fmt.Sprintf("transport: http\nport: 0\nstateless: true\nlimits: {rate: -1}\nworkspaces: {main: {url: %q}}\n", named)
	if err := os.WriteFile(filepath.Join(c.dir, "citekit.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	r := c.start()
	t.Cleanup(func() { c.end(r) })
	c.at = r.at
	evidence := func() (int, http.Header) {
		answer, err := http.Get(r.at + "/v1/evidence/" + url.PathEscape("text://station#lines=3-3"))
		if err != nil {
			t.Error(err)
			return 0, nil
		}
		defer answer.Body.Close()
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.StatusCode, answer.Header
	}
	for _, store := range []struct {
		name string
		lose func(lost bool)
	}{{"the database", func(lost bool) {
		if lost {
			database.cut()
		} else {
			database.mend()
		}
	}}, {"the bucket", refuses.Store}} {
		name := store.name
		c.until("the replica is ready", r.ready.Load)
		if status, _ := evidence(); status != http.StatusOK {
			t.Fatalf("evidence while all is well: %d", status)
		}
		store.lose(true)
		c.until(name+" is missed", func() bool {
			status, answer := c.ask("GET", "/readyz", "")
			return status == http.StatusServiceUnavailable && strings.Contains(answer, `"workspaces"`)
		})
		begun := time.Now()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if status, header := evidence(); status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
					t.Errorf("evidence without %s: %d, Retry-After %q; want 503", name, status, header.Get("Retry-After"))
				}
			})
		}
		all.Wait()
		t.Logf("without %s, 100 calls were refused within %v", name, time.Since(begun))
		if status, answer := c.tool("listResources", map[string]any{}); status != http.StatusServiceUnavailable {
			t.Errorf("MCP without %s: %d %s; want 503", name, status, answer)
		}
		store.lose(false)
	}
	c.until("the replica is ready again", r.ready.Load)
	if status, _ := evidence(); status != http.StatusOK {
		t.Fatalf("evidence once all is well again: %d", status)
	}
}
