package ctxio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Hash returns the SHA-256 of what r yields, in lower case hex, and how many
// bytes that is. It stops with ctx.Err() once ctx is done.
func Hash(ctx context.Context, r io.Reader) (hash string, size int64, err error) {
	h := sha256.New()
	buffer := int64(1 << 20)
	if sized, ok := r.(interface{ Size() int64 }); ok {
		buffer = max(min(buffer, sized.Size()), 1)
	}
	size, err = io.CopyBuffer(h, Reader(ctx, r), make([]byte, buffer))
	if err != nil {
		return "", size, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
