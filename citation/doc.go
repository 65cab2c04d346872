// Package citation converts citations to and from other forms: fragments of W3C
// Media Fragments URI 1.0, of PDF (RFC 8118), of plain text (RFC 5147) and of
// CSV (RFC 7111), text directives of URLs, Markdown links and footnotes,
// CSL-JSON, BibTeX, and W3C Web Annotations. Its subpackages convert citations
// of the Anthropic, Gemini and OpenAI APIs.
//
// A parsed form gives a [Citation] with the data of the form. If it has a quote
// but no place, package verify finds the place.
//
// Each unit of offsets has its own type, such as [ByteRange], and each way to
// count pages and blocks has one, such as [HalfOpenPages].
//
// The package knows no file formats and opens no sources.
package citation
