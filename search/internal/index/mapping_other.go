//go:build !linux && !darwin

package index

import "os"

// mapFile returns false: a mapped file could not be replaced or deleted on this
// system.
func mapFile(*os.File, int) (data []byte, unmap func(), ok bool) { return nil, nil, false }
