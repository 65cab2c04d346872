// Package citation converts what is cited to and from the forms in which others
// cite: fragments of W3C Media Fragments URI 1.0, of PDF (RFC 8118), of plain text
// (RFC 5147) and of CSV (RFC 7111), text directives of URLs, Markdown links and
// footnotes, CSL-JSON, BibTeX, and W3C Web Annotations. The rooms below it have
// the shapes in which the APIs of models cite.
//
// A form that is read gives a [Citation] with what the form has. Where it has a
// quote and no place, package verify finds the place.
//
// Offsets have a type for each unit, and pages and blocks one for each way to
// count them: see [ByteRange] and [HalfOpenPages].
//
// It knows no format and opens no source.
package citation
