package word_test

import (
	"io"
	"maps"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
)

// FuzzMain puts other XML in the place of the main part, of the lists and of the
// notes: what is mapped resolves, and evidence has the text of its address.
func FuzzMain(f *testing.F) {
	parts := doctest.Unzip(f, report().pack(f))
	f.Add(parts["word/document.xml"], numbering, footnotes)
	f.Add(docx{body: `<w:sdt><w:sdtContent>` + table([]string{"a", "b"}) + `</w:sdtContent></w:sdt>`}.body, numbering, "")
	f.Add(docx{body: para("", `<w:r><w:rPr><w:vanish/><w:dstrike/><w:vertAlign w:val="subscript"/></w:rPr><w:t>2 </w:t><w:sym w:font="Symbol" w:char="F0A3"/></w:r>`+
		`<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:nary><m:sub/><m:e><m:m><m:mr><m:e/></m:mr></m:m></m:e></m:nary><m:rad><m:deg/></m:rad><m:f/></m:oMath>`)}.body, numbering, "")
	f.Fuzz(func(t *testing.T, main, lists, notes string) {
		own := maps.Clone(parts)
		own["word/document.xml"], own["word/numbering.xml"], own["word/footnotes.xml"] = main, lists, notes
		data := doctest.ZipMap(own)
		r := new(word.Resolver)
		d, err := r.Map(t.Context(), doctest.Source("x.docx", data), citekit.MapRequest{Modality: citekit.Document})
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		for _, n := range d.Nodes {
			c, err := r.Resolve(t.Context(), doctest.Source("x.docx", data), citekit.Request{Location: n.Location})
			if err != nil {
				if citekit.CodeOf(err) == message.CodeInternal {
					t.Fatalf("an error of no kind: %v", err)
				}
				continue
			}
			got, err := io.ReadAll(c.Body)
			if err != nil {
				t.Fatal(err)
			}
			extent, err := r.Measure(t.Context(), doctest.Source("y.docx", got))
			if want := n.Location.Blocks.Len(); err != nil || extent.Blocks != want {
				t.Fatalf("%d blocks, want %d: %v", extent.Blocks, want, err)
			}
		}
	})
}
