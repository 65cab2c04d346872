package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// A testedPackage is a package that has tests.
type testedPackage struct {
	path       string
	concurrent bool // its code, without tests, starts goroutines or synchronizes them
}

func listPackages(ctx context.Context, patterns []string) ([]testedPackage, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles"}, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []testedPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir                    string
			GoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		concurrent, err := isConcurrent(p.Dir, p.GoFiles)
		if err != nil {
			return nil, err
		}
		packages = append(packages, testedPackage{p.ImportPath, concurrent})
	}
}

// meeting matches code in which goroutines meet. A sync.Once alone is not watched: it
// has nothing that a test of one goroutine could get wrong.
var meeting = lazyregexp.New(`\bgo func\(|(?m)^\s*go [\w.]+\(|\bchan\b|\.Go\(func|\bsync\.(Mutex|RWMutex|WaitGroup|Map|Cond|Pool)|\batomic\.\w`)

func isConcurrent(dir string, files []string) (bool, error) {
	for _, name := range files {
		code, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return false, err
		}
		if meeting.MatchString(string(code)) {
			return true, nil
		}
	}
	return false, nil
}

// hasCompiler reports whether there is a C compiler, which the race detector needs.
func hasCompiler(ctx context.Context) bool {
	out, err := exec.CommandContext(ctx, "go", "env", "CC").Output()
	if err != nil {
		return false
	}
	_, err = exec.LookPath(strings.TrimSpace(string(out)))
	return err == nil
}
