package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/citekit/citekit"
)

// recordFrom is the size in bytes from which the hash of a source is kept on
// disk. Smaller ones are hashed sooner than a record is found.
const recordFrom = 1 << 20

// A hashRecord is the hash a source had while it had an identity.
type hashRecord struct {
	Identity string `json:"identity"`
	SHA256   string `json:"sha256"`
}

// knownHash returns the hash of the file at path while it has the identity,
// or "".
func (d *Directory) knownHash(path, id string, size int64) string {
	if r, ok := d.hashes.get(path); ok && r.Identity == id {
		return r.SHA256
	}
	if size < recordFrom {
		return ""
	}
	root, _, err := d.evidence.open()
	if err != nil {
		return ""
	}
	var r hashRecord
	if readRecord(root, hashName(path), &r) != nil || r.Identity != id {
		return ""
	}
	d.hashes.put(path, r)
	return r.SHA256
}

// hash hashes an open source and records the hash, unless the file changed so
// shortly before that its identity might not show another change.
func (d *Directory) hash(ctx context.Context, f *os.File, path, id string) (string, error) {
	now := time.Now()
	info, err := f.Stat()
	if err != nil {
		return "", withoutPath(err)
	}
	before, err := sourceIdentity(f, path)
	if err != nil {
		return "", err
	}
	sum, err := citekit.HashReader(ctx, io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return "", withoutPath(err)
	}
	after, err := sourceIdentity(f, path)
	if err != nil {
		return "", err
	}
	if before != id || after != id {
		return "", fmt.Errorf("the source changed while it was being read: %w", citekit.ErrStale)
	}
	if !isRacy(info, now) {
		d.rememberHash(path, info.Size(), hashRecord{Identity: id, SHA256: sum})
	}
	return sum, nil
}

// rememberHash keeps a hash for this process and, if it can, that of a large
// file for others. A record that is lost costs only hashing again.
func (d *Directory) rememberHash(path string, size int64, r hashRecord) {
	d.hashes.put(path, r)
	if size < recordFrom {
		return
	}
	if root, err := d.evidence.make(); err == nil {
		_ = writeRecord(root, hashName(path), r, false)
	}
}

func hashName(path string) string { return recordName(hashesDir, checksum([]byte(path))) }
