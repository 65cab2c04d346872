package sniff

import (
	"slices"
	"strings"
)

// An openXMLFormat is a format that is a package of Office Open XML (ISO/IEC
// 29500-2).
type openXMLFormat struct {
	Format
	part  string   // how the name of its main part begins, as programs choose it
	types []string // what the content type of that part has
}

// openXMLFormats are asked in this order.
var openXMLFormats = []openXMLFormat{
	{Format{ID: "docx", Name: "a DOCX document", Kind: Document, MediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Ext: ".docx"},
		"word/document", []string{".wordprocessingml.", ".ms-word."}},
	{Format{ID: "xlsb", Name: "an XLSB workbook", Ext: ".xlsb", Office: "XLSB"},
		"xl/workbook.bin", []string{".ms-excel.sheet.binary."}},
	{Format{ID: "xlsx", Name: "an XLSX workbook", Kind: Document, MediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Ext: ".xlsx"},
		"xl/workbook", []string{".spreadsheetml.", ".ms-excel."}},
	{Format{ID: "pptx", Name: "a PPTX presentation", Kind: Document, MediaType: "application/vnd.openxmlformats-officedocument.presentationml.presentation", Ext: ".pptx"},
		"ppt/presentation", []string{".presentationml.", ".ms-powerpoint."}},
}

// openXML tells the formats of Office Open XML by their main part, as the content
// types and the relationships of the package say which it is. Where they do not
// say, or cannot be read, its name does.
func openXML(z zipList) (Format, error) {
	const types, rels = "[Content_Types].xml", "_rels/.rels"
	var typed []openXMLFormat // those that the content types have
	for _, list := range []struct {
		name  string
		names func(f openXMLFormat, value string) bool
	}{{types, openXMLFormat.isType}, {rels, openXMLFormat.isMain}} {
		text, err := z.read(list.name)
		if err != nil {
			return Format{}, err
		}
		if list.name == rels && !strings.Contains(text, "/relationships/officeDocument") {
			continue
		}
		values := strings.FieldsFunc(text, func(r rune) bool { return r == '"' || r == '\'' })
		of := openXMLFormats
		if len(typed) > 0 {
			of = typed
		}
		var found []openXMLFormat
		for _, f := range of {
			if slices.ContainsFunc(values, func(value string) bool { return list.names(f, value) }) {
				found = append(found, f)
			}
		}
		if len(found) == 1 || len(found) > 0 && list.name == rels {
			return found[0].Format, nil
		}
		typed = append(typed, found...)
	}
	if len(typed) > 0 {
		return typed[0].Format, nil
	}
	if z.has(types) {
		for _, f := range openXMLFormats {
			if z.find(f.part) >= 0 {
				return f.Format, nil
			}
		}
	}
	return Format{}, nil
}

// isType reports whether a content type is that of a main part of f.
func (f openXMLFormat) isType(value string) bool {
	if !strings.HasSuffix(value, ".main+xml") && !strings.HasSuffix(value, ".main") {
		return false
	}
	return slices.ContainsFunc(f.types, func(word string) bool { return strings.Contains(value, word) })
}

// isMain reports whether the target of a relationship is a main part of f.
func (f openXMLFormat) isMain(value string) bool {
	return strings.HasPrefix(strings.TrimPrefix(value, "/"), f.part)
}
