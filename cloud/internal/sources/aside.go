package sources

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

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
		return a.load(ctx, key, name)
	}
	if len(data) > maxAside {
		return nil, fmt.Errorf("%d bytes to keep beside a source; at most %d: %w", len(data), maxAside, citekit.ErrTooLarge)
	}
	meta := citekit.EvidenceMeta{Name: "aside-" + key[:16] + ".bin", Size: int64(sumSize + len(data)), MediaType: "application/octet-stream", Keep: true}
	_, err := a.store.StoreEvidence(ctx, key, meta, io.MultiReader(strings.NewReader(a.sum(name, data)), bytes.NewReader(data)))
	return data, err
}

// sumSize is the length of what begins all that is kept, in bytes.
const sumSize = 64

// sum begins what is kept: it shows what it is, and of which version of which source.
func (a *aside) sum(name string, data []byte) string {
	return ctxio.HashParts("aside 2", a.identity, name, string(data))
}

func (a *aside) load(ctx context.Context, key, name string) ([]byte, error) {
	content, _, err := a.store.OpenEvidence(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(ctxio.Reader(ctx, content), sumSize+maxAside))
	if err != nil {
		return nil, err
	}
	if len(data) < sumSize || string(data[:sumSize]) != a.sum(name, data[sumSize:]) {
		return nil, fmt.Errorf("what is kept is of something else: %w", fs.ErrNotExist)
	}
	return data[sumSize:], nil
}
