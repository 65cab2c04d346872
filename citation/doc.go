// Package citation converts citations to and from other forms: fragments of W3C
// Media Fragments URI 1.0, of PDF (RFC 8118), of plain text (RFC 5147) and of
// CSV (RFC 7111), text directives of URLs, Markdown links and footnotes,
// CSL-JSON, BibTeX, W3C Web Annotations, and the answers of models in the forms of
// Anthropic's Messages API, OpenAI's Responses API and Google's Gemini API.
//
// A parsed form gives a [Citation] with the data of the form. If it has a quote
// but no place, package verify finds the place.
//
// Each unit of offsets has its own type, such as [ByteRange], and each way to
// count pages and blocks has one, such as [HalfOpenPages].
//
// The package knows no file formats, opens no sources, and sends nothing.
package citation
