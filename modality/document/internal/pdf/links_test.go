package pdf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// linkedPDF has two pages with links of every kind. The second is turned and cut.
func linkedPDF() []byte {
	f := new(pdftest.File)
	pages, first, second := f.Reserve(), f.Reserve(), f.Reserve()
	f.Set(first, "<</Type/Page/Parent %d 0 R/MediaBox[0 0 200 100]/Annots["+
		"<</Type/Annot/Subtype/Link/Rect[20 10 120 60]/A<</S/URI/URI(https://e.com/)>>/Contents(Site)>>"+
		"<</Type/Annot/Subtype/Link/Rect[0 0 20 10]/Dest[%d 0 R/Fit]>>"+
		"<</Type/Annot/Subtype/Link/Rect[0 0 20 10]/A<</S/GoTo/D(end)>>>>"+
		"<</Type/Annot/Subtype/Link/Rect[0 0 20 10]/A<</S/GoTo/D(none)>>>>"+
		"<</Type/Annot/Subtype/Text/Rect[0 0 20 10]>>null 7]>>", pages, second)
	f.Set(second, "<</Type/Page/Parent %d 0 R/MediaBox[0 0 400 400]/CropBox[100 100 300 200]/Rotate 90/Annots["+
		"<</Type/Annot/Subtype/Link/Rect[120 110 220 160]/A<</S/GoToR/F<</Type/Filespec/F(b.pdf)>>/D[4/Fit]>>>>"+
		"<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/A<</S/GoToR/F(c.pdf)/D(chap)>>>>]>>", pages)
	f.Set(pages, "<</Type/Pages/Count 2/Kids[%d 0 R %d 0 R]>>", first, second)
	f.Root(f.Add("<</Type/Catalog/Pages %d 0 R/Names<</Dests<</Names[(end)[%d 0 R/XYZ 0 0 0]]>>>>>>", pages, second))
	return f.Bytes()
}

func TestReadLinks(t *testing.T) {
	src := citekit.NewSource(bytes.NewReader(linkedPDF()), citekit.SourceInfo{Name: "a.pdf", Size: int64(len(linkedPDF()))})
	var got []string
	for l, err := range new(pdf.Resolver).ReadLinks(t.Context(), src) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%v %v %s %q %s %v", l.From.Pages, l.From.Box, l.Kind, l.Text, l.Target, l.To.Pages))
	}
	want := []string{
		`[1] 0.1,0.4,0.6,0.9 hyperlink "Site" https://e.com/ []`,
		`[1] 0,0.9,0.1,1 reference ""  [2]`,
		`[1] 0,0.9,0.1,1 reference "" #end [2]`,
		`[2] 0.1,0.1,0.6,0.6 hyperlink "" b.pdf#page=5 []`,
		`[2] 0,0,0,0 hyperlink "" c.pdf#nameddest=chap []`,
		`[2] 0,0,0,0 anchor "" #end []`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLinksAgainstQPDF compares the URIs of links with those that qpdf finds.
// The variable CITEKIT_PDFS names a folder of further files.
func TestLinksAgainstQPDF(t *testing.T) {
	qpdf := sharedtest.Tool(t, "qpdf")
	made := filepath.Join(t.TempDir(), "made.pdf")
	if err := os.WriteFile(made, linkedPDF(), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{made}
	if extra := os.Getenv("CITEKIT_PDFS"); extra != "" {
		more, _ := filepath.Glob(filepath.Join(extra, "*.pdf"))
		paths = append(paths, more...)
	}
	r, files, links := new(pdf.Resolver), 0, 0
	for _, path := range paths {
		out, err := exec.Command(qpdf, "--json=2", "--json-key=qpdf", path).Output()
		if err != nil || len(out) > 256<<20 {
			continue
		}
		want := judgedURIs(t, out)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.pdf", Size: int64(len(data))})
		if _, err := r.Measure(t.Context(), src); err != nil {
			continue // one that is refused
		}
		for l, err := range r.ReadLinks(t.Context(), src) {
			if err != nil {
				t.Errorf("%s: %v", path, err)
				break
			}
			if l.Kind == "hyperlink" && !strings.Contains(l.Target, ".pdf#") {
				got = append(got, l.Target)
			}
		}
		slices.Sort(got)
		files, links = files+1, links+len(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d links, want %d", path, len(got), len(want))
		}
	}
	t.Logf("%d links in %d files", links, files)
}

// judgedURIs returns the URIs of the link annotations of pages in what qpdf
// writes, sorted.
func judgedURIs(t *testing.T, out []byte) []string {
	var file struct {
		QPDF []json.RawMessage `json:"qpdf"`
	}
	if err := json.Unmarshal(out, &file); err != nil || len(file.QPDF) < 2 {
		t.Fatal(err)
	}
	var objects map[string]struct {
		Value any `json:"value"`
	}
	if err := json.Unmarshal(file.QPDF[1], &objects); err != nil {
		t.Fatal(err)
	}
	resolve := func(v any) any {
		for range 8 {
			name, ok := v.(string)
			if !ok || !strings.HasSuffix(name, " R") {
				break
			}
			v = objects["obj:"+name].Value
		}
		return v
	}
	uris := []string{}
	for _, o := range objects {
		page, _ := o.Value.(map[string]any)
		if page["/Type"] != "/Page" {
			continue
		}
		annotations, _ := resolve(page["/Annots"]).([]any)
		for _, a := range annotations {
			annotation, _ := resolve(a).(map[string]any)
			action, _ := resolve(annotation["/A"]).(map[string]any)
			if annotation["/Subtype"] != "/Link" || action["/S"] != "/URI" {
				continue
			}
			if uri, ok := resolve(action["/URI"]).(string); ok && strings.HasPrefix(uri, "u:") && len(uri) > 2 {
				uris = append(uris, uri[2:])
			}
		}
	}
	slices.Sort(uris)
	return uris
}
