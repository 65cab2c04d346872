package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// An event is a line of "go test -json".
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// A test is a test by the path of its package and its name; without a name it is what
// the package prints outside tests.
type test struct{ pkg, name string }

// A report collects the events of all runs. It is safe for concurrent use.
type report struct {
	out   io.Writer
	times string // file of the timings; "" means none

	mu              sync.Mutex
	broken          bool // a run of "go test" failed
	printed         map[test][]string
	failed          map[test]bool
	passed, skipped int
	leftOut         map[test]string // why
}

func newReport(out io.Writer) *report {
	return &report{out: out, printed: make(map[test][]string), failed: make(map[test]bool), leftOut: make(map[test]string)}
}

// places returns how many packages are tested at a time: one more than there are
// processors, as some tests wait for a disk or for time to pass.
func places() int { return runtime.GOMAXPROCS(0) + 1 }

// runAll runs jobs: one after the other if they have several packages, which "go test"
// runs side by side, else as many at a time as there are places.
func runAll(ctx context.Context, jobs []job, r *report) error {
	together := 1
	if !slices.ContainsFunc(jobs, func(j job) bool { return len(j.packages) > 1 }) {
		together = places()
	}
	free := make(chan struct{}, together)
	failed := make([]error, len(jobs))
	var all sync.WaitGroup
	for i, j := range jobs {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			failed[i] = r.run(ctx, j)
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func (r *report) run(ctx context.Context, j job) error {
	args := []string{"test", "-json", "-vet=off", "-timeout=40m", fmt.Sprint("-p=", places())} // a slow machine is no fault
	if j.race {
		args = append(args, "-race")
	}
	if j.pattern != "" {
		args = append(args, "-run", j.pattern)
	}
	if r.times != "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		args = append(args, "-exec", fmt.Sprintf("%s %s %s", self, watchCommand, r.times))
	}
	args = append(append(args, j.args...), j.packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	// For what tests build too. What only a debugger needs doubles the time to link.
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w")
	if j.race { // else each program waits a second before it ends
		cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	}
	if j.again {
		cmd.Env = append(cmd.Env, sharedtest.Again+"=1")
	}
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.take(line, j)
		}
		if err != nil {
			break
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return cmp.Or(ctx.Err(), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = r.broken || !cmd.ProcessState.Success()
	return nil
}

func (r *report) take(line []byte, j job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		r.out.Write(line)
		return
	}
	t := test{e.Package, e.Test}
	switch e.Action {
	case "output":
		r.printed[t] = append(r.printed[t], e.Output)
	case "build-output":
		io.WriteString(r.out, e.Output)
	case "pass", "fail", "skip":
		r.end(t, e, j)
	}
}

// end takes note of the end of a test or a package.
func (r *report) end(t test, e event, j job) {
	fails := e.Action == "fail"
	if t.name == "" {
		r.endPackage(t.pkg, e, j.race, fails)
		return
	}
	top, _, sub := strings.Cut(t.name, "/")
	switch {
	case fails:
		r.failed[t] = true
	case j.again:
	case e.Action == "skip":
		if why := whyLeftOut(r.printed[t]); why != "" {
			r.leftOut[test{t.pkg, top}] = why
		}
		if !sub {
			r.skipped++
		}
	case !sub:
		r.passed++
	}
	if !fails {
		delete(r.printed, t)
	}
}

func (r *report) endPackage(path string, e event, race, fails bool) {
	result, detector := "ok  ", ""
	if e.Action == "skip" { // no tests
		return
	}
	if race {
		detector = "  -race"
	}
	if fails {
		result = "FAIL"
		r.printFailures(path)
	}
	fmt.Fprintf(r.out, "%s  %s  %.1fs%s\n", result, shortPath(path), e.Elapsed, detector)
	maps.DeleteFunc(r.printed, func(t test, _ []string) bool { return t.pkg == path })
}

// maxPrinted is how many lines of a failed test are printed: its last.
const maxPrinted = 100

// printFailures prints what the failed tests of a package printed, or what the package
// did, if no test of it failed.
func (r *report) printFailures(path string) {
	var failed []test
	for t := range r.failed {
		if t.pkg == path && t.name != "" {
			failed = append(failed, t)
		}
	}
	if failed == nil {
		failed = []test{{path, ""}}
		r.failed[failed[0]] = true
	}
	slices.SortFunc(failed, func(a, b test) int { return strings.Compare(a.name, b.name) })
	for _, t := range failed {
		lines := r.printed[t]
		fmt.Fprintf(r.out, "FAIL  %s %s\n%s", shortPath(path), t.name, strings.Join(lines[max(0, len(lines)-maxPrinted):], ""))
	}
}

// whyLeftOut returns what a test was missing, if that is another program.
func whyLeftOut(printed []string) string {
	_, why, ok := strings.Cut(strings.Join(printed, ""), sharedtest.LeftOut)
	if !ok {
		return ""
	}
	why, _, _ = strings.Cut(why, "\n")
	return cmp.Or(strings.TrimSpace(why), "another program")
}

// leftOutTests returns a line for each test that was left out.
func (r *report) leftOutTests() []string {
	var lines []string
	for t := range r.leftOut {
		lines = append(lines, fmt.Sprintf("%s %s\n", "./"+shortPath(t.pkg), t.name))
	}
	slices.Sort(lines)
	return lines
}

const modulePath = "github.com/citekit/citekit"

// shortPath returns the directory of a package below the module.
func shortPath(path string) string {
	if path == modulePath {
		return "."
	}
	return strings.TrimPrefix(path, modulePath+"/")
}

// printSlowest prints the n tests that took longest.
func (r *report) printSlowest(n int) error {
	if n == 0 || r.times == "" {
		return nil
	}
	data, err := os.ReadFile(r.times)
	if err != nil {
		return err
	}
	var all []testTime
	for line := range bytes.Lines(data) {
		var t testTime
		if err := json.Unmarshal(line, &t); err != nil {
			return err
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b testTime) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	fmt.Fprintf(r.out, "\nThe slowest tests, in seconds:\n%8s %10s\n", "elapsed", "processor")
	for _, t := range all[:min(n, len(all))] {
		fmt.Fprintf(r.out, "%8.1f %10.1f  %s %s\n", t.Elapsed.Seconds(), t.CPU.Seconds(), t.Package, t.Test)
	}
	return nil
}

// close prints the closing lines. It returns an error if a test failed.
func (r *report) close(took time.Duration, closing string) error {
	tests := 0
	for t := range r.failed {
		if !strings.Contains(t.name, "/") {
			tests++
		}
	}
	fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped\n", r.passed, tests, r.skipped)
	fmt.Fprintf(r.out, "In %v.", took.Round(time.Second))
	if n := len(r.leftOut); n > 0 {
		fmt.Fprintf(r.out, " %d tests, or parts of them, need other programs and were left out: ./test.sh --all installs those and runs everything.", n)
	}
	if closing != "" {
		fmt.Fprint(r.out, " ", closing)
	}
	fmt.Fprintln(r.out)
	switch {
	case tests > 0:
		return fmt.Errorf("%d tests failed", tests)
	case r.broken:
		return errors.New("go test failed")
	}
	return nil
}
