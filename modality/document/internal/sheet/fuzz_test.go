package sheet_test

import (
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/sheet"
)

// FuzzSheet puts any XML in the place of a sheet and of the shared strings: no
// call panics, what the map promises resolves, and evidence has the text of its
// address.
func FuzzSheet(f *testing.F) {
	b := salesBook()
	f.Add(b["xl/worksheets/sheet1.xml"], b["xl/sharedStrings.xml"])
	f.Add(worksheet("", `<row><c t="inlineStr"><is><t>x</t></is></c><c><f t="shared" si="1" ref="B1:B9">A1:B$2+'S'!C3</f></c></row><row r="9"/><row r="3"><c r="XFD3"><v>1</v></c></row>`, `<mergeCells><mergeCell ref="A1:C9"/></mergeCells><hyperlinks><hyperlink ref="A1:B2" location="S!A1"/></hyperlinks>`), "<sst/>")
	f.Add(`<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData/></x:worksheet>`, `<x:sst xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:si><x:t>a</x:t></x:si></x:sst>`)
	f.Add(`<worksheet><sheetData><row><!-- <c> --><c><v><![CDATA[1]]></v></c></row></sheetData></worksheet>`, "<sst><si/><si>")
	f.Add(worksheet("", `<row><c t="s"><v>0</v></c><c t="inlineStr"><is><r><rPr><vertAlign val="subscript"/></rPr><t>-1</t></r></is></c></row>`, ""), `<sst><si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2.5 _x0031_</t></r></si></sst>`)
	f.Fuzz(func(t *testing.T, part, strings_ string) {
		b := newBook([]string{"S"}, "")
		b["xl/worksheets/sheet1.xml"], b["xl/sharedStrings.xml"] = part, strings_
		data := b.pack(t)
		r := new(sheet.Resolver)
		src := source(data)
		draft, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		if err != nil {
			return
		}
		locations := []citekit.Location{at("S", "A1"), at("S", "A1:C3"), rows("S", 1, 2), cols("S", "B")}
		for _, n := range draft.Nodes {
			locations = append(locations, n.Location)
			for _, child := range n.Children {
				if !n.Location.Contains(child.Location) {
					t.Errorf("%v is not in %v", child.Location, n.Location)
				}
				locations = append(locations, child.Location)
			}
		}
		for i, loc := range locations {
			out, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
			if err != nil {
				if i >= 4 && citekit.CodeOf(err) != message.CodeInvalidInput {
					t.Errorf("%v: %v", loc, err)
				}
				continue
			}
			cut, err := io.ReadAll(out.Body)
			if err != nil {
				t.Fatal(err)
			}
			want, err := textAt(t, r, src, loc)
			if err != nil {
				continue // a string that is damaged
			}
			got, err := textAt(t, new(sheet.Resolver), source(cut), at("S", ""))
			if err != nil || flat(got) != flat(want) {
				t.Errorf("%v: the evidence has the text %q, %v; want %q", loc, got, err, want)
			}
		}
	})
}

// flat drops the tabs that say which column a text is in.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func textAt(t *testing.T, r *sheet.Resolver, src *citekit.Source, loc citekit.Location) (string, error) {
	var text strings.Builder
	for run, err := range r.ReadText(t.Context(), src, loc) {
		if err != nil {
			return "", err
		}
		if again, err := joined(t, r, src, run.Location); err != nil || again != run.Text {
			t.Errorf("the run at %v has the text %q, and read alone %q, %v", run.Location, run.Text, again, err)
		}
		text.WriteString(run.Text)
	}
	return text.String(), nil
}

func joined(t *testing.T, r *sheet.Resolver, src *citekit.Source, loc citekit.Location) (string, error) {
	var text strings.Builder
	for run, err := range r.ReadText(t.Context(), src, loc) {
		if err != nil {
			return "", err
		}
		text.WriteString(run.Text)
	}
	return text.String(), nil
}
