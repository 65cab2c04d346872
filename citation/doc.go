// Package citation converts citations to and from other forms: fragments of W3C
// Media Fragments URI 1.0, of PDF (RFC 8118), of plain text (RFC 5147) and of
// CSV (RFC 7111), text directives of URLs, Markdown links and footnotes,
// CSL-JSON, BibTeX, and W3C Web Annotations. The packages below it have the
// forms in which the APIs of models cite.
//
// A parsed form gives a [Citation] with the data of the form. If it has a quote
// but no place, package verify finds the place.
//
// Offsets have a type for each unit, and pages and blocks have one for each way
// to count them: see [ByteRange] and [HalfOpenPages].
//
// The package knows no file formats and opens no sources.
package citation
