package main

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"slices"
	"strings"
)

type member struct {
	name string
	data []byte
}

// pack makes a ZIP of a folder, as an EPUB is one: the file mimetype first,
// then the others by name, all of them stored, without times. The same files
// are the same bytes wherever it runs.
func pack(members []member) ([]byte, error) {
	slices.SortFunc(members, func(a, b member) int {
		if (a.name == "mimetype") != (b.name == "mimetype") {
			if a.name == "mimetype" {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		f, err := w.CreateRaw(&zip.FileHeader{
			Name: m.name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(m.data),
			CompressedSize64: uint64(len(m.data)), UncompressedSize64: uint64(len(m.data)),
		})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(m.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
