package ooxml

import "github.com/citekit/citekit/modality/document/internal/zipread"

// File returns the member of the archive that holds the part, for callers that
// do not read it from its beginning.
func (part *Part) File() *zipread.File { return part.file }
