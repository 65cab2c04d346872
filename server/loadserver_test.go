package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// TestLoadServer is the server of TestLoad, in a process of its own, which ends
// with its standard input.
func TestLoadServer(t *testing.T) {
	dirs := os.Getenv("CITEKIT_LOAD_SERVER")
	if dirs == "" {
		t.Skip("started by TestLoad")
	}
	resolvers := modality.All()
	known := &keys{grants: make(map[string]*access.Grant)}
	var workspaces []server.Workspace
	for i, dir := range filepath.SplitList(dirs) {
		name := []string{"red", "blue"}[i]
		lib := openPlace(t, resolvers, dir)
		workspaces = append(workspaces, server.Workspace{Name: name, Hosted: host(t, lib)})
		for n := i; n < loadKeys; n += 2 {
			known.grants["load-"+strconv.Itoa(n)] = &access.Grant{ID: fmt.Sprintf("k-%d", n), Workspaces: []string{name}}
		}
	}
	s, err := server.New(workspaces, &server.Options{Authenticator: known, Logger: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(holding()) })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	fmt.Printf("listening %s\n", listener.Addr())
	if err := s.Serve(ctx, listener, &transport.ServeOptions{Handler: mux}); err != nil {
		t.Error(err)
	}
}

// holding returns what this process holds.
func holding() sample {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	s := sample{Goroutines: runtime.NumGoroutine(), Descriptors: -1, Heap: heap[0].Value.Uint64(), Resident: -1}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		s.Descriptors = len(entries)
		for _, entry := range entries {
			target, _ := os.Readlink("/proc/self/fd/" + entry.Name())
			s.Files = append(s.Files, target)
		}
	}
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			s.Resident = pages * int64(os.Getpagesize())
		}
	}
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		s.Children += len(strings.Fields(string(data)))
	}
	return s
}
