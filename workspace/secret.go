package workspace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"

	"github.com/citekit/citekit/internal/ctxio"
)

// Secret reports whether the reason is that a source holds secrets of citekit
// itself. Callers find it with [errors.As] and an interface.
func (r refusal) Secret() bool { return r == errBackup || r == errKeys }

const (
	errBackup = refusal("the source is a backup of citekit, which holds keys; keep it outside the workspace")
	errKeys   = refusal("the source is a file of the keys of callers; keep it outside the workspace")
)

const (
	tarBlock = 512      // bytes of the header of a file in an archive
	keysHead = 64 << 10 // bytes in which the first key of a file of keys ends
)

// checkNotSecret returns an error if content is a backup of citekit or a file of
// the keys of callers, whatever its name is. A backup is a tar archive, packed or
// not, whose first file has a name that no other program uses; a file of keys is
// JSON whose first key has an identifier and a hash. Other content costs one
// read of 512 bytes, and JSON one of 64 KiB.
func checkNotSecret(content io.ReaderAt, size int64) error {
	start := make([]byte, min(size, tarBlock))
	if n, err := content.ReadAt(start, 0); n < len(start) && err != nil {
		return nil // whoever reads it gets the error
	}
	switch {
	case isBackup(start):
		return errBackup
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		unpacked := make([]byte, tarBlock)
		if zip, err := gzip.NewReader(io.NewSectionReader(content, 0, size)); err == nil {
			if _, err := io.ReadFull(zip, unpacked); err == nil && isBackup(unpacked) {
				return errBackup
			}
		}
	case bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n\ufeff"), []byte("{")) && isKeys(io.NewSectionReader(content, 0, min(size, keysHead))):
		return errKeys
	}
	return nil
}

// isBackup reports whether a header of tar is the one that a backup begins with.
func isBackup(block []byte) bool {
	const name, magic = "citekit-backup.json\x00", "ustar"
	return len(block) == tarBlock && string(block[:len(name)]) == name && string(block[257:257+len(magic)]) == magic
}

// isKeys reports whether JSON has a list "keys" that begins with a key of a
// caller.
func isKeys(r io.Reader) bool {
	d := json.NewDecoder(r)
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return false
		}
		if name != "keys" {
			if err := d.Decode(new(json.RawMessage)); err != nil {
				return false
			}
			continue
		}
		if token, err := d.Token(); err != nil || token != json.Delim('[') || !d.More() {
			return false
		}
		var key struct{ ID, SHA256, Revoked string }
		return d.Decode(&key) == nil && isKeyID(key.ID) && (len(key.SHA256) == 64 && ctxio.IsHex(strings.ToLower(key.SHA256)) || key.Revoked != "")
	}
	return false
}

// isKeyID reports whether a text can be the id of a key: 10 letters a-z and
// digits 2-7.
func isKeyID(id string) bool {
	return len(id) == 10 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
