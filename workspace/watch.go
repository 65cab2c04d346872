package workspace

// A fileState says how far what is known of an open file, its identity, can
// be relied on. The times of a file move when somebody begins to write to it,
// and at the first write to a page that is mapped; further writes to that page
// move nothing. So an identity tells of every change only if nobody was
// writing when it was taken.
type fileState int

const (
	unsure  fileState = iota // nothing tells whether somebody writes, or the times would not move
	written                  // somebody has the file open for writing, or mapped so
	settled                  // nobody has: whoever begins to write changes the identity
)
