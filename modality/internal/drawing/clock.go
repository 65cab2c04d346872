package drawing

import "fmt"

// Clock returns a time in seconds, to a thousandth, as m:ss.fff or h:mm:ss.fff.
func Clock(seconds float64) string {
	ms := int64(seconds*1000 + 0.5)
	minutes := ms / 60_000
	if minutes < 60 {
		return fmt.Sprintf("%d:%02d.%03d", minutes, ms/1000%60, ms%1000)
	}
	return fmt.Sprintf("%d:%02d:%02d.%03d", minutes/60, minutes%60, ms/1000%60, ms%1000)
}
