package sharedtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A recorder is a failed test that keeps what it logs.
type recorder struct {
	testing.TB
	cleanup func()
	logged  []string
}

func (r *recorder) Cleanup(f func()) { r.cleanup = f }
func (r *recorder) Failed() bool     { return true }
func (r *recorder) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}

func TestSeed(t *testing.T) {
	t.Setenv("CITEKIT_LONG", "")
	t.Setenv("CITEKIT_SEED", "")
	if a, b := sharedtest.Rand(t).Uint64(), sharedtest.Rand(t).Uint64(); a != b {
		t.Errorf("without a seed: %d, then %d", a, b)
	}
	t.Setenv("CITEKIT_LONG", "1")
	if a, b := sharedtest.Rand(t).Uint64(), sharedtest.Rand(t).Uint64(); a == b {
		t.Errorf("with CITEKIT_LONG: %d twice", a)
	}
	r := &recorder{TB: t}
	first := sharedtest.Rand(r).Uint64()
	r.cleanup()
	if len(r.logged) != 1 {
		t.Fatalf("a failed test logs %q", r.logged)
	}
	_, seed, _ := strings.Cut(r.logged[0], "CITEKIT_SEED=")
	t.Setenv("CITEKIT_SEED", seed)
	if again := sharedtest.Rand(t).Uint64(); again != first {
		t.Errorf("with the seed that was logged, %q: %d, not %d", seed, again, first)
	}
}
