package ooxml

import "github.com/citekit/citekit/internal/zipread"

// File returns the member of the archive that holds the part, for those who
// read it otherwise than from its beginning.
func (part *Part) File() *zipread.File { return part.file }
