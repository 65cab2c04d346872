package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// oddMaps have nodes that point anywhere, as maps of other programs do.
var oddMaps = map[string]string{
	"web": `{"resource_id":"web","type":"virtual","title":"A site","nodes":[
		{"id":"page","title":"Page","type":"page","location":{"modality":"virtual","virtual_address":"https://example.com/a b?c=d#e]f"}},
		{"id":"song","title":"Song","type":"song","location":{"modality":"virtual","virtual_address":"midi://song#t=nonsense"}},
		{"id":"book","title":"Book","type":"part","location":{"modality":"virtual","virtual_address":"doc://book#pages=0"}},
		{"id":"deep","title":"Deep","type":"part","location":{"modality":"virtual","virtual_address":"virtual://x/y?z=1#é"}},
		{"id":"word","title":"Word","type":"part","location":{"modality":"virtual","virtual_address":"key = värde"}},
		{"id":"none","title":"None","type":"part","location":{"modality":"virtual"}},
		{"id":"long","title":"Long","type":"part","location":{"modality":"virtual","virtual_address":"https://` + strings.Repeat("é", 4000) + `"}}]}`,
	"über uns": `{"resource_id":"über uns","type":"text","title":"Us","source_path":"us.txt","nodes":[
		{"id":"line","title":"Line","type":"line","location":{"modality":"text","lines":[1,1]}},
		{"id":"link","title":"Link","type":"link","location":{"modality":"virtual","virtual_address":"ftp://example.com/us"}},
		{"id":"bad","title":"Bad","type":"line","location":{"modality":"text","pages":[1]}},
		{"id":"none","title":"None","type":"line","location":{"modality":""}}]}`,
	"untyped": `{"resource_id":"untyped","title":"It","source_path":"us.txt","nodes":[
		{"id":"line","title":"Line","type":"line","location":{"modality":"text","lines":[1,1]}},
		{"id":"tick","title":"Tick","type":"tick","location":{"modality":"midi","start":1,"end":2}}]}`,
}

var addressLike = regexp.MustCompile(`[A-Za-z0-9+.-]*://[^\s"\]]*`)

// TestAddressesThatArePrinted parses all that the command prints that looks
// like an address.
func TestAddressesThatArePrinted(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "us.txt"), []byte("we\n"), 0o600))
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	var calls [][]string
	for id, data := range oddMaps {
		must(t, ws.WriteMap(t.Context(), id, []byte(data)))
		m, err := citekit.ParseMap([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, []string{"list", id})
		for n := range m.All() {
			name := id + "." + n.ID
			calls = append(calls, []string{"inspect", name}, []string{"resolve", name}, []string{"resolve", name, "--virtual"})
		}
	}
	printed := 0
	for _, args := range calls {
		out, _ := called(t, dir, args)
		for _, found := range addressLike.FindAllString(out, -1) {
			printed++
			if _, err := citekit.ParseAddress(found); err != nil {
				t.Errorf("%q prints %q, which is no address: %v", args, found, err)
			}
		}
		out, code := called(t, dir, append(args, "--json"))
		if out == "" && code == exitOK || out != "" && !json.Valid([]byte(out)) {
			t.Errorf("%q --json: exit code %d, %q", args, code, out)
			continue
		}
		if out == "" {
			continue
		}
		for _, found := range addressMembers(t, out) {
			printed++
			if _, err := citekit.ParseAddress(found); err != nil {
				t.Errorf("%q --json has the address %q: %v", args, found, err)
			}
		}
	}
	if printed < 30 {
		t.Errorf("only %d addresses were printed", printed)
	}
	if out, code := called(t, dir, []string{"list", "web", "--json"}); code != exitOK || !strings.Contains(out, `"none"`) {
		t.Errorf("list --json of a map with a node that has no address: exit code %d, %q", code, out)
	}
	if out, _ := called(t, dir, []string{"list", "web"}); !strings.Contains(out, "[virtual://web#https:%2F%2Fexample.com") {
		t.Errorf("list: %q", out)
	}
}

// called runs the command and returns its standard output.
func called(t *testing.T, dir string, args []string) (out string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), append([]string{"--dir", dir}, args...), strings.NewReader(""), &stdout, &stderr)
	if strings.Contains(stderr.String(), "internal error") {
		t.Errorf("%q: %s", args, stderr.String())
	}
	return stdout.String(), code
}

// addressMembers returns the values of all members "address" in JSON.
func addressMembers(t *testing.T, text string) (found []string) {
	t.Helper()
	var value any
	must(t, json.Unmarshal([]byte(text), &value))
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, v := range value {
				walk(v)
			}
		case map[string]any:
			for key, v := range value {
				if s, ok := v.(string); ok && key == "address" {
					found = append(found, s)
				}
				walk(v)
			}
		}
	}
	walk(value)
	return found
}
