//go:build !unix

package image_test

import "time"

// processorTime is not known here: only memory and reads are checked.
func processorTime() time.Duration { return 0 }
