package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document"
)

// TestLostMainPart has office files without the part that is the document: they
// are damaged office files, and no archives.
func TestLostMainPart(t *testing.T) {
	const open = "application/vnd.openxmlformats-officedocument."
	for _, c := range []struct{ name, mainType, target string }{
		{"a.docx", open + "wordprocessingml.document.main+xml", "word/document.xml"},
		{"a.xlsx", open + "spreadsheetml.sheet.main+xml", "xl/workbook.xml"},
		{"a.pptx", open + "presentationml.presentation.main+xml", "ppt/presentation.xml"},
	} {
		types := `<Types><Override PartName="/` + c.target + `" ContentType="` + c.mainType + `"/></Types>`
		rels := `<Relationships><Relationship Id="1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="` + c.target + `"/></Relationships>`
		for says, members := range map[string][]string{
			`the main part "` + c.target + `" is missing; `: {"[Content_Types].xml", types, "_rels/.rels", rels},
			"does not say which of its parts":               {"[Content_Types].xml", types},
			"lost its content types":                        {"_rels/.rels", rels},
		} {
			data := doctest.Zip(members...)
			src := doctest.Source(c.name, data)
			_, err := new(document.Resolver).Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
			if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v; want one that has %q", c.name, err, says)
			}
		}
	}
}
