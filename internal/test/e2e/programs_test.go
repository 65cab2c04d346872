package e2e

import (
	"bytes"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

var (
	// programIn matches a whole program of a page, and what it prints.
	programIn = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n(?:\n```text\n(.*?)```\n)?")

	// packageIn matches a file of a package that the reader of a page writes.
	packageIn = regexp.MustCompile("(?s)`([a-z_/]+\\.go)`:\n\n```go\n((?://[^\n]*\n)*package .*?)```\n")

	// editIn matches edits of files of the repository.
	editIn = regexp.MustCompile("(?s)```diff\n(.*?)```\n")
)

// TestProgramsOfPages builds each whole program of the pages, with the packages and
// edits of its page. Programs with an output run beside a folder with the samples
// of the quickstart, in the order of the page. "…" stands for anything.
func TestProgramsOfPages(t *testing.T) {
	built, compared := 0, 0
	for page, text := range docPages(t) {
		programs := programIn.FindAllStringSubmatch(text, -1)
		if len(programs) == 0 {
			continue
		}
		overlay, _ := overlayOf(t, page, text)
		dir := filepath.Join(t.TempDir(), "tides")
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "quickstart", "samples"))); err != nil {
			t.Fatal(err)
		}
		settings := t.TempDir()
		for _, m := range programs {
			built++
			checkFormat(t, page, m[1])
			program := buildProgram(t, page, strings.ReplaceAll(m[1], "example.com/toys/", ownModule+"/modality/"), overlay)
			if m[2] == "" || program == "" {
				continue
			}
			compared++
			cmd := exec.CommandContext(t.Context(), program)
			cmd.Dir = filepath.Dir(dir)
			cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+settings)
			out, err := cmd.CombinedOutput()
			pattern := "(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(m[2]), "…", ".*") + "$"
			if err != nil || !regexp.MustCompile(pattern).Match(out) {
				t.Errorf("%s: %v (-page +printed):\n%s", page, err, cmp.Diff(m[2], string(out)))
			}
		}
	}
	if built < 5 || compared < 4 {
		t.Errorf("only %d programs were found, %d with an output", built, compared)
	}
}

// TestPackagesOfPages runs the tests of the packages that the pages let their
// readers write.
func TestPackagesOfPages(t *testing.T) {
	tested := 0
	for page, text := range docPages(t) {
		overlay, tests := overlayOf(t, page, text)
		for _, file := range tests {
			tested++
			program := filepath.Join(t.TempDir(), "package.test")
			build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./"+filepath.ToSlash(filepath.Dir(file.name)))
			build.Dir = "../../.."
			if out, err := build.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", page, file.name, err, out)
				continue
			}
			var names []string // fuzz targets run their seeds
			for _, name := range testName.FindAllStringSubmatch(file.text, -1) {
				names = append(names, name[1])
			}
			run := exec.CommandContext(t.Context(), program, "-test.run", "^("+strings.Join(names, "|")+")$")
			run.Dir = t.TempDir()
			if out, err := run.CombinedOutput(); err != nil || bytes.Contains(out, []byte("no tests to run")) {
				t.Errorf("%s: %s: %v\n%s", page, file.name, err, out)
			}
		}
	}
	if tested < 3 {
		t.Errorf("only %d packages were found", tested)
	}
}

// A pageFile is a file that a page shows: its name in the repository, and its text.
type pageFile struct{ name, text string }

// overlayOf returns a file for the flag -overlay of go, with the files that a page
// shows and the edits that it makes, and those of the files that are tests.
func overlayOf(t *testing.T, page, text string) (overlay string, tests []pageFile) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, replace := t.TempDir(), make(map[string]string)
	put := func(name string, data []byte) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, filepath.FromSlash(name))] = to
	}
	for _, m := range packageIn.FindAllStringSubmatch(text, -1) {
		checkFormat(t, page, m[2])
		put(m[1], []byte(m[2]))
		if strings.HasSuffix(m[1], "_test.go") {
			tests = append(tests, pageFile{m[1], m[2]})
		}
	}
	for _, m := range editIn.FindAllStringSubmatch(text, -1) {
		for _, name := range regexp.MustCompile(`(?m)^--- a/(\S+)$`).FindAllStringSubmatch(m[1], -1) {
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name[1])))
			if err != nil {
				t.Fatalf("%s: %v", page, err)
			}
			put(name[1], data)
		}
		apply := exec.CommandContext(t.Context(), sharedtest.Tool(t, "git"), "apply", "-")
		apply.Dir, apply.Stdin = dir, strings.NewReader(m[1])
		apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s in\n%s", page, err, out, m[1])
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay, tests
}

// buildProgram builds a program of a page within this module, and returns its file,
// or "" if it does not build.
func buildProgram(t *testing.T, page, text, overlay string) string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", program, source)
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", page, err, out)
		return ""
	}
	return program
}

func checkFormat(t *testing.T, page, text string) {
	t.Helper()
	if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
		t.Errorf("%s: not as gofmt writes it (%v): %s", page, err, cmp.Diff(text, string(formatted)))
	}
}
