// Testrun runs the tests of this module as ./test.sh does: all of them once, and where
// goroutines meet the short ones again with the race detector. It prints a line for each
// package, what failed, and what was left out because another program is missing.
//
// With -leftout it writes the tests that were left out to a file, which -only reads to
// run just those. With -times and -slowest it prints the tests that took longest, with
// their processor time. What follows the flags goes to "go test".
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/test/testcorpus"
)

// Options are the flags of the program.
type options struct {
	leftOut string   // file to which the tests that were left out are written
	only    string   // file with the tests to run, as leftOut has them
	times   string   // file to which the times of the tests are added
	slowest int      // how many of the slowest tests of that file are printed
	race    string   // "short", "no" or "all"
	args    []string // for "go test"
}

func main() {
	if len(os.Args) > 3 && os.Args[1] == watchCommand {
		os.Exit(watch(os.Args[2], os.Args[3:]))
	}
	var o options
	flag.StringVar(&o.leftOut, "leftout", "", "write the tests that were left out to this `FILE`")
	flag.StringVar(&o.only, "only", "", "run the tests that this `FILE` names, a package and a test in each line")
	flag.StringVar(&o.times, "times", "", "add how long each test took to this `FILE`; results are then not cached")
	flag.IntVar(&o.slowest, "slowest", 0, "print the `N` slowest tests of that file with their processor time")
	flag.StringVar(&o.race, "race", "short", "use the race detector for the `short` tests where goroutines meet, for all or for no tests")
	prepare := flag.Bool("prepare", false, "make the files that tests read, once for each version of the programs that make them, and end")
	since := flag.String("reached", "", "print the packages that the changes since a `REVISION` reach, and end")
	flag.Parse()
	o.args = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *prepare:
		err = makeCorpus(os.Stderr)
	case *since != "":
		err = printReached(ctx, os.Stdout, *since)
	default:
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}

// makeCorpus makes the files that many tests read, which takes a minute or two.
func makeCorpus(out io.Writer) error {
	if testcorpus.IsMade() {
		return nil
	}
	start := time.Now()
	fmt.Fprintln(out, "making the files that tests read, with ffmpeg, qpdf and others …")
	dir, err := testcorpus.Dir()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "made in %v: %s\n", time.Since(start).Round(time.Second), dir)
	return nil
}

func run(ctx context.Context, o options) error {
	start := time.Now()
	if !slices.Contains([]string{"short", "all", "no"}, o.race) {
		return fmt.Errorf("-race=%s: it is short, all or no", o.race)
	}
	jobs, closing, err := plan(ctx, o)
	if err != nil {
		return err
	}
	r := newReport(os.Stdout)
	if o.times != "" {
		if r.times, err = filepath.Abs(o.times); err != nil {
			return err
		}
	}
	if err := runAll(ctx, jobs, r); err != nil {
		return err
	}
	if o.leftOut != "" {
		if err := os.WriteFile(o.leftOut, []byte(strings.Join(r.leftOutTests(), "")), 0o600); err != nil {
			return err
		}
	}
	if err := r.printSlowest(o.slowest); err != nil {
		return err
	}
	return r.close(time.Since(start), closing)
}

// A job is one run of "go test".
type job struct {
	race     bool
	again    bool   // these tests ran before, and are not counted
	pattern  string // of the tests; "" means all
	packages []string
	args     []string
}

// plan returns the runs of "go test", and a sentence about what they cannot do.
func plan(ctx context.Context, o options) (jobs []job, closing string, err error) {
	if o.only != "" {
		jobs, err = readOnly(o.only, o.args)
		return jobs, "", err
	}
	packages, err := listPackages(ctx, packagesIn(o.args))
	if err != nil {
		return nil, "", err
	}
	args := slices.DeleteFunc(slices.Clone(o.args), isPackage)
	compiler := hasCompiler(ctx)
	if !compiler && o.race != "no" {
		closing = "The race detector was not used: it needs a C compiler, such as gcc."
	}
	all := job{args: args, race: compiler && o.race == "all"}
	// The seeds of fuzz targets are parsed by one goroutine.
	short := job{args: append([]string{"-short", "-skip=^Fuzz"}, args...), race: true, again: true}
	for _, p := range packages {
		all.packages = append(all.packages, p.path)
		if compiler && o.race == "short" && p.concurrent {
			short.packages = append(short.packages, p.path)
		}
	}
	if len(short.packages) == 0 {
		return []job{all}, closing, nil
	}
	return []job{all, short}, closing, nil
}

// isPackage reports whether an argument of "go test" names packages.
func isPackage(arg string) bool { return arg == "." || strings.HasPrefix(arg, "./") }

func packagesIn(args []string) []string {
	var packages []string
	for _, arg := range args {
		if isPackage(arg) {
			packages = append(packages, arg)
		}
	}
	if packages == nil {
		return []string{"./..."}
	}
	return packages
}

// readOnly returns a job for each package that a file names.
func readOnly(name string, args []string) ([]job, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	tests := make(map[string][]string)
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) != 2 {
			return nil, fmt.Errorf("%s: %q is not a package and a test", filepath.Base(name), strings.TrimSpace(line))
		}
		tests[words[0]] = append(tests[words[0]], words[1])
	}
	var jobs []job
	for path, names := range tests {
		slices.Sort(names)
		names = slices.Compact(names)
		jobs = append(jobs, job{packages: []string{path}, pattern: "^(" + strings.Join(names, "|") + ")$", args: args})
	}
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.packages[0], b.packages[0]) })
	return jobs, nil
}
