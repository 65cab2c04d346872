package index

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
)

// A fullStore stores nothing.
type fullStore struct{ Store }

var errFull = errors.New("no space left")

func (fullStore) StoreEvidence(context.Context, string, citekit.EvidenceMeta, io.Reader) (*citekit.StoredEvidence, error) {
	return nil, errFull
}

// Nothing is read of segments any more when a segment could not be stored: they
// may be unmapped then.
func TestStoreSegmentEnds(t *testing.T) {
	var ended atomic.Bool
	_, err := New(fullStore{}, nil).storeSegment(t.Context(), func(w io.Writer) (err error) {
		for err == nil {
			_, err = w.Write(make([]byte, writeSize))
		}
		time.Sleep(20 * time.Millisecond) // as if it read on
		ended.Store(true)
		return err
	})
	if !errors.Is(err, errFull) || !ended.Load() {
		t.Errorf("%v; the writer has ended: %t", err, ended.Load())
	}
}
