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
		_, self, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(self), "..", "..", "..", "shared")
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
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}
