package ctxio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Hash returns the SHA-256 of the content of r, in lower case hex, and its size
// in bytes. It stops with ctx.Err() once ctx is done, and does not begin if
// [Charge] fails.
func Hash(ctx context.Context, r io.Reader) (hash string, size int64, err error) {
	defer Time(ctx, PhaseHash)()
	h := sha256.New()
	buffer := int64(1 << 20)
	if sized, ok := r.(interface{ Size() int64 }); ok {
		if err := Charge(ctx, sized.Size()); err != nil {
			return "", 0, err
		}
		buffer = max(min(buffer, sized.Size()), 1)
	}
	size, err = io.CopyBuffer(h, Reader(ctx, r), make([]byte, buffer))
	if err != nil {
		return "", size, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// HashOf returns the SHA-256 of data, in lower case hex.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// HashParts returns the SHA-256 of a list of parts, in lower case hex. The
// parts are separated, so that different lists give different hashes.
func HashParts(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashLen is the length of a SHA-256 in hex.
const hashLen = 2 * sha256.Size

// IsHash reports whether s has the form of the hashes of [Hash].
func IsHash(s string) bool { return len(s) == hashLen && IsHex(s) }

// IsHex reports whether s has only the characters 0 to 9 and a to f.
func IsHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
