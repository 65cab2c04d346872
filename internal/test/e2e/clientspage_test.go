package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestWebPageOfClients serves with the settings that docs/clients.md has for a web
// page: its origin may call, and another may not.
func TestWebPageOfClients(t *testing.T) {
	sharedtest.NotShort(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## A web page\n")
	found := regexp.MustCompile("(?s)```yaml\n(.*?)```.*```sh\ncitekit (.*?)\n```").FindStringSubmatch(section)
	if found == nil {
		t.Fatal("no settings and command")
	}
	base := t.TempDir()
	settings := filepath.Join(t.TempDir(), "citekit.yaml")
	writeFile(t, settings, []byte(strings.ReplaceAll(found[1], "8808", "0")))
	command := strings.NewReplacer("citekit.yaml", settings, "/path/to/files", base)
	args := []string{scratchBinary(t)}
	for _, arg := range strings.Fields(found[2]) {
		args = append(args, command.Replace(arg))
	}
	url := serveURL(t, args)
	for origin, want := range map[string]int{"http://localhost:5173": http.StatusNoContent, "http://localhost:5174": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		req.Header.Set("Access-Control-Request-Method", http.MethodPost)
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want || want == http.StatusNoContent && answer.Header.Get("Access-Control-Allow-Origin") != origin {
			t.Errorf("%s: %s", origin, answer.Status)
		}
	}
}
