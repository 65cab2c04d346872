//go:build !linux && !darwin

package index

import "os"

// mapsFiles says that mapFile maps nothing: a mapped file could not be replaced or
// deleted on this system.
const mapsFiles = false

func mapFile(*os.File, int) (data []byte, unmap func(), ok bool) { return nil, nil, false }
