package workspace

import (
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/citekit/citekit"
)

// An evidenceUse counts how evidence is used.
type evidenceUse struct{ hits, misses atomic.Int64 }

// EvidenceUse returns how often evidence was looked for by
// [citekit.EvidenceStore] and found, and how often it was not there, since the
// workspace was opened. What is opened to be read does not count.
func (u *evidenceUse) EvidenceUse() (hits, misses int64) { return u.hits.Load(), u.misses.Load() }

// counted counts what a look for evidence returned, and returns it.
func (u *evidenceUse) counted(found *citekit.StoredEvidence, err error) (*citekit.StoredEvidence, error) {
	switch {
	case err == nil:
		u.hits.Add(1)
	case errors.Is(err, fs.ErrNotExist):
		u.misses.Add(1)
	}
	return found, err
}
