package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSubscribeOverHTTP follows a resource and the list of them while another
// process changes both, as clients with sessions and as those without.
func TestSubscribeOverHTTP(t *testing.T) {
	base := t.TempDir()
	binary := scratchBinary(t)
	guide := filepath.Join(base, "guide.md")
	ingest := func(path, text string) {
		t.Helper()
		writeFile(t, path, []byte(text))
		output(t, binary, "ingest", path, "--dir", base)
	}
	ingest(guide, installGuide)
	url := serveURL(t, []string{binary, "serve", "--dir", base, "--transport", "http", "--port", "0"})
	const uri = "citekit://maps/guide"
	told := make(chan string, 1000)

	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		followAsSession(t, url, version, uri, told)
	}
	modern, err := mcp.NewClient(&mcp.Implementation{Name: "follow", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			told <- "2026-07-28 " + req.Params.URI
		},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { told <- "2026-07-28 list" },
	}).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer modern.Close()
	if got := modern.InitializeResult().ProtocolVersion; got != "2026-07-28" {
		t.Fatalf("the client speaks %s", got)
	}
	if err := modern.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}

	want := map[string]bool{}
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
		want[version+" "+uri], want[version+" list"] = true, true
	}
	// A subscription without a session begins at some time after the call, so the
	// maps change until everybody was told.
	for i := 0; len(want) > 0; i++ {
		if i > 60 {
			t.Fatalf("nobody told %v", want)
		}
		ingest(guide, fmt.Sprintf("%s\n## Part %d\n\nMore.\n", installGuide, i))
		ingest(filepath.Join(base, fmt.Sprintf("other%d.md", i)), "# Other\n\nText.\n")
		for waiting := time.After(2 * time.Second); waiting != nil && len(want) > 0; {
			select {
			case what := <-told:
				if !strings.HasSuffix(what, " list") && !strings.HasSuffix(what, uri) {
					t.Errorf("told of %s", what)
				}
				delete(want, what)
			case <-waiting:
				waiting = nil
			}
		}
	}
}

// followAsSession subscribes to a resource in a session of an older version, and
// sends what the session's stream tells, with the version before it.
func followAsSession(t *testing.T, url, version, uri string, told chan<- string) {
	t.Helper()
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	send := func(method, body string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header.Clone()
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		if !slices.Contains([]int{http.StatusOK, http.StatusAccepted}, answer.StatusCode) {
			t.Fatalf("%s %s: %s", version, body, answer.Status)
		}
		return answer
	}
	answer := send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"follow","version":"1"}}}`, version))
	header.Set("Mcp-Session-Id", answer.Header.Get("Mcp-Session-Id"))
	header.Set("Mcp-Protocol-Version", version)
	send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	stream := send("GET", "")
	send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":%q}}`, uri))
	go func() {
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var message struct {
				Method string
				Params struct{ URI string }
			}
			if err := json.Unmarshal([]byte(data), &message); err != nil {
				told <- version + " " + data
				return
			}
			switch message.Method {
			case "notifications/resources/list_changed":
				told <- version + " list"
			case "notifications/resources/updated":
				told <- version + " " + message.Params.URI
			}
		}
	}()
}
