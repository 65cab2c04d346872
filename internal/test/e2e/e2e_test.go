// Package e2e tests the command and its MCP server from outside, as child
// processes, on real and on hostile files.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/attacktest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/stdio"
)

// binary returns the path of the command, built once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "citekit")
	out, err := exec.Command("go", "build", "-o", path, "github.com/citekit/citekit/cmd/citekit").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

var scratch string // directory of what all tests share

// With -short none of these tests runs: they build the program and take minutes.
func TestMain(m *testing.M) {
	if flag.Parse(); testing.Short() {
		return
	}
	var err error
	if scratch, err = os.MkdirTemp("", "citekit-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// A node is a node of a map that a test writes: its id and its location.
type node map[string]any

// writeMap writes a map as it is, without checking it.
func writeMap(t testing.TB, base, id, modality, source string, locations ...map[string]any) {
	t.Helper()
	var nodes []node
	for i, location := range locations {
		nodes = append(nodes, node{"id": "n" + strconv.Itoa(i), "title": "t", "type": "section", "location": location, "children": []node{}})
	}
	data, err := json.Marshal(map[string]any{
		"resource_id": id, "type": modality, "title": "t", "source_path": source, "nodes": nodes, "metadata": node{}, "created_at": "2025-01-01T00:00:00Z",
	})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(base, ".resource_maps", id+".json"), data)
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A site is a server over a base directory, with what must hold after each
// call and at the end.
type site struct {
	*stdio.Server
	t       *testing.T
	base    string
	secrets [][]byte // bytes that must be in no answer and no evidence
	slowest time.Duration
}

const (
	mostMemory = 512 << 20
	// hanging is when a call counts as hanging. What calls take is logged, and
	// measured by bench.
	hanging = 3 * time.Minute
)

func serve(t *testing.T, base string, args ...string) *site {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	server, err := stdio.Start(ctx, base, append([]string{bin, "serve", "--dir", base}, args...)...)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	s := &site{Server: server, t: t, base: base}
	t.Cleanup(func() {
		defer cancel()
		s.finish()
	})
	return s
}

// call calls a tool and checks what must hold whatever it answers.
func (s *site) call(tool string, args any) stdio.ToolResult {
	s.t.Helper()
	start := time.Now()
	result, err := s.Tool(tool, args)
	took := time.Since(start)
	if err != nil {
		s.t.Fatalf("%s %.200v: %v", tool, args, err)
	}
	s.slowest = max(s.slowest, took)
	if took > hanging {
		s.t.Errorf("%s %.200v took %v", tool, args, took)
	}
	for _, secret := range s.secrets {
		if bytes.Contains(result.Raw, secret) {
			s.t.Errorf("%s %.200v gives away %q", tool, args, secret)
		}
	}
	if result.IsError && (len(result.Text) < 15 || !strings.HasPrefix(result.Text, "Error: ") || result.Code == "" || result.Code == "INTERNAL") {
		s.t.Errorf("%s %.200v: an unclear error: %q, code %q", tool, args, result.Text, result.Code)
	}
	return result
}

// resolve resolves a node and returns the bytes of the evidence, or the error.
func (s *site) resolve(resource, node string) (data []byte, failure string) {
	s.t.Helper()
	result := s.call("resolve", map[string]any{"resource_id": resource, "node_id": node})
	if result.IsError {
		return nil, result.Text
	}
	var evidence struct {
		OutputPath string `json:"output_path"`
		Size       int
	}
	if err := json.Unmarshal([]byte(result.Text), &evidence); err != nil {
		s.t.Fatalf("resolve %s.%s: %v in %.300s", resource, node, err, result.Text)
	}
	if rel, err := filepath.Rel(s.base, evidence.OutputPath); err != nil || !strings.HasPrefix(rel, ".citekit_output"+string(filepath.Separator)) {
		s.t.Errorf("resolve %s.%s wrote %s, outside the output directory", resource, node, evidence.OutputPath)
	}
	data, err := os.ReadFile(evidence.OutputPath)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(data) != evidence.Size {
		s.t.Errorf("resolve %s.%s: %d bytes, %d were named", resource, node, len(data), evidence.Size)
	}
	return data, ""
}

// finish checks that the server is alive and was modest, and that nothing
// secret was written.
func (s *site) finish() {
	s.t.Helper()
	if _, err := s.Tool("listResources", map[string]any{}); err != nil {
		s.t.Errorf("the server does not answer any more: %v", err)
	}
	if peak := peakMemory(s.Pid()); peak > mostMemory && sharedtest.Long() {
		s.t.Errorf("the server took %d MB", peak>>20)
	} else if peak > 0 {
		s.t.Logf("peak memory %d MB, slowest call %v", peak>>20, s.slowest.Round(time.Millisecond))
	}
	s.Stop()
	for _, secret := range s.secrets {
		if strings.Contains(s.Stderr(), string(secret)) {
			s.t.Errorf("the log gives away %q", secret)
		}
	}
	_ = filepath.WalkDir(filepath.Join(s.base, ".citekit_output"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		data, _ := os.ReadFile(path)
		for _, secret := range s.secrets {
			if bytes.Contains(data, secret) {
				s.t.Errorf("%s holds %q", path, secret)
			}
		}
		if filepath.Base(filepath.Dir(path)) == "tmp" {
			s.t.Errorf("left over: %s", path)
		}
		return nil
	})
}

// peakMemory returns the largest resident set of a running process in bytes,
// or 0 where that is not known.
func peakMemory(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}

// An attackSet is a directory of hostile files.
type attackSet struct {
	dir    string
	folder map[string]string // of groups whose folder has another name
}

// group returns the directory of a group of files, or "" if the set has none.
func (a attackSet) group(name string) string {
	if other, ok := a.folder[name]; ok {
		name = other
	}
	return filepath.Join(a.dir, name)
}

// eachAttackSet runs a test on the hostile files that package attacktest
// makes, and where there are more, on those too.
func eachAttackSet(t *testing.T, test func(t *testing.T, attacks attackSet)) {
	t.Helper()
	t.Run("made", func(t *testing.T) {
		dir, err := ownAttacks(t)
		if err != nil {
			t.Fatal(err)
		}
		test(t, attackSet{dir: dir})
	})
	shared, ok := sharedtest.Extra(t)
	if !ok {
		return
	}
	t.Run("extra", func(t *testing.T) {
		python := sharedtest.Tool(t, "python3")
		dir, err := makeExtraAttacks(shared, python)
		if err != nil {
			t.Fatal(err)
		}
		test(t, attackSet{dir, map[string]string{
			"paths": "a01-fs", "playlists": "a04-ffmpeg-playlist", "names": "a05-names", "documents": "a06-pdf", "images": "a07-image",
			"archives": "a08-zip", "markup": "a09-xml", "maps": "a10-maps", "titles": "a11-injection", "urls": "a15-ssrf",
		}})
	})
}

var ownAttacksOnce struct {
	sync.Once
	err error
}

func ownAttacks(t *testing.T) (string, error) {
	t.Helper()
	dir := filepath.Join(scratch, "made")
	var seeds attacktest.Seeds
	for name, data := range map[string]*[]byte{
		"media/av1-aac.mp4": &seeds.MP4, "pdf/outline-nested.pdf": &seeds.PDF, "image/png-16bit.png": &seeds.PNG, "image/png-palette.png": &seeds.OtherPNG,
	} {
		var err error
		if *data, err = os.ReadFile(sharedtest.Corpus(t, name)); err != nil {
			return "", err
		}
	}
	ownAttacksOnce.Do(func() { ownAttacksOnce.err = attacktest.Make(dir, seeds) })
	return dir, ownAttacksOnce.err
}

var extraAttacksOnce struct {
	sync.Once
	err error
}

func makeExtraAttacks(shared, python string) (string, error) {
	dir := filepath.Join(scratch, "attacks")
	extraAttacksOnce.Do(func() {
		cmd := exec.Command(python, filepath.Join(shared, "attacks", "gen.py"), dir)
		cmd.Env = append(os.Environ(), "SEED_DIR="+filepath.Join(shared, "corpus"))
		if out, err := cmd.CombinedOutput(); err != nil {
			extraAttacksOnce.err = fmt.Errorf("gen.py: %w\n%s", err, out)
		}
	})
	return dir, extraAttacksOnce.err
}

var canary = []byte(attacktest.Canary)

// listen counts connections to the addresses that hostile files name. The
// test fails at the end if there was one.
func listen(t *testing.T) {
	t.Helper()
	var hits atomic.Int32
	tcp, err := net.Listen("tcp", attacktest.Listener)
	if err != nil {
		sharedtest.Missing(t, fmt.Sprintf("port 18999 is taken: %v", err))
	}
	udp, err := net.ListenPacket("udp", attacktest.Receiver)
	if err != nil {
		tcp.Close()
		sharedtest.Missing(t, fmt.Sprintf("port 18998 is taken: %v", err))
	}
	var listeners sync.WaitGroup
	listeners.Go(func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			hits.Add(1)
			c.Close()
		}
	})
	listeners.Go(func() {
		packet := make([]byte, 16)
		for {
			if _, _, err := udp.ReadFrom(packet); err != nil {
				return
			}
			hits.Add(1)
		}
	})
	t.Cleanup(func() {
		tcp.Close()
		udp.Close()
		listeners.Wait()
		if n := hits.Load(); n > 0 {
			t.Errorf("%d connections to addresses that only hostile files name", n)
		}
	})
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
}
