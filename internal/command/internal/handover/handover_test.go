package handover_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/handover"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

var rows = []pdftest.Row{
	{X: 50, Y: 100, Size: 14, Text: "The tide was widest at new moon"},
	{X: 50, Y: 130, Size: 14, Text: "and at full moon of that year."},
}

// open maps files in a new folder.
func open(t testing.TB, files map[string]string) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := corpus.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// changed returns a PDF as a program wrote it, such as encrypted.
func changed(t *testing.T, data []byte, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "qpdf", append(append([]string{in}, args...), out)...)
	return string(sharedtest.Read(t, out))
}

func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(sharedtest.Tool(t, program), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// TestPDF marks words on pages of all kinds. The boxes on the pages are those that the
// words have there, in the units of the page: the ink of the line begins at 50, and is on
// the line at 700.
func TestPDF(t *testing.T) {
	sharedtest.NotShort(t)
	straight, cropped := "[50 690 300 715]", "/CropBox [20 30 580 780]"
	encrypted := &pdftest.File{Encrypted: true}
	page(encrypted, "The tide was widest at new moon")
	files := map[string]struct{ data, within string }{
		"plain":     {string(pdftest.Rows("", rows)), straight},
		"cropped":   {string(pdftest.Rows(cropped, rows)), straight},
		"large":     {string(pdftest.Rows(cropped+" /UserUnit 2", rows)), straight},
		"left":      {string(pdftest.Rows(cropped+" /Rotate 90", rows)), straight},
		"down":      {string(pdftest.Rows(cropped+" /Rotate 180", rows)), straight},
		"right":     {string(pdftest.Rows("/Rotate 270", rows)), straight},
		"backwards": {string(pdftest.Rows("/Rotate -90", rows)), straight},
		"turned":    {string(pdftest.TurnedRows(rows)), "[80 50 110 300]"},
		"encrypted": {string(encrypted.Bytes()), straight},
		"signed":    {signed(), straight},
	}
	for name, test := range files {
		t.Run(name, func(t *testing.T) { checkPDF(t, test.data, test.within) })
	}
	for name, args := range map[string][]string{
		"aes":        {"--encrypt", "", "owner", "256", "--"},
		"linearized": {"--linearize"},
		"packed":     {"--object-streams=generate"},
	} {
		t.Run(name, func(t *testing.T) {
			checkPDF(t, changed(t, pdftest.Rows(cropped, rows), args...), straight)
		})
	}
}

// page adds a page with a line of text at 50, 700.
func page(f *pdftest.File, words string, annots ...int) {
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	content := f.Stream("", []byte("BT /F1 14 Tf 50 700 Td ("+words+") Tj ET"))
	var all strings.Builder
	for _, num := range annots {
		fmt.Fprintf(&all, "%d 0 R ", num)
	}
	kid := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Annots [%s] /Resources << /Font << /F1 %d 0 R >> >> >>", tree, content, all.String(), font)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", kid)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R /AcroForm << /Fields [%s] /SigFlags 3 >> >>", tree, all.String())
	f.Root(root)
}

// signed returns a file with a field that has a signature.
func signed() string {
	f := &pdftest.File{}
	value := f.Add("<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /ByteRange [0 1 2 3] /Contents <00> >>")
	page(f, "The tide was widest at new moon", f.Add("<< /Type /Annot /Subtype /Widget /FT /Sig /T (sig) /Rect [0 0 0 0] /V %d 0 R >>", value))
	return string(f.Bytes())
}

func checkPDF(t *testing.T, source, within string) {
	c := open(t, map[string]string{"tides.pdf": source})
	maker := handover.New(c)
	piece, err := maker.Cite(t.Context(), "tides", "widest at new moon")
	if err != nil {
		t.Fatal(err)
	}
	made, err := maker.PDF(t.Context(), piece)
	if err != nil {
		t.Fatal(err)
	}
	data, evidence := sharedtest.Read(t, made.OutputPath), sharedtest.Read(t, piece.Evidence.OutputPath)
	sum := sha256.Sum256(data[:piece.Evidence.Size])
	if !bytes.HasPrefix(data, evidence) || hex.EncodeToString(sum[:]) != piece.Evidence.SHA256 {
		t.Error("the evidence is not the beginning of the file")
	}
	highlights := annotations(t, data)
	if len(highlights) != 1 {
		t.Fatalf("%d highlights, want 1", len(highlights))
	}
	var outer [4]float64
	fmt.Sscanf(within, "[%g %g %g %g]", &outer[0], &outer[1], &outer[2], &outer[3])
	quad := highlights[0]["QuadPoints"].(types.Array)
	if len(quad) != 8 {
		t.Fatalf("%d points, want 8: %v", len(quad), quad)
	}
	for i, v := range quad {
		if p := value(v); p < outer[i%2] || p > outer[i%2+2] {
			t.Errorf("point %d is %v, outside %s", i, p, within)
		}
	}
	again, err := handover.New(c).PDF(t.Context(), piece)
	if err != nil || again.SHA256 != made.SHA256 || !again.Cached {
		t.Errorf("a second time: %+v, %v", again, err)
	}
}

func value(o types.Object) float64 {
	switch v := o.(type) {
	case types.Integer:
		return float64(v)
	case types.Float:
		return float64(v)
	}
	return -1
}

// annotations returns the highlights of a file, whose appearance must be there.
func annotations(t *testing.T, data []byte) (all []types.Dict) {
	t.Helper()
	doc, err := api.ReadContext(bytes.NewReader(data), model.NewDefaultConfiguration())
	if err == nil {
		err = api.ValidateContext(doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range doc.PageCount {
		page, _, _, err := doc.PageDict(i+1, false)
		if err != nil {
			t.Fatal(err)
		}
		annots, _ := doc.DereferenceArray(page["Annots"])
		for _, a := range annots {
			annot, err := doc.DereferenceDict(a)
			if err != nil {
				t.Fatal(err)
			}
			if annot["Subtype"] != types.Name("Highlight") {
				continue
			}
			look, _, err := doc.DereferenceStreamDict(annot["AP"].(types.Dict)["N"])
			if err != nil || look == nil || !bytes.Contains(look.Raw, []byte(" re f")) {
				t.Errorf("the appearance: %v, %v", look, err)
			}
			all = append(all, annot)
		}
	}
	return all
}

// TestRegion marks words in a region of a page, whose units stay those of the page.
func TestRegion(t *testing.T) {
	sharedtest.NotShort(t)
	c := open(t, map[string]string{"tides.pdf": string(pdftest.Rows("/CropBox [20 30 580 780]", rows))})
	maker := handover.New(c)
	piece, err := maker.Cite(t.Context(), "doc://tides#pages=1&bbox=0,0,0.8,0.2", "widest at new moon")
	if err != nil {
		t.Fatal(err)
	}
	made, err := maker.PDF(t.Context(), piece)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := maker.Cite(t.Context(), "doc://tides#pages=1", "widest at new moon")
	if err != nil {
		t.Fatal(err)
	}
	of, err := maker.PDF(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	in, want := annotations(t, sharedtest.Read(t, made.OutputPath)), annotations(t, sharedtest.Read(t, of.OutputPath))
	if len(in) != 1 || len(want) != 1 {
		t.Fatalf("%d and %d highlights, want 1", len(in), len(want))
	}
	for i, v := range want[0]["QuadPoints"].(types.Array) {
		if got := value(in[0]["QuadPoints"].(types.Array)[i]); math.Abs(got-value(v)) > .1 {
			t.Errorf("point %d of the region is %v, of the page %v", i, got, v)
		}
	}
}

// TestLayers puts two pieces with hidden layers and fields of the same name into a
// dossier: the layers stay hidden, and the fields apart.
func TestLayers(t *testing.T) {
	sharedtest.NotShort(t)
	c := open(t, map[string]string{"a.pdf": layered("Alpha stands here"), "b.pdf": layered("Beta stands here")})
	made, err := handover.New(c).Dossier(t.Context(), `"Alpha stands here" [doc://a#pages=1]. "Beta stands here" [doc://b#pages=1].`, nil)
	if err != nil || made.Included != 2 {
		t.Fatalf("%+v, %v", made, err)
	}
	doc, err := api.ReadContext(bytes.NewReader(made.Data), model.NewDefaultConfiguration())
	if err != nil {
		t.Fatal(err)
	}
	root, err := doc.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	looks, _ := doc.DereferenceDict(root["OCProperties"])
	d, _ := doc.DereferenceDict(looks["D"])
	if groups, off := looks["OCGs"].(types.Array), d["OFF"].(types.Array); len(groups) != 2 || len(off) != 2 {
		t.Errorf("layers %v, hidden %v; want two of each", groups, off)
	}
	form, _ := doc.DereferenceDict(root["AcroForm"])
	if fields, _ := form["Fields"].(types.Array); len(fields) != 2 {
		t.Errorf("fields %v, want one above those of each file", fields)
	}
	if err := api.ValidateContext(doc); err != nil {
		t.Error(err)
	}
}

// layered returns a file with words, a field, and a layer that is hidden.
func layered(words string) string {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	layer := f.Add("<< /Type /OCG /Name (draft) >>")
	look := f.Stream("/Type /XObject /Subtype /Form /BBox [0 0 50 20]", []byte("0 0 50 20 re f"))
	field := f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /F 4 /DA (/F1 10 Tf 0 g) /Rect [10 10 60 30] /AP << /N %d 0 R >> >>", look)
	content := f.Stream("", []byte("BT /F1 14 Tf 50 700 Td ("+words+") Tj ET /OC /L BDC 10 10 300 300 re f EMC"))
	kid := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Annots [%d 0 R] /Resources << /Font << /F1 %d 0 R >> /Properties << /L %d 0 R >> >> >>", tree, content, field, font, layer)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", kid)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R /AcroForm << /Fields [%d 0 R] /DA (/F1 10 Tf 0 g) >> /OCProperties << /OCGs [%d 0 R] /D << /BaseState /OFF >> >> >>", tree, field, layer)
	f.Root(root)
	return string(f.Bytes())
}

// TestRefused cites what does not hold, and marks what cannot be marked.
func TestRefused(t *testing.T) {
	c := open(t, map[string]string{"tides.pdf": string(pdftest.Rows("", rows)), "notes.md": "# Notes\n\nThe engine weaves patterns.\n"})
	maker := handover.New(c)
	for _, words := range []string{"widest at old moon", "nothing of the kind stands here"} {
		if _, err := maker.Cite(t.Context(), "tides", words); !errors.As(err, new(*cite.QuoteError)) {
			t.Errorf("%q: %v", words, err)
		}
	}
	if _, err := maker.Cite(t.Context(), "doc://tides#pages=9", "widest at new moon"); err == nil {
		t.Error("a page that is not there is cited")
	}
	piece, err := maker.Cite(t.Context(), "notes", "engine weaves")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maker.PDF(t.Context(), piece); !errors.Is(err, handover.ErrUnmarked) || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a text as PDF: %v", err)
	}
}

func TestMain(m *testing.M) {
	api.DisableConfigDir()
	m.Run()
}
