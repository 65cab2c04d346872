package workspace

// A fileState is how reliable the identity of an open file is. The times of a
// file change when a process begins to write to it, and at the first write to a
// mapped page; further writes to that page change nothing. So an identity shows
// every change only if nobody was writing when it was taken.
type fileState int

const (
	unsure  fileState = iota // it is unknown whether a process writes, or writes would not change the times
	written                  // a process has the file open for writing, or mapped for writing
	settled                  // no process has: any new writer changes the identity
)
