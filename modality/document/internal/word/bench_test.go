package word_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
)

// long returns a document of so many blocks, with a heading in fifty and a list
// item in five.
func long(t testing.TB, n int) []byte {
	var body strings.Builder
	for i := range n {
		switch {
		case i%50 == 0:
			body.WriteString(para(styled("berschrift1"), fmt.Sprintf("Heading %d", i)))
		case i%5 == 0:
			body.WriteString(para(listed(2, 0), fmt.Sprintf("An item of a list, number %d.", i)))
		default:
			body.WriteString(para("<w:spacing w:after=\"0\"/><w:rPr><w:sz w:val=\"24\"/></w:rPr>", strings.Repeat(`<w:r w:rsidR="00AB12CD"><w:rPr><w:rFonts w:ascii="Times"/><w:sz w:val="24"/></w:rPr><w:t xml:space="preserve">A sentence of some words in a run of its own. </w:t></w:r>`, 5)))
		}
	}
	d := docx{body: body.String() + sectPr, parts: []string{"word/styles.xml", styles, "word/numbering.xml", numbering}, rels: []string{"styles", "styles.xml", "numbering", "numbering.xml"}}
	return d.pack(t)
}

func BenchmarkMap(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		data := long(b, n)
		b.Run(fmt.Sprint(n, " blocks"), func(b *testing.B) {
			for b.Loop() {
				d, err := new(word.Resolver).Map(b.Context(), doctest.Source("x.docx", data), citekit.MapRequest{Modality: citekit.Document})
				if err != nil || len(d.Nodes) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResolveCold(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		data := long(b, n)
		b.Run(fmt.Sprint(n, " blocks"), func(b *testing.B) {
			for b.Loop() {
				if _, err := new(word.Resolver).Resolve(b.Context(), doctest.Source("x.docx", data), citekit.Request{Location: blocks(n/2, n/2+2)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkODT maps documents of three sizes, and resolves blocks of them without
// anything kept.
func BenchmarkODT(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		data := packODT(b, strings.Repeat(`<text:h text:outline-level="1">Heading</text:h>`+strings.Repeat(`<text:p text:style-name="P1">A sentence of <text:span text:style-name="P2">some</text:span> words.<text:s/></text:p>`, 9), n/10))
		b.Run(fmt.Sprint("map/", n), func(b *testing.B) {
			for b.Loop() {
				d, err := new(word.Resolver).Map(b.Context(), doctest.Source("x.odt", data), citekit.MapRequest{Modality: citekit.Document})
				if err != nil || len(d.Nodes) == 0 {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("cold/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := new(word.Resolver).Resolve(b.Context(), doctest.Source("x.odt", data), citekit.Request{Location: blocks(n/2, n/2+2)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
