package workspace

// recordFrom is the size in bytes from which the hash of a source is recorded
// on disk. Hashing a smaller source is faster than finding a record.
const recordFrom = 1 << 20

// A hashRecord is the hash that a source had while it had an identity.
type hashRecord struct {
	Identity string `json:"identity"`
	SHA256   string `json:"sha256"`
}

// knownHash returns the hash of the file at path if the file still has the
// identity, or "". The file must be settled, as it was when the hash was
// computed.
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
	if d.readOwn(root, hashName(path), &r) != nil || r.Identity != id {
		return ""
	}
	d.hashes.put(path, r)
	return r.SHA256
}

// rememberHash keeps a hash for this process and, if possible, records that of
// a large file for other processes. If a record is lost, the file is hashed
// again.
func (d *Directory) rememberHash(path string, size int64, r hashRecord) {
	d.hashes.put(path, r)
	if size < recordFrom {
		return
	}
	if root, err := d.evidence.make(); err == nil {
		_ = d.writeOwn(root, hashName(path), r, false)
	}
}

func hashName(path string) string { return recordName(hashesDir, checksum([]byte(path))) }
