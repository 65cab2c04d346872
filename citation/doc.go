// Package citation converts locations to and from the forms in which others
// cite: fragments of W3C Media Fragments URI 1.0, of PDF (RFC 8118) and of plain
// text (RFC 5147).
//
// It knows no format and opens no source.
package citation
