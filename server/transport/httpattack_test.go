package transport_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
)

// TestHTTPAttackFiles sends the requests of files, if there are any: all must be
// refused.
func TestHTTPAttackFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("resolves hundreds of hostile files over HTTP")
	}
	shared, ok := sharedtest.Extra(t)
	if !ok {
		t.Log("no further attacks; those of TestHTTPForeign are our own")
		return
	}
	dir := t.TempDir()
	if out, err := exec.Command("python3", filepath.Join(shared, "attacks", "gen.py"), dir).CombinedOutput(); err != nil {
		t.Fatalf("gen.py: %v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "a03-http", "*.http"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no attacks, %v", err)
	}
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil, nil)
	_, port, _ := strings.Cut(s.Address, ":")
	for _, name := range files {
		request, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		conn := dial(s)
		io.WriteString(conn, strings.ReplaceAll(string(request), "PORT", port))
		answer := readAnswer(t, conn)
		if answer.StatusCode < 400 || answer.StatusCode >= 500 || answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s %v", filepath.Base(name), answer.Status, answer.Header)
		}
	}
	listResources(s)
}
