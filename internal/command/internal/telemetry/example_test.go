package telemetry_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/command/internal/telemetry"
	"github.com/citekit/citekit/server"
)

// A server reports its calls to a Telemetry, which Prometheus asks for metrics.
func Example() {
	ctx := context.Background()
	observer, err := telemetry.New(ctx, &telemetry.Options{Version: "1.0", Workspaces: []string{"papers"}})
	if err != nil {
		log.Fatal(err)
	}
	defer observer.Shutdown(ctx)
	opts := &server.Options{Observer: observer} // for server.New; then observer.Watch(s.Load)

	// The server does this for each call.
	opts.Observer.Observe(ctx, server.Event{
		Workspace: "papers", Method: "tools/call", Tool: "search",
		Outcome: server.OutcomeOK, Duration: 20 * time.Millisecond,
	})

	metrics := httptest.NewServer(observer.Handler()) // or observer.Serve
	defer metrics.Close()
	answer, err := http.Get(metrics.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if line := lines.Text(); strings.HasPrefix(line, "citekit_calls_total") {
			fmt.Println(line)
		}
	}
	// Output:
	// citekit_calls_total{method="tools/call",outcome="ok",tool="search",workspace="papers"} 1
}
