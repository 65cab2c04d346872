// Package sharedtest finds what tests need from outside the project: a
// directory of real files, and independent programs to compare with. If something
// is missing, the test uses files that package testcorpus makes, or it is
// skipped; its message begins with [LeftOut]. Where CI is set, missing programs are
// failures. Where CITEKIT_PROGRAMS is "no", all programs count as missing, and that
// is no failure.
package sharedtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/testcorpus"
)

// Extra returns the directory named by CITEKIT_SHARED, else the directory
// "shared" beside the module, which has real files in corpus. It reports
// whether there is one: tests must also pass without it. The name of the test
// is appended to the file named by CITEKIT_SHARED_USERS, if that is set.
func Extra(t testing.TB) (dir string, ok bool) {
	t.Helper()
	noteUser(t)
	dir = os.Getenv("CITEKIT_SHARED")
	if dir == "" {
		dir = filepath.Join(module, "..", "shared")
	}
	_, err := os.Stat(filepath.Join(dir, "corpus"))
	return dir, err == nil
}

// LeftOut begins the message of a test that is skipped because a program is missing.
const LeftOut = "left out: "

// programs reports whether tests may use other programs.
func programs() bool { return os.Getenv("CITEKIT_PROGRAMS") != "no" }

// packageDir returns the directory of the tested package, relative to the
// module.
var packageDir = func() string {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.Rel(module, dir)
	}
	if err != nil {
		return "."
	}
	return filepath.ToSlash(dir)
}()

// noteUser records the package and the name of a test that uses more files if
// they exist, so that it can be run again on a machine that has them.
func noteUser(t testing.TB) {
	t.Helper()
	list := os.Getenv("CITEKIT_SHARED_USERS")
	if list == "" {
		return
	}
	f, err := os.OpenFile(list, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	if _, err := fmt.Fprintf(f, "./%s %s\n", packageDir, name); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Corpus returns the path of a file of the corpus, given with forward slashes:
// that of the real file if [Extra] has it, else that of the file which package
// testcorpus makes. Both have the same names. If a program that makes the file
// is missing, it skips or fails the test like [Tool].
func Corpus(t testing.TB, name string) string {
	t.Helper()
	if dir, ok := Extra(t); ok {
		return filepath.Join(dir, "corpus", filepath.FromSlash(name))
	}
	return Made(t, name)
}

// Made returns the path of a file that package testcorpus makes. With -short it
// skips the test if the files are not made yet.
func Made(t testing.TB, name string) string {
	t.Helper()
	if !programs() {
		Missing(t, "the programs that make the test files")
	}
	if testing.Short() && !testcorpus.IsMade() {
		t.Skip("-short: the test files are not made yet")
	}
	dir, err := testcorpus.Dir()
	if errors.Is(err, testcorpus.ErrTool) {
		Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// Read returns the content of a file. If it cannot be read, the test ends.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Write writes a file that only its owner may read. If it cannot be written, the test
// ends.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Script writes a program that runs lines of a shell, and returns its path. On Windows
// it skips the test.
func Script(t testing.TB, lines string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts are not programs here")
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// Share returns every n-th of the files of a corpus, or all of them if CITEKIT_LONG is
// set, as comparing each takes seconds. Tests begin with different ones, by their names.
func Share[T any](t testing.TB, files []T, n int) []T {
	t.Helper()
	if Long() {
		return files
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	first := fnv.New32a()
	first.Write([]byte(name))
	var some []T
	for i := int(first.Sum32() % uint32(n)); i < len(files); i += n {
		some = append(some, files[i])
	}
	return some
}

// Tool returns the path of a program, such as "ffmpeg". If it is not installed,
// the test fails if CI is set, and else is skipped. With -short it is skipped, as
// comparing with other programs takes seconds.
func Tool(t testing.TB, name string) string {
	t.Helper()
	skipShort(t, name)
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	Missing(t, name+" is not installed")
	return ""
}

// NotShort skips a test that takes half a second or more if -short is set.
func NotShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: takes too long")
	}
}

// Again is set in the environment where tests run a second time, with the race detector.
const Again = "CITEKIT_AGAIN"

// Once skips a test in which no goroutines meet where tests run a second time, to look
// for races.
func Once(t testing.TB) {
	t.Helper()
	if os.Getenv(Again) != "" {
		t.Skip("no goroutines meet in it")
	}
}

// skipShort skips a test that runs a program if -short is set, or if programs count as
// missing.
func skipShort(t testing.TB, name string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: not run with " + name)
	}
	if !programs() {
		Missing(t, name)
	}
}

// Python returns the path of a Python that has a module: the first one on PATH,
// or that of the system. Without one, it skips or fails the test like [Tool].
func Python(t testing.TB, module string) string {
	t.Helper()
	skipShort(t, "Python")
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import "+module).Run() == nil {
			return path
		}
	}
	Missing(t, "no Python has the module "+module)
	return ""
}

// NodeModules returns the directory of the packages that the tests with clients
// in JavaScript need: the one named by CITEKIT_NODE_MODULES, else npm's
// default. Without the SDK for TypeScript in it, the test fails if CI is set,
// and else is skipped. With -short it is skipped.
func NodeModules(t testing.TB) string {
	t.Helper()
	return npm(t, "TypeScript client", "CITEKIT_NODE_MODULES", "mcpadapter/testdata/client", "@modelcontextprotocol/sdk")
}

// ConformanceSuites is [NodeModules] for the conformance suites of the protocol, and
// CITEKIT_CONFORMANCE.
func ConformanceSuites(t testing.TB) string {
	t.Helper()
	return npm(t, "conformance suites", "CITEKIT_CONFORMANCE", "mcpadapter/testdata/conformance", "conformance-next")
}

// CitationReaders is [NodeModules] for packages that read citations, and
// CITEKIT_READERS.
func CitationReaders(t testing.TB) string {
	t.Helper()
	return npm(t, "readers of citations", "CITEKIT_READERS", "citation/testdata/readers", "jsonld")
}

// APIClient is [NodeModules] for packages that make clients of the JSON interface from
// its description, and check that, and CITEKIT_API_CLIENT.
func APIClient(t testing.TB) string {
	t.Helper()
	return npm(t, "maker of clients", "CITEKIT_API_CLIENT", "api/testdata/client", "openapi-typescript")
}

// Browser is [NodeModules] for packages that drive a browser, and CITEKIT_BROWSER_MODULES.
// It also returns the path of the browser, Chromium, which counts as missing too.
func Browser(t testing.TB) (modules, chromium string) {
	t.Helper()
	modules = npm(t, "driver of a browser", "CITEKIT_BROWSER_MODULES", "internal/test/e2e/testdata/browser", "playwright-core")
	return modules, Tool(t, "chromium")
}

// npm returns the directory of packages of npm that a variable names, else that of a
// folder of the module. If one of them is not there, they count as missing.
func npm(t testing.TB, what, variable, folder, one string) string {
	t.Helper()
	skipShort(t, "Node")
	dir := os.Getenv(variable)
	if dir == "" {
		dir = filepath.Join(module, filepath.FromSlash(folder), "node_modules")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(one))); err != nil {
		Missing(t, fmt.Sprintf("no %s: run npm ci in %s, or set %s", what, folder, variable))
	}
	return dir
}

// Modules returns the directories of the modules that go.mod requires, by path. What is
// in them is the same on each machine, unlike what is in the cache of all modules.
func Modules(t testing.TB) []string {
	t.Helper()
	var required struct{ Require []struct{ Path string } }
	if err := json.Unmarshal(goOutput(t, "mod", "edit", "-json"), &required); err != nil {
		t.Fatal(err)
	}
	list := []string{"list", "-m", "-f", "{{.Dir}}"}
	for _, m := range required.Require {
		list = append(list, m.Path)
	}
	// A module that no package has needed so far has no directory.
	return strings.Fields(string(goOutput(t, list...)))
}

// GoRoot returns the directory of Go's own sources and documents.
func GoRoot(t testing.TB) string {
	t.Helper()
	return strings.TrimSpace(string(goOutput(t, "env", "GOROOT")))
}

func goOutput(t testing.TB, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(Tool(t, "go"), args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// Convert returns the path of ImageMagick's program: that of the system if
// there is one, because another program may have the same name. Without one, it
// skips or fails the test like [Tool].
func Convert(t testing.TB) string {
	t.Helper()
	skipShort(t, "ImageMagick")
	const system = "/usr/bin/convert"
	if _, err := os.Stat(system); err == nil {
		return system
	}
	return Tool(t, "convert")
}

// Long reports whether CITEKIT_LONG is set. If so, tests may take minutes and
// run all their cases; else they run some cases of every kind.
func Long() bool { return os.Getenv("CITEKIT_LONG") != "" }

// Missing skips the test because something outside the project is missing, or
// fails it if CI is set.
func Missing(t testing.TB, message string) {
	t.Helper()
	if os.Getenv("CI") != "" && programs() {
		t.Fatal(message)
	}
	t.Skip(LeftOut + message)
}

// module is the directory of the module. Tests start in the directory of their package.
var module = func() string {
	start, err := os.Getwd()
	if err != nil {
		return "."
	}
	for dir := start; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "citekit.go")); err == nil {
			return dir
		}
	}
	return start
}()
