package index

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// Ext is the extension of the files of segments.
const Ext = ".seg"

const (
	keyBytes  = 32
	keyInName = 16 // digits
	writeSize = 256 << 10
)

// errStopped tells the writer of a segment that nobody reads it any more.
var errStopped = errors.New("search: the segment was not stored")

// storeSegment stores the output of write as a segment. The caller sets the
// counts of the record.
func (l *Local) storeSegment(ctx context.Context, write func(io.Writer) error) (segmentRecord, error) {
	var random [keyBytes]byte
	rand.Read(random[:])
	key := hex.EncodeToString(random[:])
	out, in := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w := bufio.NewWriterSize(in, writeSize)
		err := write(w)
		if err == nil {
			err = w.Flush()
		}
		in.CloseWithError(err)
	}()
	meta := citekit.EvidenceMeta{Name: "search_segment-" + key[:keyInName] + Ext, Size: -1, MediaType: "application/octet-stream", Keep: true}
	stored, err := l.store.StoreEvidence(ctx, key, meta, out)
	out.CloseWithError(errStopped)
	<-ended // write reads from segments that the caller will release
	if err != nil {
		return segmentRecord{}, fmt.Errorf("search: store a segment: %w", err)
	}
	return segmentRecord{Key: key, SHA256: stored.SHA256, Size: stored.Size}, nil
}

// discard deletes the segments of a failed change. The change may have been
// made despite the error, so segments that the manifest names stay. If the
// manifest cannot be read, all of them stay.
func (l *Local) discard(ctx context.Context, records []segmentRecord) {
	if len(records) == 0 {
		return
	}
	if m, _, err := l.readManifest(context.WithoutCancel(ctx), nil); err == nil && m.lost() == 0 {
		l.remove(ctx, notIn(records, &m))
	}
}

// remove deletes segments that no manifest names, if the store supports that.
// Otherwise, or if it fails, they are evicted after a long time without use.
func (l *Local) remove(ctx context.Context, records []segmentRecord) {
	d, ok := l.store.(workspace.Deleter)
	if !ok {
		return
	}
	ctx = context.WithoutCancel(ctx)
	for _, r := range records {
		_ = d.DeleteKept(ctx, workspace.Kept{Kind: workspace.KeptEvidence, Name: r.Key})
	}
}
