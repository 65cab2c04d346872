package command

import (
	"runtime"
	"runtime/debug"
)

// The first collection of garbage takes place when the heap has 8 MB, not 4: many
// commands have ended by then, and a server has answered its first call.
const (
	usualPercent = 100
	firstPercent = 200
)

// A collection is garbage at once, so that its cleanup runs after the next collection.
type collection struct{ _ *byte }

// delayCollection has the first collection take place later, and all others as usual. It
// does nothing if GOGC says when.
func delayCollection() {
	if !replacePercent(usualPercent, firstPercent) {
		return
	}
	runtime.AddCleanup(new(collection), func(struct{}) { replacePercent(firstPercent, usualPercent) }, struct{}{})
}

// replacePercent replaces what debug.SetGCPercent was told, unless it is something else.
func replacePercent(old, now int) bool {
	is := debug.SetGCPercent(now)
	if is != old {
		debug.SetGCPercent(is)
	}
	return is == old
}
