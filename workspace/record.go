package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path"
)

// Where records are kept in the evidence directory.
const (
	metaDir     = ".meta"
	tempDir     = metaDir + "/tmp"
	evidenceDir = metaDir + "/evidence"
	hashesDir   = metaDir + "/hashes"
	pinsDir     = metaDir + "/pins"
	usageName   = metaDir + "/usage.json"

	maxRecord = 1 << 20
)

var errDamaged = errors.New("a record in the evidence directory is damaged")

// A sealedRecord is the form of a record in a file. The checksum finds a
// record that was not written whole or was changed since.
type sealedRecord struct {
	SHA256 string          `json:"sha256"` // of Record
	Record json.RawMessage `json:"record"`
}

// readRecord reads a record into v. One that is damaged, or not a plain file,
// is an error other than fs.ErrNotExist.
func readRecord(root *os.Root, name string, v any) error {
	f, info, err := openPlain(root, name, errRecordNotPlain)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := readAtMost(f, info.Size(), maxRecord)
	if err != nil {
		return err
	}
	var sealed sealedRecord
	if json.Unmarshal(data, &sealed) != nil || sealed.SHA256 != checksum(sealed.Record) {
		return errDamaged
	}
	if json.Unmarshal(sealed.Record, v) != nil {
		return errDamaged
	}
	return nil
}

// writeRecord writes a record, whole or not at all. The folders for it exist
// afterwards.
func writeRecord(root *os.Root, name string, v any, durable bool) error {
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	data, err := json.Marshal(sealedRecord{SHA256: checksum(record), Record: record})
	if err != nil {
		return err
	}
	if err := makeMeta(root, path.Dir(name)); err != nil {
		return err
	}
	if err := writeFile(root, tempDir, name, append(data, '\n'), durable); err != nil {
		return err
	}
	if durable {
		return syncDir(root, path.Dir(name))
	}
	return nil
}

func makeMeta(root *os.Root, dir string) error {
	if err := mkdirAll(root, tempDir); err != nil {
		return err
	}
	return mkdirAll(root, dir)
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func recordName(dir, key string) string { return dir + "/" + key + ".json" }
