package sqlitetest

import (
	"bytes"
	"encoding/binary"
)

// Log returns the write-ahead log of a database with pages of pageSize bytes: a
// transaction for each version, with the pages that differ from the version before,
// and the database after it. The last version is not committed if open is set.
func Log(pageSize int, open bool, versions ...[]byte) []byte {
	log := make([]byte, 0, 4096)
	words := func(values ...uint32) {
		for _, v := range values {
			log = binary.BigEndian.AppendUint32(log, v)
		}
	}
	words(0x377f0683, 3007000, uint32(pageSize), 0, 0x01020304, 0x05060708)
	a, b := logSum(0, 0, log)
	words(a, b)
	page := func(data []byte, i int) []byte {
		return data[min(len(data), i*pageSize):min(len(data), (i+1)*pageSize)]
	}
	for v := 1; v < len(versions); v++ {
		var changed []int
		for i := range len(versions[v]) / pageSize {
			if !bytes.Equal(page(versions[v], i), page(versions[v-1], i)) {
				changed = append(changed, i)
			}
		}
		for n, i := range changed {
			pages := 0
			if n == len(changed)-1 && !(open && v == len(versions)-1) {
				pages = len(versions[v]) / pageSize
			}
			at := len(log)
			words(uint32(i+1), uint32(pages))
			a, b = logSum(a, b, log[at:])
			a, b = logSum(a, b, page(versions[v], i))
			words(0x01020304, 0x05060708, a, b)
			log = append(log, page(versions[v], i)...)
		}
	}
	return log
}

func logSum(a, b uint32, data []byte) (uint32, uint32) {
	for ; len(data) > 0; data = data[8:] {
		a += binary.BigEndian.Uint32(data) + b
		b += binary.BigEndian.Uint32(data[4:]) + a
	}
	return a, b
}
