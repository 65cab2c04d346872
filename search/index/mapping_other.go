//go:build !linux && !darwin

package index

import "os"

// mapFile reports false: what is mapped could not be replaced or deleted here.
func mapFile(*os.File, int) (data []byte, unmap func(), ok bool) { return nil, nil, false }
