package index

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// maxSegment is the largest size of a segment, in bytes.
const maxSegment = 1 << 30

// A heldSegment is an open segment that snapshots share. Releasing the last of
// them closes it.
type heldSegment struct {
	key   string
	data  *segment.Segment
	unmap func()
	users atomic.Int64
	begun bool // it has parts of resources that are not the last ones

	languages []string // of its texts
}

// errLost reports a segment that is missing, damaged, or not the expected one.
var errLost = errors.New("search: a segment is lost")

// openSure opens evidence. It tries again if the evidence is missing: a store
// also reports evidence as missing that it cannot read for a moment, and a
// segment reported as lost must be made again.
func openSure(ctx context.Context, store Store, key string) (content io.ReadSeekCloser, stored *citekit.StoredEvidence, err error) {
	const tries = 3
	for range tries {
		content, stored, err = store.OpenEvidence(ctx, key)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return content, stored, err
}

// openHeld opens the segment of a record, for one user.
func openHeld(ctx context.Context, store Store, r segmentRecord) (*heldSegment, error) {
	content, stored, err := openSure(ctx, store, r.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errLost
	}
	if err != nil {
		return nil, err
	}
	defer content.Close()
	if stored.SHA256 != r.SHA256 || stored.Size != r.Size || r.Size <= 0 || r.Size > maxSegment {
		return nil, errLost
	}
	data, unmap, err := load(ctx, content, r)
	if err != nil {
		return nil, err
	}
	h := &heldSegment{key: r.Key, unmap: unmap}
	h.users.Store(1)
	if h.data, err = segment.Open(data); err != nil || h.data.Docs() != r.Entries || h.data.Resources() != r.Resources {
		h.release()
		return nil, errLost
	}
	for n := range h.data.Resources() {
		if r, _ := h.data.Resource(n); !r.Final {
			h.begun = true
			break
		}
	}
	_ = segment.Guard(func() error {
		for k := range h.data.Keywords(languageKeyword) {
			h.languages = append(h.languages, k[len(languageKeyword):])
		}
		return nil
	})
	return h, nil
}

// resources returns how many resources the segment has the last parts of, without those
// that are outdated.
func (h *heldSegment) resources(dead []int) int {
	count := h.data.Resources() - len(dead)
	if !h.begun {
		return count
	}
	for n := range h.data.Resources() {
		if r, _ := h.data.Resource(n); !r.Final && !isDead(dead, n) {
			count--
		}
	}
	return count
}

func (h *heldSegment) release() {
	if h.users.Add(-1) == 0 {
		h.unmap()
	}
}
