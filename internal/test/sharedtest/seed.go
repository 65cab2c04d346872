package sharedtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seed returns the seed of a test's chance: the number in CITEKIT_SEED, else 1,
// or one at random if CITEKIT_LONG is set. If the test fails, it says how to run
// it with the same seed.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("CITEKIT_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("CITEKIT_SEED is %q, not a number from 0", text)
		}
		seed = given
	} else if Long() {
		seed = rand.Uint64()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run it again with CITEKIT_SEED=%d", seed)
		}
	})
	return seed
}

// Rand returns the source of a test's chance, seeded by [Seed]. It is not safe
// for use by several goroutines.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}
