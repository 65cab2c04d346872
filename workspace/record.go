package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path"
)

// The directories of records in the evidence directory.
const (
	metaDir     = ".meta"
	tempDir     = metaDir + "/tmp"
	evidenceDir = metaDir + "/evidence"
	hashesDir   = metaDir + "/hashes"
	pinsDir     = metaDir + "/pins"
	usageName   = metaDir + "/usage.json"

	maxRecord = 1 << 20
)

var (
	errDamaged = errors.New("a record in the evidence directory is damaged")

	// errForeign reports a whole record that this user's citekit did not write
	// in this directory under this name.
	errForeign = errors.New("a record in the evidence directory was not made here")
)

// A storedRecord is the form of a record in a file. The checksum detects a
// record that was not written whole or was changed by accident. The seal shows
// who wrote it, and where.
type storedRecord struct {
	Seal   string          `json:"seal,omitempty"` // as returned by [sealer.seal]
	SHA256 string          `json:"sha256"`         // of Seal and Record
	Record json.RawMessage `json:"record"`
}

func (r storedRecord) checksum() string { return checksum(append([]byte(r.Seal), r.Record...)) }

// readRecord reads a record without a seal into v, from a place where only this
// user writes. A record that is damaged, or not a regular file, is an error
// other than fs.ErrNotExist.
func readRecord(root *os.Root, name string, v any) error {
	return readStored(root, name, v, func(string, []byte) (bool, error) { return true, nil })
}

// readStored is like readRecord, for a record for which isOwn must return true.
func readStored(root *os.Root, name string, v any, isOwn func(seal string, record []byte) (bool, error)) error {
	f, info, err := openPlain(root, name, errRecordNotPlain)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := readAtMost(f, info.Size(), maxRecord)
	if err != nil {
		return err
	}
	var stored storedRecord
	if json.Unmarshal(data, &stored) != nil || stored.SHA256 != stored.checksum() {
		return errDamaged
	}
	switch own, err := isOwn(stored.Seal, stored.Record); {
	case err != nil:
		return err
	case !own:
		return errForeign
	}
	if json.Unmarshal(stored.Record, v) != nil {
		return errDamaged
	}
	return nil
}

// writeRecord writes a record without a seal, whole or not at all. It makes
// missing folders.
func writeRecord(root *os.Root, name string, v any, durable bool) error {
	return private.writeStored(root, name, v, durable, func([]byte) (string, error) { return "", nil })
}

// writeStored is like writeRecord, with a seal.
func (p permissions) writeStored(root *os.Root, name string, v any, durable bool, seal func(record []byte) (string, error)) error {
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	mark, err := seal(record)
	if err != nil {
		return err
	}
	stored := storedRecord{Seal: mark, Record: record}
	stored.SHA256 = stored.checksum()
	data, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	if err := p.makeMeta(root, path.Dir(name)); err != nil {
		return err
	}
	if err := p.writeFile(root, tempDir, name, append(data, '\n'), durable); err != nil {
		return err
	}
	if durable {
		return syncDir(root, path.Dir(name))
	}
	return nil
}

// readOwn reads a record of the evidence directory into v. It returns
// errForeign if this user's citekit did not write the record under this name in
// this directory.
func (d *Directory) readOwn(root *os.Root, name string, v any) error {
	return readStored(root, name, v, func(seal string, record []byte) (bool, error) {
		return d.isSealed(root, name, seal, record)
	})
}

// writeOwn writes a record of the evidence directory.
func (d *Directory) writeOwn(root *os.Root, name string, v any, durable bool) error {
	return d.perms.writeStored(root, name, v, durable, func(record []byte) (string, error) {
		return d.seal(root, name, record)
	})
}

func (p permissions) makeMeta(root *os.Root, dir string) error {
	if err := p.mkdirAll(root, tempDir); err != nil {
		return err
	}
	return p.mkdirAll(root, dir)
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func recordName(dir, key string) string { return dir + "/" + key + ".json" }
