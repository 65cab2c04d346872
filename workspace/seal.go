package workspace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strconv"
)

// sealForm is part of every seal, so that seals of other forms are never valid.
const sealForm = "citekit record 1"

// seal returns the seal of data stored under name in the evidence directory,
// which root is: an HMAC-SHA-256, in hex, over the data, the name, which
// includes the kind of record, and the place of the directory. Nobody can make
// a seal without the key, and no seal is valid under another name or elsewhere.
func (d *Directory) seal(root *os.Root, name string, data []byte) (string, error) {
	place, err := d.place(root)
	if err != nil {
		return "", err
	}
	return d.sealAt(place, name, data), nil
}

// sealAt is like seal, for the directory at a place returned by
// [Directory.place].
func (d *Directory) sealAt(place, name string, data []byte) string {
	return string(d.sealer(place, name).seal(data))
}

// A sealer makes many seals under one name at one place. That costs less than
// making them one by one. It is not safe for concurrent use.
type sealer struct {
	mac    hash.Hash
	before []byte // the input before the data
	length []byte
	sum    []byte
	text   [2 * sha256.Size]byte
}

func (d *Directory) sealer(place, name string) *sealer {
	key, _ := d.key.get() // place has loaded the key
	s := &sealer{mac: hmac.New(sha256.New, key)}
	for _, part := range []string{sealForm, place, name} {
		s.before = fmt.Appendf(s.before, "%d:%s", len(part), part)
	}
	return s
}

// seal returns the seal of data, which is valid until the next call.
func (s *sealer) seal(data []byte) []byte {
	s.mac.Reset()
	s.mac.Write(s.before)
	s.length = append(strconv.AppendInt(s.length[:0], int64(len(data)), 10), ':')
	s.mac.Write(s.length)
	s.mac.Write(data)
	s.sum = s.mac.Sum(s.sum[:0])
	hex.Encode(s.text[:], s.sum)
	return s.text[:]
}

// isSealed reports whether seal is the seal of data under name. An error means that
// this is unknown for now, not that the record is foreign.
func (d *Directory) isSealed(root *os.Root, name, seal string, data []byte) (bool, error) {
	want, err := d.seal(root, name, data)
	return err == nil && hmac.Equal([]byte(want), []byte(seal)), err
}

// place returns a string that distinguishes the evidence directory from all
// others: its path and the numbers that the file system gives it. A copy is
// another place, and so is a directory that was moved. When place succeeds, the
// key is loaded.
func (d *Directory) place(root *os.Root) (string, error) {
	if _, err := d.key.get(); err != nil {
		return "", err
	}
	dir, err := root.Open(".")
	if err != nil {
		return "", err
	}
	defer dir.Close()
	path, err := filepath.EvalSymlinks(d.evidence.path)
	if err != nil {
		path = d.evidence.path // as on some volumes of Windows
	}
	return path + "\x00" + directoryNumber(dir, path), nil
}
