package modalitytest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
)

// settleStep is the time between two looks at what has to end after a call.
const settleStep = 10 * time.Millisecond

// settleSteps is how often it is looked at: for three minutes, so that only what
// never ends reaches it.
var settleSteps = 18_000

// checkLeaks runs everything once, which fills the caches, and then again: the
// numbers of goroutines and child processes must not grow.
func (s *suite) checkLeaks(t testing.TB) {
	before, rounds, steps := 2, 4, 10
	if s.brief() { // a round makes many calls
		before, rounds, steps = 1, 1, 2
	}
	for range before {
		s.leakRound(t)
	}
	settle(func() bool { return false }, steps)
	goroutines, children := runtime.NumGoroutine(), childProcesses()
	for range rounds {
		s.leakRound(t)
	}
	if !settle(func() bool { return runtime.NumGoroutine() <= goroutines }, settleSteps) {
		t.Errorf("%d goroutines, where %d were; calls leave them behind\n%s", runtime.NumGoroutine(), goroutines, stacks())
	}
	if !settle(func() bool { return childProcesses() <= children }, settleSteps) {
		t.Errorf("%d child processes, where %d were; calls leave them behind", childProcesses(), children)
	}
}

// leakRound makes calls with every kind of outcome.
func (s *suite) leakRound(t testing.TB) {
	t.Helper()
	for _, req := range s.requests() {
		src := s.memory(s.Source, false)
		s.resolve(t, t.Context(), src, req, largePiece)
		s.resolve(t, cancelled(), src, req, largePiece)
		s.resolve(t, t.Context(), s.memory(s.Source[:len(s.Source)/2], false), req, largePiece)
		if x, err := s.call(t.Context(), src, req); err == nil && x != nil && x.Body != nil {
			x.Body.Close()
		}
	}
	for _, loc := range s.OutOfRange {
		s.resolve(t, t.Context(), s.memory(s.Source, false), citekit.Request{Location: loc}, largePiece)
	}
	s.leakCompanions(t, t.Context())
	s.leakCompanions(t, cancelled())
}

// leakCompanions maps, measures and reads the source; other checks look at what comes.
func (s *suite) leakCompanions(t testing.TB, ctx context.Context) {
	t.Helper()
	if m, ok := s.resolver.(citekit.Mapper); ok {
		_, _ = s.callMap(t, ctx, m, s.Source)
	}
	if m, ok := s.resolver.(citekit.Measurer); ok {
		_, _ = m.Measure(ctx, s.memory(s.Source, false))
	}
	if _, ok := s.resolver.(citekit.TextReader); ok {
		_, _ = s.readText(t, ctx, s.memory(s.Source, false), s.whole())
		for range s.text(ctx, s.memory(s.Source, false), s.Good[0].Location) {
			break // the caller may stop early
		}
	}
}

// settle waits until done, for at most the given number of steps.
func settle(done func() bool, steps int) bool {
	for range steps {
		if done() {
			return true
		}
		time.Sleep(settleStep)
	}
	return done()
}

func stacks() []byte {
	buf := make([]byte, 1<<16)
	return buf[:runtime.Stack(buf, true)]
}

// childProcesses counts the children of this process if the system lists them,
// as Linux does in /proc; otherwise it returns 0.
func childProcesses() int {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	n := 0
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err == nil {
			n += len(strings.Fields(string(data)))
		}
	}
	return n
}

// checkUnmodified checks that the source is unchanged.
func (s *suite) checkUnmodified(t testing.TB) {
	if !bytes.Equal(s.Source, s.pristine) {
		t.Errorf("the source in memory was modified")
	}
	onDisk, err := os.ReadFile(s.path)
	if err != nil || !bytes.Equal(onDisk, s.pristine) {
		t.Errorf("the source file was modified or removed: %v", err)
	}
}

// checkFiles checks that no file was left in the directory of temporary
// files, beside the source, or in the working directory.
func (s *suite) checkFiles(t testing.TB) {
	if !settle(func() bool { return len(fileNames(s.temp)) == 0 }, settleSteps) {
		t.Errorf("temporary files were left: %v", fileNames(s.temp))
	}
	if names := fileNames(filepath.Dir(s.path)); len(names) != 1 {
		t.Errorf("files appeared beside the source: %v", names)
	}
	if names := fileNames("."); !slices.Equal(names, s.work) {
		t.Errorf("files in the working directory: %v; before: %v", names, s.work)
	}
}
