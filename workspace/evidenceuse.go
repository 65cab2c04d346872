package workspace

import (
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/citekit/citekit"
)

// An evidenceUse counts how evidence is used.
type evidenceUse struct {
	hits, misses atomic.Int64
	fullUntil    atomic.Int64 // in nanoseconds since 1970; see [Directory.EvidenceFull]
}

// EvidenceUse returns how often evidence was looked up through
// [citekit.EvidenceStore] and found, and how often it was missing, since the
// workspace was opened. Opening evidence to read it is not counted.
func (u *evidenceUse) EvidenceUse() (hits, misses int64) { return u.hits.Load(), u.misses.Load() }

// counted counts the result of a lookup of evidence, and returns it.
func (u *evidenceUse) counted(found *citekit.StoredEvidence, err error) (*citekit.StoredEvidence, error) {
	switch {
	case err == nil:
		u.hits.Add(1)
	case errors.Is(err, fs.ErrNotExist):
		u.misses.Add(1)
	}
	return found, err
}
