//go:build !unix

package telemetry_test

import "time"

// spent returns zero, for a processor time that is not known.
func spent() time.Duration { return 0 }
