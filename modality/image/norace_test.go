//go:build !race

package image_test

// slowness is how many times longer work may take than it does for users.
const slowness = 1
