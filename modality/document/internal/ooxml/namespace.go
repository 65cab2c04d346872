package ooxml

import (
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// namespaces are the short names that [Namespace] returns: the usual prefixes in
// documents.
var namespaces = map[string]string{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main":           "w",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":                       "w",
	"http://schemas.openxmlformats.org/spreadsheetml/2006/main":              "x",
	"http://purl.oclc.org/ooxml/spreadsheetml/main":                          "x",
	"http://schemas.openxmlformats.org/presentationml/2006/main":             "p",
	"http://purl.oclc.org/ooxml/presentationml/main":                         "p",
	"http://schemas.openxmlformats.org/drawingml/2006/main":                  "a",
	"http://purl.oclc.org/ooxml/drawingml/main":                              "a",
	"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
	"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":             "wp",
	"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing":    "xdr",
	"http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing":                "xdr",
	"http://schemas.openxmlformats.org/drawingml/2006/picture":               "pic",
	"http://purl.oclc.org/ooxml/drawingml/picture":                           "pic",
	"http://schemas.openxmlformats.org/drawingml/2006/chart":                 "c",
	"http://purl.oclc.org/ooxml/drawingml/chart":                             "c",
	"http://schemas.openxmlformats.org/drawingml/2006/diagram":               "dgm",
	"http://purl.oclc.org/ooxml/drawingml/diagram":                           "dgm",
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships":    "r",
	"http://purl.oclc.org/ooxml/officeDocument/relationships":                "r",
	"http://schemas.openxmlformats.org/officeDocument/2006/math":             "m",
	"http://purl.oclc.org/ooxml/officeDocument/math":                         "m",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":            "mc",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingShape":      "wps",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":      "wpg",
	"http://schemas.microsoft.com/office/word/2010/wordml":                   "w14",
	"http://schemas.microsoft.com/office/word/2012/wordml":                   "w15",
	"http://schemas.microsoft.com/office/word/2016/wordml/cid":               "w16cid",
	"http://schemas.microsoft.com/office/powerpoint/2010/main":               "p14",
	"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main":          "x14",
	"urn:schemas-microsoft-com:vml":                                          "v",
	"urn:schemas-microsoft-com:office:office":                                "o",
	"urn:schemas-microsoft-com:office:word":                                  "w10",
	"http://schemas.openxmlformats.org/package/2006/relationships":           "rel",
	"http://schemas.openxmlformats.org/package/2006/content-types":           "ct",
}

// Namespace returns a short name for a namespace of office documents, such as "w"
// for the text of DOCX. Transitional and strict documents have the same short
// names. It returns other namespaces unchanged. An [xmlspan.Scanner] takes it as
// its field Namespace.
func Namespace(uri string) string {
	if short, ok := namespaces[uri]; ok {
		return short
	}
	return uri
}

// Scan returns a scanner of a part that names namespaces as [Namespace] does.
func Scan(text string) *xmlspan.Scanner {
	s := xmlspan.New(text)
	s.Namespace = Namespace
	return s
}

// Without is [xmlspan.Without] of a part.
func Without(text string, drop func(*xmlspan.Scanner) bool) (string, error) {
	text, err := xmlspan.Without(Scan(text), drop)
	return text, xmlspan.Known(err)
}
