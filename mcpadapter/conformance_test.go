package mcpadapter_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestConformanceSuites has the official suites judge a server over HTTP. A
// suite exits with an error for every failure that the file of the expected ones
// does not name, and for every expected one that passes.
func TestConformanceSuites(t *testing.T) {
	modules := sharedtest.ConformanceSuites(t)
	_, node := clientTools(t)
	url := newFixtureServer(t)
	next := filepath.Join(modules, "conformance-next", "dist", "index.js")
	released := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	for _, suite := range []struct {
		name   string
		script string
		args   []string
		passes int // at least, of the scenarios that are no extension
	}{
		{"0.1.16 of 2025-06-18", released, []string{"--suite", "all", "--spec-version", "2025-06-18"}, 26},
		{"0.1.16 of 2025-11-25", released, []string{"--suite", "all", "--spec-version", "2025-11-25"}, 44},
		{"0.2.0-alpha.12 of 2025-11-25", next, []string{"--requirements", "2025-11-25"}, 82},
		{"0.2.0-alpha.12 of 2026-07-28", next, []string{"--requirements", "2026-07-28"}, 152},
	} {
		t.Run(suite.name, func(t *testing.T) {
			results := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			args := append([]string{suite.script, "server", "--url", url, "-o", results}, suite.args...)
			if strings.HasSuffix(suite.name, "2026-07-28") {
				args = append(args, "--expected-failures", filepath.Join("testdata", "conformance", "expected-failures.yml"))
			}
			out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
			passed, failed := countChecks(t, results)
			t.Logf("%d checks passed, %d failed", passed, len(failed))
			failed = slices.DeleteFunc(failed, func(check string) bool { return strings.HasPrefix(check, "tasks-") })
			if err != nil || passed < suite.passes || len(failed) > 0 {
				t.Errorf("%v: %d checks passed, want %d; failed:\n%s\n%s", err, passed, suite.passes, strings.Join(failed, "\n"), lastLines(out, 60))
			}
		})
	}
}

// TestExpectedFailures holds the file of failures that the suites may report to
// the extension that the SDK lacks.
func TestExpectedFailures(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "conformance", "expected-failures.yml"))
	if err != nil {
		t.Fatal(err)
	}
	expected := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line == "server:" || strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, "- tasks-") {
			t.Errorf("%q may fail", line)
		}
		expected++
	}
	if expected == 0 || !strings.Contains(string(data), "# tasks-*: ") {
		t.Errorf("%d failures are expected, without a reason in\n%s", expected, data)
	}
}

// countChecks reads what a suite wrote of each scenario: how many checks passed,
// those of extensions not counted, and which failed, each with its scenario.
func countChecks(t *testing.T, results string) (passed int, failed []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no results: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct {
			ID, Name, Status, ErrorMessage string
		}
		if err := json.Unmarshal(data, &checks); err != nil {
			t.Fatal(err)
		}
		scenario := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "server-")
		scenario = scenario[:max(0, len(scenario)-len("-2006-01-02T15-04-05-000Z"))]
		for _, check := range checks {
			switch check.Status {
			case "SUCCESS":
				if !strings.HasPrefix(scenario, "tasks-") { // an extension
					passed++
				}
			case "WARNING": // of what is only recommended
				t.Logf("%s: %s: %s", scenario, check.ID, check.ErrorMessage)
			case "FAILURE":
				failed = append(failed, scenario+": "+check.ID+": "+check.ErrorMessage)
			}
		}
	}
	return passed, failed
}

func lastLines(out []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// newFixtureServer serves the resources of the tests with what the suites call,
// and returns the URL of its endpoint.
func newFixtureServer(t *testing.T) string {
	t.Helper()
	ws, err := workspace.Open(mcptest.NewDirectory(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}, citekit.Virtual: modality.Virtual{}}, nil)
	t.Cleanup(func() { lib.Close() })
	server := mcpadapter.NewServer(lib, nil)
	addFixtures(server)
	served := httptest.NewServer(mcpadapter.NewHandler(server, nil))
	t.Cleanup(func() {
		served.CloseClientConnections() // streams, which would stay open
		served.Close()
	})
	go tellUpdates(t.Context(), server)
	return served.URL + "/mcp"
}

// tellUpdates tells those who subscribed to a fixture, now and then, that it changed.
func tellUpdates(ctx context.Context, server *mcp.Server) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://watched-resource"})
		}
	}
}
