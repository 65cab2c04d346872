package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestLoad has 200 sessions of twenty keys keep 64 calls of all kinds in flight
// at a server in another process, for ten minutes or what CITEKIT_LOAD says.
func TestLoad(t *testing.T) {
	if !sharedtest.Long() && os.Getenv("CITEKIT_LOAD") == "" {
		t.Skip("loads the machine and measures times: only with CITEKIT_LONG=1 or CITEKIT_LOAD=1m, with nothing beside it")
	}
	length := 10 * time.Minute
	if text := os.Getenv("CITEKIT_LOAD"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	l := startLoad(t)
	before := l.warm()
	l.open(200)
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var workers sync.WaitGroup
	for i := range 64 {
		workers.Go(func() { l.work(ctx, rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	watched := l.watch(ctx)
	workers.Wait()
	<-ctx.Done()
	l.report(length)
	l.flat(<-watched)
	l.close()
	l.nothingLeft(before)
}

// A load is what a client in its own process asks of a server in another.
type load struct {
	t        testing.TB
	address  string
	sessions []client

	mu       sync.Mutex
	took     map[string][]time.Duration // by what was called
	answered map[string]int             // by outcome
	failures []string
}

// loadFiles writes what the two workspaces of the load are about.
func loadFiles(t testing.TB, dir, word string) {
	t.Helper()
	var text bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&text, "# Part %d\n\nWhat %s%d says of the harvest, of kettles and chalk, is in line %d. The water is %d degrees warm.\n\n", i+1, word, i, i, i%90)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 1600, 1200))); err != nil {
		t.Fatal(err)
	}
	video := mp4test.Video(750, 25, 64, 64)
	for name, data := range map[string][]byte{
		"notes.md": text.Bytes(), "manual.pdf": pdftest.Manual(300), "chart.png": picture.Bytes(), "clip.mp4": video,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if program, err := exec.LookPath("ffmpeg"); err == nil { // a child process cuts files that are not MP4
		if out, err := exec.Command(program, "-v", "error", "-i", filepath.Join(dir, "clip.mp4"), "-c:v", "mpeg4", "-g", "5", filepath.Join(dir, "movie.mkv")).CombinedOutput(); err != nil {
			t.Fatalf("ffmpeg: %v: %s", err, out)
		}
	}
}

// startLoad starts the server, and returns once it listens.
func startLoad(t testing.TB) *load {
	t.Helper()
	red, blue := t.TempDir(), t.TempDir()
	loadFiles(t, red, "scarlet")
	loadFiles(t, blue, "cobalt")
	process := exec.Command(os.Args[0], "-test.run=^TestLoadServer$", "-test.timeout=0")
	process.Env = append(os.Environ(), "CITEKIT_LOAD_SERVER="+red+string(filepath.ListSeparator)+blue)
	process.Stderr = os.Stderr
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close() // which ends it
		if err := process.Wait(); err != nil {
			t.Errorf("the server: %v", err)
		}
	})
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server did not start: %v", err)
		}
		if address, ok := strings.CutPrefix(line, "listening "); ok {
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return &load{t: t, address: strings.TrimSpace(address), took: make(map[string][]time.Duration), answered: make(map[string]int)}
		}
	}
}

// warm calls all that there is once, in each workspace, so that what the server opens
// once and keeps is open, and returns what it then holds.
func (l *load) warm() sample {
	l.open(2)
	r := rand.New(rand.NewPCG(1, 1))
	for _, session := range l.sessions {
		for _, c := range loadCalls() {
			// Files that are opened once and kept must be open before the
			// server is measured, so a call that ran out of time is made again.
			for end := time.Now().Add(patience); ; {
				status, _, body, err := session.exchange(l.t.Context(), c.body(r))
				l.note(c, status, body, err, 0)
				if !ranOut(body) || time.Now().After(end) {
					break
				}
			}
		}
	}
	l.close()
	l.sessions = nil
	clear(l.took)
	clear(l.answered)
	s := l.stats()
	for end := time.Now().Add(patience); time.Now().Before(end) && s.Children > 0; time.Sleep(10 * time.Millisecond) {
		s = l.stats()
	}
	return s
}

// ranOut reports whether an answer is that of a call that ran out of time.
func ranOut(body string) bool {
	body = strings.ReplaceAll(body, `\"`, `"`)
	return strings.Contains(body, `"TIMEOUT"`) || strings.Contains(body, `"complete":false`)
}

const loadKeys = 20 // tokens; the even ones are for red

// open begins sessions.
func (l *load) open(n int) {
	r := &runningServer{t: l.t, address: l.address}
	transport := &http.Transport{MaxIdleConnsPerHost: n, MaxIdleConns: n}
	l.t.Cleanup(transport.CloseIdleConnections)
	for i := range n {
		c := r.as(fmt.Sprintf("load-%d", i%loadKeys))
		c.http = &http.Client{Transport: transport}
		l.sessions = append(l.sessions, c.session())
	}
}

// A loadCall is something that clients ask.
type loadCall struct {
	name   string
	lookup bool
	weight int
	body   func(r *rand.Rand) string
}

// loadCalls are of all kinds.
func loadCalls() []loadCall {
	tool := func(name string, lookup bool, weight int, arguments func(r *rand.Rand) map[string]any) loadCall {
		return loadCall{name, lookup, weight, func(r *rand.Rand) string { return toolCall(name, arguments(r)) }}
	}
	part := func(r *rand.Rand) string { return fmt.Sprintf("notes.part-%d", 1+r.IntN(2000)) }
	pages := func(r *rand.Rand) string {
		first := 1 + r.IntN(290)
		return fmt.Sprintf("doc://manual#pages=%d-%d", first, first+r.IntN(4))
	}
	calls := []loadCall{
		tool("listResources", true, 10, func(*rand.Rand) map[string]any { return map[string]any{} }),
		tool("getNode", true, 25, func(r *rand.Rand) map[string]any {
			return map[string]any{"resource_id": "notes", "node_id": strings.TrimPrefix(part(r), "notes.")}
		}),
		tool("getStructure", true, 10, func(*rand.Rand) map[string]any { return map[string]any{"resource_id": "manual", "depth": 1} }),
		tool("info", false, 5, func(*rand.Rand) map[string]any { return map[string]any{} }),
		{"ping", true, 5, func(*rand.Rand) string { return message("ping", nil) }},
		{"tools/list", true, 5, func(*rand.Rand) string { return message("tools/list", nil) }},
		tool("search", false, 10, func(r *rand.Rand) map[string]any {
			return map[string]any{"query": fmt.Sprintf("harvest kettles %d degrees", r.IntN(90))}
		}),
		tool("findSimilar", false, 2, func(r *rand.Rand) map[string]any { return map[string]any{"id": part(r)} }),
		tool("getContents", false, 8, func(r *rand.Rand) map[string]any { return map[string]any{"ids": []string{part(r), pages(r)}} }),
		tool("getContext", false, 2, func(r *rand.Rand) map[string]any { return map[string]any{"task": "how warm is the water of kettles?"} }),
		tool("answer", false, 2, func(r *rand.Rand) map[string]any {
			return map[string]any{"question": fmt.Sprintf("How warm is the water of line %d?", r.IntN(2000))}
		}),
		tool("verify", false, 2, func(r *rand.Rand) map[string]any {
			return map[string]any{"quote": "of kettles and chalk", "address": "text://notes#lines=1-40"}
		}),
		tool("resolve", false, 8, func(r *rand.Rand) map[string]any { return map[string]any{"address": pages(r)} }),
		tool("resolve", false, 4, func(r *rand.Rand) map[string]any {
			return map[string]any{"address": fmt.Sprintf("image://chart#bbox=0.%d,0.1,0.9,0.%d", 1+r.IntN(4), 5+r.IntN(4))}
		}),
		tool("resolve", false, 4, func(r *rand.Rand) map[string]any {
			start := r.IntN(25)
			return map[string]any{"address": fmt.Sprintf("video://clip#t=%d-%d", start, start+2)}
		}),
		{"resources/read", false, 4, func(r *rand.Rand) string {
			return message("resources/read", map[string]any{"uri": fmt.Sprintf("text://notes#lines=%d-%d", 1+r.IntN(100), 101+r.IntN(100))})
		}},
		{"prompts/get", true, 2, func(r *rand.Rand) string {
			return message("prompts/get", map[string]any{"name": "cite_answer", "arguments": map[string]string{"question": "How warm is it?"}})
		}},
	}
	if _, err := exec.LookPath("ffmpeg"); err == nil {
		calls = append(calls, tool("resolve", false, 2, func(r *rand.Rand) map[string]any {
			start := r.IntN(25)
			return map[string]any{"address": fmt.Sprintf("video://movie#t=%d-%d", start, start+1)}
		}))
	}
	return calls
}

// work makes calls until ctx ends.
func (l *load) work(ctx context.Context, r *rand.Rand) {
	var all []loadCall
	for _, c := range loadCalls() {
		all = append(all, slices.Repeat([]loadCall{c}, c.weight)...)
	}
	for ctx.Err() == nil {
		c := all[r.IntN(len(all))]
		session := l.sessions[r.IntN(len(l.sessions))]
		body := c.body(r)
		if r.IntN(100) == 0 { // one in a hundred gives up
			l.abandon(ctx, session, body, time.Duration(r.IntN(20))*time.Millisecond)
			continue
		}
		begun := time.Now()
		status, header, body, err := session.exchange(ctx, body)
		if ctx.Err() != nil {
			return
		}
		l.note(c, status, body, err, time.Since(begun))
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			if header.Get("Retry-After") == "" {
				l.fail("%s: %d without Retry-After", c.name, status)
			}
			time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
		}
	}
}

// exchange sends a message and reads the answer.
func (c client) exchange(ctx context.Context, body string) (int, http.Header, string, error) {
	answer, err := c.do(ctx, "POST", "/mcp", body)
	if err != nil {
		return 0, nil, "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(data), err
}

func (l *load) abandon(ctx context.Context, c client, body string, after time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, after)
	defer cancel()
	_, _, _, _ = c.exchange(ctx, body)
}

// note keeps how a call ended. Nothing but a limit may refuse it.
func (l *load) note(c loadCall, status int, body string, err error, took time.Duration) {
	outcome := fmt.Sprint(status)
	switch {
	case err != nil:
		l.fail("%s: %v", c.name, err)
		return
	case status == http.StatusOK:
		r := parse(l.t, body)
		var result struct{ IsError bool }
		_ = json.Unmarshal(r.Result, &result)
		switch {
		case strings.Contains(body, "Code: TIMEOUT"):
			outcome = "TIMEOUT"
		case r.Error != nil || result.IsError || r.Result == nil:
			l.fail("%s: %.400s", c.name, body)
			return
		}
	case status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable:
		l.fail("%s: %d %.200s", c.name, status, body)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered[outcome]++
	if outcome == "200" {
		name := "heavy"
		if c.lookup {
			name = "lookup"
		}
		l.took[name] = append(l.took[name], took)
		l.took[c.name] = append(l.took[c.name], took)
	}
}

func (l *load) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failures) < 20 {
		l.failures = append(l.failures, fmt.Sprintf(format, args...))
	}
}

// report tells what was measured, and fails the test for what no limit explains.
func (l *load) report(length time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, failure := range l.failures {
		l.t.Error(failure)
	}
	total := 0
	for _, n := range l.answered {
		total += n
	}
	l.t.Logf("%d calls in %v: %v", total, length, l.answered)
	for _, name := range slices.Sorted(maps.Keys(l.took)) {
		took := l.took[name]
		slices.Sort(took)
		l.t.Logf("%-15s %6d  p50 %8.2f  p95 %8.2f  p99 %8.2f ms", name, len(took), quantile(took, .5), quantile(took, .95), quantile(took, .99))
	}
	if len(l.took["lookup"]) < 100 || len(l.took["heavy"]) < 20 {
		l.t.Error("the test calls too little")
	}
	if p99 := quantile(l.took["lookup"], .99); length >= 10*time.Minute && p99 > 50 {
		l.t.Errorf("lookups: p99 %.1f ms, more than 50", p99)
	}
}

func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[int(q*float64(len(sorted)-1))].Microseconds()) / 1000
}

// A sample is what the server's process holds.
type sample struct {
	at          time.Duration
	Goroutines  int
	Descriptors int      // -1 where that is not known
	Files       []string // that the descriptors are of
	Children    int
	Heap        uint64 // bytes in use after a collection
	Resident    int64  // bytes; -1 where that is not known
}

func (l *load) stats() sample {
	l.t.Helper()
	answer, err := http.Get("http://" + l.address + "/stats")
	if err != nil {
		l.t.Error(err)
		return sample{}
	}
	defer answer.Body.Close()
	var s sample
	if err := json.NewDecoder(answer.Body).Decode(&s); err != nil {
		l.t.Error(err)
	}
	return s
}

// watch takes samples until ctx ends.
func (l *load) watch(ctx context.Context) <-chan []sample {
	samples := make(chan []sample, 1)
	go func() {
		var all []sample
		begun := time.Now()
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				samples <- all
				return
			case <-ticker.C:
			}
			s := l.stats()
			s.at = time.Since(begun)
			all = append(all, s)
		}
	}()
	return samples
}

// flat fails the test if memory grew after the first fifth of the time: what is
// in use in the last fifth must be as in the second, but for chance.
func (l *load) flat(all []sample) {
	fifth := len(all) / 5
	if fifth < 5 {
		l.t.Logf("%d samples are too few", len(all))
		return
	}
	median := func(part []sample) (heap, resident float64) {
		var heaps, residents []float64
		for _, s := range part {
			heaps, residents = append(heaps, float64(s.Heap)/(1<<20)), append(residents, float64(s.Resident)/(1<<20))
		}
		slices.Sort(heaps)
		slices.Sort(residents)
		return heaps[len(heaps)/2], residents[len(residents)/2]
	}
	for i := range 5 {
		heap, resident := median(all[i*fifth : (i+1)*fifth])
		l.t.Logf("%v to %v: heap %.0f MiB, resident %.0f MiB, %d goroutines", all[i*fifth].at.Round(time.Second), all[(i+1)*fifth-1].at.Round(time.Second), heap, resident, all[(i+1)*fifth-1].Goroutines)
	}
	if raced {
		return
	}
	heap, resident := median(all[fifth : 2*fifth])
	lastHeap, lastResident := median(all[4*fifth:])
	if lastHeap > heap*1.2+32 || lastResident > resident*1.2+64 {
		l.t.Errorf("memory grew: heap %.0f to %.0f MiB, resident %.0f to %.0f MiB", heap, lastHeap, resident, lastResident)
	}
	if most := slices.MaxFunc(all, func(a, b sample) int { return int(a.Resident - b.Resident) }); most.Resident > 512<<20 {
		l.t.Errorf("%d MiB of memory after %v", most.Resident>>20, most.at)
	}
}

// close ends the sessions.
func (l *load) close() {
	for _, c := range l.sessions {
		if status, _, body := c.send("DELETE", "/mcp", ""); status != http.StatusNoContent && status != http.StatusOK {
			l.t.Errorf("DELETE: %d %s", status, body)
		}
		c.http.CloseIdleConnections()
	}
}

// nothingLeft waits until the server has no more than it began with.
func (l *load) nothingLeft(before sample) {
	var now sample
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		now = l.stats()
		if now.Goroutines <= before.Goroutines && now.Descriptors <= before.Descriptors && now.Children == 0 {
			l.t.Logf("before %+v, after %+v", before, now)
			return
		}
	}
	l.t.Errorf("before %+v, after %+v", before, now)
}
