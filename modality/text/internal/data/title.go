package data

import "github.com/citekit/citekit/internal/plain"

// title makes a title from text of the source.
func title(text string) string { return plain.Words(text, maxTitle) }
