package pdf

import "fmt"

// Work is the work done so far to read a document.
type Work struct {
	Objects int64 // objects parsed, including repeats
	Parsed  int64 // bytes of objects
	Read    int64 // bytes read from the file
	Decoded int64 // bytes returned by filters and decryption
	Visited int64 // entries of arrays and dictionaries visited
}

// A Budget limits the work of one job on a document, whatever opens it and however
// often. The limit is a constant that suits any small file plus a multiple of the
// file size. It is not safe for concurrent use.
type Budget struct {
	whole *Budget // the budget that this is a part of, or nil
	limit Work
	spent Work
}

// NewBudget returns a budget for a file of size bytes.
func NewBudget(size int64) *Budget {
	size = max(size, 0)
	return &Budget{limit: Work{
		Objects: 1<<20 + size/8,
		Parsed:  24<<20 + 4*size,
		Read:    256<<20 + 16*size,
		Decoded: min(128<<20+16*size, 1<<30),
		Visited: 8<<20 + 2*size,
	}}
}

// Spent returns the work done so far.
func (b *Budget) Spent() Work { return b.spent }

// Exhausted reports whether the work done exceeds the limit.
func (b *Budget) Exhausted() bool { return b.check() != nil }

// Limit returns the largest amount of work that b allows.
func (b *Budget) Limit() Work { return b.limit }

// Part returns a budget of the n-th part of the rest of b. Its work also counts for
// b.
func (b *Budget) Part(n int64) *Budget {
	return &Budget{whole: b, limit: Work{
		Objects: (b.limit.Objects - b.spent.Objects) / n,
		Parsed:  (b.limit.Parsed - b.spent.Parsed) / n,
		Read:    (b.limit.Read - b.spent.Read) / n,
		Decoded: (b.limit.Decoded - b.spent.Decoded) / n,
		Visited: (b.limit.Visited - b.spent.Visited) / n,
	}}
}

// spend adds work to b and to the budget it is a part of. The error matches
// [ErrLimit] if that exceeds a limit.
func (b *Budget) spend(w Work) error {
	for ; b != nil; b = b.whole {
		b.spent.Objects += w.Objects
		b.spent.Parsed += w.Parsed
		b.spent.Read += w.Read
		b.spent.Decoded += w.Decoded
		b.spent.Visited += w.Visited
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

func (b *Budget) check() error {
	switch {
	case b.spent.Parsed > b.limit.Parsed:
		return overspent("bytes of objects to read", b.limit.Parsed)
	case b.spent.Objects > b.limit.Objects:
		return overspent("objects to read", b.limit.Objects)
	case b.spent.Read > b.limit.Read:
		return overspent("bytes to read", b.limit.Read)
	case b.spent.Decoded > b.limit.Decoded:
		return overspent("bytes to decode", b.limit.Decoded)
	case b.spent.Visited > b.limit.Visited:
		return overspent("entries to look at", b.limit.Visited)
	}
	return nil
}

func overspent(what string, limit int64) error {
	return fmt.Errorf("more than %d %s: %w", limit, what, ErrLimit)
}
