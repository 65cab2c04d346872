//go:build linux || darwin

package index

import (
	"os"
	"syscall"
)

// mapsFiles says that mapFile maps files.
const mapsFiles = true

// mapFile maps a file to memory. It returns false if that is not possible.
func mapFile(f *os.File, size int) (data []byte, unmap func(), ok bool) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, false
	}
	return data, func() { _ = syscall.Munmap(data) }, true
}
