//go:build race

package image_test

// slowness is how many times longer work may take than it does for users: the
// race detector watches every access to memory.
const slowness = 10
