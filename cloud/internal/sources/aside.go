package sources

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// maxAside is the most that is kept beside a source under one name, in bytes.
const maxAside = 32 << 20

// An aside keeps things beside one version of a source, as evidence.
type aside struct {
	store    EvidenceStore
	identity string // of the version
}

// do is [citekit.SourceInfo.Aside].
func (a *aside) do(ctx context.Context, name string, data []byte) ([]byte, error) {
	key := ctxio.HashParts("aside", a.identity, name)
	if data == nil {
		return a.load(ctx, key)
	}
	if len(data) > maxAside {
		return nil, fmt.Errorf("%d bytes to keep beside a source; at most %d: %w", len(data), maxAside, citekit.ErrTooLarge)
	}
	meta := citekit.EvidenceMeta{Name: "aside-" + key[:16] + ".bin", Size: int64(len(data)), MediaType: "application/octet-stream", Keep: true}
	_, err := a.store.StoreEvidence(ctx, key, meta, bytes.NewReader(data))
	return data, err
}

func (a *aside) load(ctx context.Context, key string) ([]byte, error) {
	content, stored, err := a.store.OpenEvidence(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(ctxio.Reader(ctx, content), maxAside))
	if err == nil && ctxio.HashOf(data) != stored.SHA256 {
		err = fs.ErrNotExist
	}
	return data, err
}
