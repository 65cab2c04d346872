package e2e

import (
	"archive/zip"
	"bytes"
	endian "encoding/binary"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/testcorpus"
)

// A passage is text at an address, in words that stand nowhere else.
type passage struct {
	kind    string // of the format
	address string
	words   []string // what stands between them is white space
	plain   bool     // spaces alone stand between the words
}

// A vocabulary makes up words, each one once.
type vocabulary struct {
	random *rand.Rand
	left   []string
}

func newVocabulary(seed uint64) *vocabulary {
	v := &vocabulary{random: rand.New(rand.NewPCG(seed, 1))}
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var syllables []string
	for _, c := range consonants {
		for _, o := range vowels {
			syllables = append(syllables, string(c)+string(o))
		}
	}
	for _, a := range syllables {
		for _, b := range syllables {
			end := v.random.IntN(len(consonants) - 1)
			v.left = append(v.left, a+b+consonants[end:end+1], a+b+consonants[end+1:end+2])
		}
	}
	v.random.Shuffle(len(v.left), func(i, j int) { v.left[i], v.left[j] = v.left[j], v.left[i] })
	return v
}

func (v *vocabulary) words(n int) []string {
	words := v.left[:n]
	v.left = v.left[n:]
	return words
}

// quote returns a run of two to seven words of a passage.
func (v *vocabulary) quote(p passage) []string {
	n := min(2+v.random.IntN(6), len(p.words))
	from := v.random.IntN(len(p.words) - n + 1)
	return p.words[from : from+n]
}

// quoteText is quote as a text.
func (v *vocabulary) quoteText(p passage) string { return strings.Join(v.quote(p), " ") }

// writeShelf writes documents of every kind to a folder, and returns what stands in them.
func writeShelf(t testing.TB, base string) []passage {
	v := newVocabulary(20)
	var all []passage
	put := func(name string, data []byte) {
		t.Helper()
		writeFile(t, filepath.Join(base, name), data)
	}
	var pages [][]pdftest.Row
	for page := range 6 {
		rows, words := pdfPage(v, page == 4, []float64{14, 12.5, 13, 18, 14, 11.5}[page])
		pages = append(pages, rows)
		all = append(all, passage{"PDF", fmt.Sprintf("doc://report#pages=%d", page+1), words, false})
	}
	put("report.pdf", pdftest.Rows("", pages...))
	rows, words := pdfPage(v, false, 15)
	put("turned.pdf", pdftest.TurnedRows(rows))
	all = append(all, passage{"PDF", "doc://turned#pages=1", words, false})

	var paragraphs []string
	for i := range 40 {
		words := v.words(18)
		paragraphs = append(paragraphs, strings.Join(words, " "))
		all = append(all, passage{"Word", fmt.Sprintf("doc://contract#blocks=%d", i+1), words, true})
	}
	put("contract.docx", testcorpus.WordTable(paragraphs, []string{"Item", "Price"}, []string{"Tea & <b>milk</b>", "3"}))

	cells := [][]string{{"Number", "Place", "Remark"}}
	for i := range 40 {
		words := v.words(8)
		cells = append(cells, []string{strconv.Itoa(i + 1), "place " + strconv.Itoa(i), strings.Join(words, " ")})
		all = append(all, passage{"sheets", fmt.Sprintf("doc://budget#sheet=Q4&cells=C%d", i+2), words, true})
	}
	put("budget.xlsx", testcorpus.Workbook(cells...))

	var slides [][]string
	for i := range 20 {
		slide := []string{fmt.Sprintf("Slide %d", i+1)}
		for range 4 {
			words := v.words(8)
			slide = append(slide, strings.Join(words, " "))
			all = append(all, passage{"slides", fmt.Sprintf("doc://deck#pages=%d", i+1), words, true})
		}
		slides = append(slides, slide)
	}
	put("deck.pptx", presentation(slides))

	// The lines of code are often the same, and an address says which one is meant.
	code := []string{"package program", ""}
	for i := range 25 {
		words := v.words(4)
		code = append(code, "// "+words[0]+" "+words[1]+" "+words[2]+".", "func "+words[3]+"(values []int) (total int) {",
			"\tfor _, value := range values {", "\t\ttotal += value", "\t}", "\treturn total", "}", "")
		first := 3 + 8*i
		all = append(all, passage{"code", fmt.Sprintf("text://program#lines=%d-%[1]d", first), []string{"//", words[0], words[1], words[2] + "."}, true},
			passage{"code", fmt.Sprintf("text://program#lines=%d-%[1]d", first+2), []string{"for", "_,", "value", ":=", "range", "values"}, true},
			passage{"code", fmt.Sprintf("text://program#lines=%d-%[1]d", first+5), []string{"return", "total"}, true})
	}
	put("program.go", []byte(strings.Join(code, "\n")))

	var subtitles strings.Builder
	for i := range 50 {
		words := v.words(9)
		fmt.Fprintf(&subtitles, "%d\n00:%02d:%02d,000 --> 00:%02d:%02d,500\n%s\n%s\n\n", i+1, i/20, i%20*3, i/20, i%20*3+2, strings.Join(words[:5], " "), strings.Join(words[5:], " "))
		first := 5*i + 3
		all = append(all, passage{"subtitles", fmt.Sprintf("text://talk#lines=%d-%d", first, first+1), words, false})
	}
	put("talk.srt", []byte(subtitles.String()))

	put("notes.md", []byte("# Notes of the tea room\n\nGreen tea is brewed with water of eighty degrees.\n\n## Pot\n\nA pot holds six cups.\n\n## Cup\n\nA cup holds two decilitres.\n"))
	put("page.html", []byte("<!doctype html><title>Harbour</title><h1>Harbour</h1><p>The harbour closes at nine.</p><ul><li>Ropes are <b>tied</b> twice.</li></ul><table><tr><th>Ship</th><th>Berth</th></tr><tr><td>Alma</td><td>4</td></tr></table>"))
	put("letter.eml", []byte("From: Ada <ada@example.org>\r\nTo: Ben <ben@example.org>\r\nSubject: The engine\r\nDate: Tue, 3 Mar 2026 10:00:00 +0000\r\nMessage-ID: <1@example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe engine weaves algebraic patterns.\r\n\r\nAda\r\n"))
	put("table.csv", []byte("name,price\ngreen tea,3\nblack tea,4\n\"tea, white\",5\n"))
	// Each remark is of two lines, and the one beside it has its first words too.
	records := "\ufeffplace,\"remark, old\",remark\r\n"
	for i := range 40 {
		words := v.words(8)
		records += fmt.Sprintf("\"place \"\"%d\"\"\",%s.,\"%s\r\n%s\"\r\n", i, strings.Join(words[:3], " "), strings.Join(words[:5], " "), strings.Join(words[5:], " "))
		all = append(all, passage{"CSV", fmt.Sprintf("text://prices#rows=%d&cols=remark", i+2), words, false})
	}
	put("prices.csv", []byte(records))
	put("right.md", []byte("# ميناء\n\nيغلق الميناء في الساعة التاسعة.\n\nהנמל נסגר בתשע.\n"))
	put("chart.png", chart())
	put("tone.wav", tone(20))
	return all
}

// pdfPage returns a page of lines with the words of all of them in order. Lines are so many
// points apart, and in one column or two.
func pdfPage(v *vocabulary, columns bool, leading float64) (rows []pdftest.Row, words []string) {
	perLine, starts := 9, []float64{50}
	if columns {
		perLine, starts = 4, []float64{50, 320}
	}
	for _, x := range starts {
		for y := 60.0; y < 700; y += leading {
			line := v.words(perLine)
			rows = append(rows, pdftest.Row{X: x, Y: y, Size: 10, Text: strings.Join(line, " ")})
			words = append(words, line...)
		}
	}
	return rows, words
}

// presentation returns a PPTX file with slides, each a title and lines.
func presentation(slides [][]string) []byte {
	const (
		kinds  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		spaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="` + kinds + `"`
		rels   = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		types  = "application/vnd.openxmlformats-officedocument.presentationml."
	)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	put := func(name, text string) {
		if w, err := z.Create(name); err == nil {
			_, _ = w.Write([]byte(text))
		}
	}
	var list, links, overrides strings.Builder
	for i, slide := range slides {
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="s%d"/>`, 256+i, i+1)
		fmt.Fprintf(&links, `<Relationship Id="s%d" Type="%s/slide" Target="slides/slide%[1]d.xml"/>`, i+1, kinds)
		fmt.Fprintf(&overrides, `<Override PartName="/ppt/slides/slide%d.xml" ContentType="%sslide+xml"/>`, i+1, types)
		var shapes strings.Builder
		for j, text := range slide {
			kind := "body"
			if j == 0 {
				kind = "title"
			}
			fmt.Fprintf(&shapes, `<p:sp><p:nvSpPr><p:cNvPr id="%d" name="n"/><p:cNvSpPr/><p:nvPr><p:ph type="%s" idx="%[1]d"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>`, j+2, kind)
			_ = xml.EscapeText(&shapes, []byte(text))
			shapes.WriteString(`</a:t></a:r></a:p></p:txBody></p:sp>`)
		}
		put(fmt.Sprintf("ppt/slides/slide%d.xml", i+1), `<p:sld `+spaces+`><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`+shapes.String()+`</p:spTree></p:cSld></p:sld>`)
	}
	put("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/ppt/presentation.xml" ContentType="`+types+`presentation.main+xml"/>`+overrides.String()+`</Types>`)
	put("_rels/.rels", rels+`<Relationship Id="r1" Type="`+kinds+`/officeDocument" Target="ppt/presentation.xml"/></Relationships>`)
	put("ppt/_rels/presentation.xml.rels", rels+links.String()+`</Relationships>`)
	put("ppt/presentation.xml", `<p:presentation `+spaces+`><p:sldIdLst>`+list.String()+`</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`)
	_ = z.Close() // writing to memory does not fail
	return b.Bytes()
}

// chart returns a picture with bars.
func chart() []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	for y := range 300 {
		for x := range 400 {
			c := color.NRGBA{245, 245, 240, 255}
			if bar := x / 50; x%50 > 10 && y > 280-30*bar {
				c = color.NRGBA{uint8(20 * bar), 90, 160, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // writing to memory does not fail
	return b.Bytes()
}

// tone returns a WAV file of so many seconds.
func tone(seconds int) []byte {
	const rate = 8000
	size := seconds * rate * 2
	b := []byte("RIFF")
	b = endian.LittleEndian.AppendUint32(b, uint32(36+size))
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	b = endian.LittleEndian.AppendUint32(b, rate)
	b = endian.LittleEndian.AppendUint32(b, 2*rate)
	b = append(b, "\x02\x00\x10\x00data"...)
	b = endian.LittleEndian.AppendUint32(b, uint32(size))
	for i := range seconds * rate {
		loud := float64(i%rate) / rate
		b = endian.LittleEndian.AppendUint16(b, uint16(int16(12000*loud*math.Sin(float64(i)/3))))
	}
	return b
}

// numberSheet returns an XLSX workbook with a sheet Q4 of numbers: 100 for each row, and one
// for each column.
func numberSheet(rows, columns int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	small := testcorpus.Workbook([]string{"x"})
	r, err := zip.NewReader(bytes.NewReader(small), int64(len(small)))
	if err != nil {
		panic(err) // cannot happen
	}
	for _, f := range r.File {
		w, err := z.Create(f.Name)
		if err != nil {
			panic(err) // cannot happen: writing to memory does not fail
		}
		in, err := f.Open()
		if err != nil {
			panic(err) // cannot happen
		}
		var part bytes.Buffer
		_, _ = part.ReadFrom(in)
		before, rest, isSheet := bytes.Cut(part.Bytes(), []byte("<sheetData>"))
		_, after, _ := bytes.Cut(rest, []byte("</sheetData>"))
		if !isSheet {
			_, _ = w.Write(part.Bytes())
			continue
		}
		_, _ = w.Write(append(before, "<sheetData>"...))
		for row := 1; row <= rows; row++ {
			line := fmt.Appendf(nil, `<row r="%d">`, row)
			for column := 1; column <= columns; column++ {
				line = fmt.Appendf(line, `<c r="%c%d"><v>%d</v></c>`, 'A'+column-1, row, 100*row+column)
			}
			_, _ = w.Write(append(line, "</row>"...))
		}
		_, _ = w.Write(append([]byte("</sheetData>"), after...))
	}
	_ = z.Close() // writing to memory does not fail
	return b.Bytes()
}
