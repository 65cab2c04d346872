// Package sharedtest finds what tests need from outside the project: a
// directory of real files, and independent tools to compare with.
package sharedtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir returns the directory named by CITEKIT_SHARED, else the directory
// "shared" beside the module. It skips the test if there is none.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("CITEKIT_SHARED")
	if dir == "" {
		dir = filepath.Join(module(), "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "corpus")); err != nil {
		t.Skipf("no shared test files: set CITEKIT_SHARED to a directory that has corpus/ (looked for %s)", dir)
	}
	return dir
}

// Corpus returns the path of a file below the corpus, given with forward
// slashes. It skips the test if there is no corpus.
func Corpus(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(Dir(t), "corpus", filepath.FromSlash(name))
}

// Tool returns the path of a program, such as "ffmpeg". If it is not
// installed the test fails where CI is set and is skipped elsewhere.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	Missing(t, name+" is not installed")
	return ""
}

// Python returns the path of a Python that has a module: the first one on PATH,
// or that of the system. Where none has, it is as with [Tool].
func Python(t testing.TB, module string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import "+module).Run() == nil {
			return path
		}
	}
	Missing(t, "no Python has the module "+module)
	return ""
}

// NodeModules returns the directory of the packages that the tests with
// clients in JavaScript need: the one named by CITEKIT_NODE_MODULES, else where
// npm puts them. Without the SDK for TypeScript in it the test fails where CI
// is set and is skipped elsewhere.
func NodeModules(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("CITEKIT_NODE_MODULES")
	if dir == "" {
		dir = filepath.Join(module(), "mcpadapter", "testdata", "client", "node_modules")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "@modelcontextprotocol", "sdk")); err != nil {
		Missing(t, "no TypeScript client: run npm install in mcpadapter/testdata/client, or set CITEKIT_NODE_MODULES")
	}
	return dir
}

// Convert returns the path of ImageMagick's program: the one of the system,
// where there is one, for another program may have its name. It skips or
// fails the test as Tool does.
func Convert(t testing.TB) string {
	t.Helper()
	const system = "/usr/bin/convert"
	if _, err := os.Stat(system); err == nil {
		return system
	}
	return Tool(t, "convert")
}

// Long reports whether tests should take minutes, with every case they know:
// if CITEKIT_LONG is set. Else they take some cases of every kind.
func Long() bool { return os.Getenv("CITEKIT_LONG") != "" }

// Missing skips the test for want of something outside the project, or fails
// it where CI is set.
func Missing(t testing.TB, message string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(message)
	}
	t.Skip(message)
}

// module returns the directory of the module.
func module() string {
	_, self, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(self), "..", "..")
}
