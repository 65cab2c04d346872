package api

// NotAdded returns the problem of a file that could not be written.
func NotAdded(err error) *Problem { return problemOf(notAdded(err)) }
