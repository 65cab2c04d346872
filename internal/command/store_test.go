package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// A keptBucket stays open after a command.
type keptBucket struct{ driver.Bucket }

func (keptBucket) Close() error { return nil }

// A storeTest runs commands on a store with the sources of a folder.
type storeTest struct {
	*testing.T
	sources string
	options Options
}

func newStoreTest(t *testing.T) *storeTest {
	s := &storeTest{T: t, sources: t.TempDir()}
	bucket := keptBucket{driver.NewMemory()}
	s.options.Stores = map[string]func(context.Context, string, bool) (Store, error){
		"mem": func(context.Context, string, bool) (Store, error) {
			return workspace.FromDriver(bucket, &workspace.BucketOptions{Sources: os.DirFS(s.sources)}), nil
		},
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "AppData", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	return s
}

func (s *storeTest) add(name, text string) {
	s.Helper()
	path := filepath.Join(s.sources, name)
	must(s.T, os.MkdirAll(filepath.Dir(path), 0o700))
	must(s.T, os.WriteFile(path, []byte(text), 0o600))
}

// command runs a command on the store and returns its exit code and output.
func (s *storeTest) command(args ...string) (code int, stdout, stderr string) {
	s.Helper()
	return s.run(append([]string{"--workspace", "mem://"}, args...)...)
}

func (s *storeTest) run(args ...string) (code int, stdout, stderr string) {
	s.Helper()
	var out, errs bytes.Buffer
	code = s.options.run(s.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// wants runs a command, which must succeed and print texts.
func (s *storeTest) wants(texts []string, args ...string) string {
	s.Helper()
	code, stdout, stderr := s.command(args...)
	if code != exitOK {
		s.Fatalf("%v: exit code %d, stderr %q", args, code, stderr)
	}
	for _, text := range texts {
		if !strings.Contains(stdout, text) {
			s.Errorf("%v: no %q in %q", args, text, stdout)
		}
	}
	return stdout
}

const tides = "# Tides\n\nHigh water is at 12:40 on Mondays.\n\n# Winds\n\nThe wind is from the west.\n"

// TestStore runs the commands on a workspace that is no directory.
func TestStore(t *testing.T) {
	s := newStoreTest(t)
	s.add("guide.md", tides)
	s.add("notes/other.txt", "one\ntwo\nthree\n")
	s.wants([]string{"2 mapped", "2 resources searchable"}, "ingest", ".")
	s.wants([]string{"2 unchanged"}, "ingest", ".")
	s.wants([]string{"guide\n"}, "list", "-1")
	s.wants([]string{"High water"}, "search", "when is high water")
	s.wants([]string{"High water is at 12:40 on Mondays."}, "read", "text://guide#lines=3-3")
	s.wants([]string{"High water is at 12:40 on Mondays"}, "answer", "When is high water?")
	s.wants([]string{"exact"}, "verify", "text://guide#lines=3-3", "--quote", "High water is at 12:40 on Mondays.")
	cited := s.wants([]string{"text://guide#lines=3"}, "cite", "guide", "--pin", "--quote", "High water is at 12:40 on Mondays.")
	s.wants(nil, "check-map", "--all")
	s.wants([]string{"Winds"}, "structure", "guide")
	s.wants([]string{"two\n"}, "resolve", "notes/other.txt#lines=2", "--output", "-")
	s.wants([]string{"workspace: can be read"}, "doctor")

	// A source without a map.
	s.add("new.txt", "one\ntwo\n")
	s.wants([]string{"one\n"}, "resolve", "new.txt#lines=1", "--output", "-")
	s.wants([]string{`"modality": "text"`}, "resolve", "new.txt", "--type", "text", "--json")

	// Evidence becomes a file here, in the folder that is named.
	for _, args := range [][]string{nil, {"--output-dir", "evidence"}} {
		out := s.wants(nil, append([]string{"resolve", "guide#lines=3", "--json"}, args...)...)
		var e struct {
			Path string `json:"output_path"`
		}
		must(t, json.Unmarshal([]byte(out), &e))
		if data, err := os.ReadFile(e.Path); err != nil || string(data) != "High water is at 12:40 on Mondays.\n" {
			t.Errorf("%s: %q, %v", e.Path, data, err)
		}
		if own, err := filepath.Abs("evidence"); err != nil || args != nil && filepath.Dir(e.Path) != own {
			t.Errorf("the evidence is %s, want it in %s (%v)", e.Path, own, err)
		}
	}

	s.add("guide.md", "# Before\n\nNew.\n\n"+tides)
	s.wants([]string{"1 mapped"}, "ingest", "guide.md")
	must(t, os.WriteFile("answer.md", []byte(cited), 0o600))
	s.wants(nil, "reanchor", "answer.md")
	if moved, err := os.ReadFile("answer.md"); err != nil || !strings.Contains(string(moved), "text://guide#lines=7") {
		t.Errorf("%q became %q, %v", cited, moved, err)
	}
	s.wants([]string{"deleted other"}, "rm", "other")
	s.wants(nil, "prune", "--yes")
}

// TestStoreOnly holds what is only for a directory to say so, and what to use.
func TestStoreOnly(t *testing.T) {
	s := newStoreTest(t)
	s.add("guide.md", tides)
	s.wants(nil, "ingest", ".")
	for want, args := range map[string][]string{
		"'citekit backup' is for a workspace in a directory; back up the database":          {"backup", filepath.Join(t.TempDir(), "x.tar.gz")},
		"'citekit restore' is for a workspace in a directory; restore it into a directory":  {"restore", "x.tar.gz"},
		"'citekit allowed' is for a workspace in a directory; the sources":                  {"allowed"},
		"--watch is for a workspace in a directory; run 'citekit ingest'":                   {"ingest", ".", "--watch"},
		"--allow-outside is for a workspace in a directory; put the file":                   {"ingest", "/etc/hosts", "--allow-outside"},
		"deleting evidence by age and size is for a workspace in a directory; give":         {"prune", "--evidence-max", "1G"},
		"flag --dir is for a workspace in a directory, and --workspace names another store": {"list", "--dir", "x"},
		"flag --root is for a workspace in a directory":                                     {"list", "--root", "x"},
	} {
		code, _, stderr := s.command(args...)
		if code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, stderr %q, want %q", args, code, stderr, want)
		}
	}
}

// TestWorkspaceFlag checks which workspace the flags and the environment name.
func TestWorkspaceFlag(t *testing.T) {
	s := newStoreTest(t)
	s.add("guide.md", tides)
	s.wants(nil, "ingest", ".")
	other := t.TempDir()
	must(t, os.WriteFile(filepath.Join(other, "poem.txt"), []byte("one\n"), 0o600))
	if code, _, stderr := s.run("--dir", other, "ingest", "."); code != exitOK {
		t.Fatal(stderr)
	}
	list := func(args ...string) string {
		code, stdout, stderr := s.run(append([]string{"list", "-1"}, args...)...)
		if code != exitOK {
			return stderr
		}
		return stdout
	}
	for _, test := range []struct {
		environ string
		args    []string
		want    string
	}{
		{"", []string{"--workspace", "mem://"}, "guide\n"},
		{"mem://", nil, "guide\n"},
		{"mem://", []string{"--dir", other}, "poem\n"},
		{"mem://", []string{"--workspace", other}, "poem\n"},
		{"mem://", []string{"--workspace", "dir:" + other}, "poem\n"},
		{other, nil, "poem\n"},
		{"", []string{"--workspace", other, "--dir", other}, "--dir and --workspace both name the workspace"},
		{"", []string{"--workspace", "pg://user:secret@host/db"}, `this program has no store "pg"; it has dir, mem`},
	} {
		t.Setenv(workspaceVariable, test.environ)
		if got := list(test.args...); !strings.Contains(got, test.want) || strings.Contains(got, "secret") {
			t.Errorf("%s=%q, %v: %q, want %q", workspaceVariable, test.environ, test.args, got, test.want)
		}
	}
	t.Setenv(workspaceVariable, "")
	s.options.Stores = nil
	if got := list("--workspace", "pg://host/db"); !strings.Contains(got, "citekit/cloud/cmd/citekit has pg") {
		t.Errorf("without stores: %q", got)
	}
}

// TestStoreServed serves a store over stdio, by a URL alone and by a name.
func TestStoreServed(t *testing.T) {
	s := newStoreTest(t)
	s.add("guide.md", tides)
	s.wants(nil, "ingest", ".")
	for _, args := range [][]string{{"serve", "--workspace", "mem://?a=b"}, {"--workspace", "mem://", "serve"}, {"serve", "--workspace", "docs=mem://"}} {
		var out, errs bytes.Buffer
		in := initialize + `{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"resolve","arguments":{"resource_id":"guide","node_id":"winds"}}}
`
		code := s.options.run(t.Context(), args, strings.NewReader(in), &out, &errs)
		if code != exitOK || !strings.Contains(out.String(), "The wind is from the west") {
			t.Errorf("%v: exit code %d, %q, %q", args, code, out.String(), errs.String())
		}
	}
	for want, args := range map[string][]string{
		"a URL alone is the one workspace":                 {"serve", "--workspace", "mem://", "--workspace", "a=mem://"},
		"flag --workspace URL cannot be combined":          {"--workspace", "mem://", "serve", "--workspace", "a=mem://"},
		"flag --workspace: this program has no store":      {"serve", "--workspace", "a=s3://bucket"},
		"flag --workspace: it is the store of workspace a": {"serve", "--workspace", "a=mem://", "--workspace", "b=mem://"},
	} {
		if code, _, stderr := s.run(args...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q, want %q", args, code, stderr, want)
		}
	}
}
