package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// printReached prints the packages with tests that are changed by what came since a
// revision, committed or not, or that depend on such a package. A change of a file that
// belongs to no package, such as go.mod, reaches all but if it is documentation.
func printReached(ctx context.Context, out io.Writer, revision string) error {
	changed, err := lines(ctx, "git", "diff", "--name-only", revision)
	if err != nil {
		return err
	}
	listed, err := lines(ctx, "go", "list", "-test", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...")
	if err != nil {
		return err
	}
	for _, reached := range reachedBy(changed, listed) {
		fmt.Fprintln(out, reached)
	}
	return nil
}

// reachedBy returns the packages that changed files reach. Each line of listed is a
// package, or the program of its tests, and all that it depends on.
func reachedBy(changed, listed []string) []string {
	known := make(map[string]bool)
	for _, line := range listed {
		known[packageOf(line)] = true
	}
	touched := make(map[string]bool)
	for _, file := range changed {
		dir := path.Dir(file)
		for dir != "." && !known[importPath(dir)] { // such as testdata
			dir = path.Dir(dir)
		}
		switch {
		case dir != "." || strings.HasSuffix(file, ".go"):
			touched[importPath(dir)] = true
		case file == "go.mod" || file == "go.sum":
			touched = known
		}
		if len(touched) == len(known) {
			break
		}
	}
	var reached []string
	for _, line := range listed {
		depends := slices.ContainsFunc(strings.Fields(line), func(word string) bool { return touched[word] })
		if p := packageOf(line); depends || touched[p] {
			reached = append(reached, "./"+shortPath(p))
		}
	}
	slices.Sort(reached)
	return slices.Compact(reached)
}

// packageOf returns the package of a line of "go list -test": that which is tested, for
// "p.test" and "p [q.test]" too.
func packageOf(line string) string {
	name, _, _ := strings.Cut(line, " ")
	return strings.TrimSuffix(strings.TrimSuffix(name, ".test"), "_test")
}

func importPath(dir string) string { return path.Join(modulePath, dir) }

func lines(ctx context.Context, program string, args ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("%s %s: %s", program, args[0], strings.TrimSpace(string(exit.Stderr)))
		}
		return nil, fmt.Errorf("%s %s: %w", program, args[0], err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}
