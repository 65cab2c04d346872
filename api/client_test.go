package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// runNode runs a script of Node in a folder and returns what it prints.
func runNode(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), sharedtest.Tool(t, "node"), args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, stderr.String())
	}
	return string(out)
}

// A client that others make of the description is typed, and uses every operation; and a
// validator of others finds nothing wrong with the description.
func TestGeneratedClient(t *testing.T) {
	modules := sharedtest.APIClient(t)
	c := serve(t, teaAndMilk, &corpus.Options{AgentsIngest: true})
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"use.ts", "tsconfig.json", "package.json", "validate.mjs"} {
		sharedtest.Write(t, filepath.Join(dir, name), sharedtest.Read(t, filepath.Join("testdata", "client", name)))
	}
	_, description := c.send("GET", "/v1/openapi.json", "")
	sharedtest.Write(t, filepath.Join(dir, "openapi.json"), []byte(description))

	runNode(t, dir, "validate.mjs", dir, "openapi.json")
	runNode(t, dir, filepath.Join(modules, "openapi-typescript", "bin", "cli.js"), c.url+"/v1/openapi.json", "-o", "schema.d.ts", "--default-non-nullable=false")
	runNode(t, dir, filepath.Join(modules, "typescript", "bin", "tsc"))
	ran := runNode(t, dir, "use.js", c.url)
	for _, operation := range operationsOf(t, description) {
		if !slices.Contains(strings.Fields(ran), operation) {
			t.Errorf("use.ts does not call %s:\n%s", operation, ran)
		}
	}
}

// operationsOf lists the methods and paths of a description, each as in "GET,/v1/info".
func operationsOf(t *testing.T, description string) []string {
	t.Helper()
	var about struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(description), &about); err != nil || len(about.Paths) < 12 {
		t.Fatal(err, len(about.Paths))
	}
	var all []string
	for path, methods := range about.Paths {
		for method := range methods {
			if method != "head" {
				all = append(all, strings.ToUpper(method)+","+path)
			}
		}
	}
	return all
}

// The program that uses every operation has a call of each. Node, which runs it, is not
// on every machine.
func TestGeneratedClientCallsAll(t *testing.T) {
	_, description := serve(t, teaAndMilk, nil).send("GET", "/v1/openapi.json", "")
	program := string(sharedtest.Read(t, filepath.Join("testdata", "client", "use.ts")))
	for _, operation := range operationsOf(t, description) {
		method, path, _ := strings.Cut(operation, ",")
		if call := fmt.Sprintf("client.%s(%q,", method, path); !strings.Contains(program, call) {
			t.Errorf("use.ts has no %s", call)
		}
	}
}
