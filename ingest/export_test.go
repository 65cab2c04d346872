package ingest

import "context"

// NewBudget returns what lends out an amount, for its tests.
func NewBudget(size int64) (acquire func(ctx context.Context, amount int64) (release func(), err error)) {
	b := &budget{size: size, free: size}
	return b.acquire
}

// PairRenames returns the new path of each old one.
func PairRenames(from, to []string) map[string]string { return pairRenames(from, to) }
