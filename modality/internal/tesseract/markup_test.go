package tesseract

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

const (
	someHOCR = `<?xml version="1.0"?><!DOCTYPE html><html><head><meta charset="utf-8"></head><body>
<div class='ocr_page' title='image "page.png"; bbox 0 0 1000 500; ppageno 0'><div class='ocr_carea' title="bbox 100 50 900 150">
<p class='ocr_par'><span class='ocr_line' title="bbox 100 50 900 100"><span class='ocrx_word' title='bbox 100 50 300 100; x_wconf 90'><strong>Rent</strong></span>
<span class='ocrx_word' title='bbox 320 50 500 100; x_wconf 80'>&amp;&nbsp;taxes</span><br></span></p></div>
<span class='ocr_line' title="bbox 100 200 900 250; x_wconf 70">a line without words</span></div>
<div class='ocr_page' title='bbox 0 0 1000 500'><span class='ocr_line' title="bbox 1 1 9 9">another page</span></div></body></html>`

	someALTO = `<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout><Page WIDTH="1000" HEIGHT="500"><PrintSpace>
<TextBlock HPOS="100" VPOS="50" WIDTH="800" HEIGHT="100"><TextLine HPOS="100" VPOS="50" WIDTH="800" HEIGHT="50">
<String CONTENT="Rent" HPOS="100" VPOS="50" WIDTH="200" HEIGHT="50" WC="0.9"/><SP WIDTH="20"/>
<String CONTENT="&amp; taxes" HPOS="320" VPOS="50" WIDTH="180" HEIGHT="50" WC="0.8"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>`
)

func TestParseAny(t *testing.T) {
	for form, want := range map[string]string{
		someHOCR: "Rent & taxes|a line without words", someALTO: "Rent & taxes", "\ufeff" + someALTO: "Rent & taxes",
	} {
		blocks, err := parseAny([]byte(form))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, b := range blocks {
			for _, line := range b.Lines {
				texts = append(texts, line.Text)
			}
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		word := blocks[0].Lines[0].Words[0]
		if want := (citekit.Box{X1: .1, Y1: .1, X2: .3, Y2: .2}); word.Box != want {
			t.Errorf("the box of a word is %v", word.Box)
		}
		if sure := Confidence(blocks); !(sure > .7 && sure < .9) {
			t.Errorf("confidence %v", sure)
		}
	}
	for _, bad := range []string{"", "<html><p>no page</p></html>", "<alto><Page/></alto>", "<", "text", "\xff\xfe<"} {
		if blocks, err := parseAny([]byte(bad)); len(blocks) > 0 || bad != "" && !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%q: %v, %v", bad, blocks, err)
		}
	}
	deep := "<alto><Page WIDTH='9' HEIGHT='9'>" + strings.Repeat("<a>", maxDepth+1)
	if _, err := parseAny([]byte(deep)); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("elements within each other: %v", err)
	}
}

// TestHostilePlaces reads places outside of the picture, turned round and without end, and
// confidences that are none: what is read lies on the picture.
func TestHostilePlaces(t *testing.T) {
	alto := func(place string) string {
		return `<alto><Page WIDTH="100" HEIGHT="50"><TextLine ` + place + `><String CONTENT="../../etc/passwd" ` + place + `/><String CONTENT="word" HPOS="9" VPOS="9" WIDTH="9" HEIGHT="9" WC="-7"/></TextLine></Page></alto>`
	}
	hocr := func(box string) string {
		return `<div class="ocr_page" title="bbox 0 0 100 50"><span class="ocr_line" title="bbox 0 0 90 40"><span class="ocrx_word" title="bbox ` + box + `; x_wconf 1e300">../secret</span></span></div>`
	}
	tsv := func(place string) string {
		return "1\t1\t0\t0\t0\t0\t0\t0\t100\t50\t-1\t\n5\t1\t1\t1\t1\t1\t" + place + "\t5000\tword\n"
	}
	for _, out := range []string{
		alto(`HPOS="-5000" VPOS="-1" WIDTH="9e300" HEIGHT="9e300" WC="1e9"`), alto(`HPOS="NaN" VPOS="Inf" WIDTH="-4" HEIGHT="1e999"`),
		hocr("90 40 10 5"), hocr("-99999999999 -1 99999999999 1"), hocr("500 500 600 600"), hocr("1e308 0 -1e308 9"),
		tsv("-900\t-900\t100000\t100000"), tsv("900\t900\t10\t10"), tsv("2147483647\t1\t2147483647\t9"),
	} {
		blocks, err := parseAny([]byte(out))
		if err != nil && !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: %v", out, err)
		}
		if sure := Confidence(blocks); !(sure >= 0 && sure <= 1) {
			t.Errorf("%s: confidence %v", out, sure)
		}
		var boxes []citekit.Box
		for _, b := range blocks {
			boxes = append(boxes, b.Box)
			for _, line := range b.Lines {
				boxes = append(boxes, line.Box)
				for _, w := range line.Words {
					boxes = append(boxes, w.Box)
				}
			}
		}
		for _, b := range boxes {
			for _, v := range []float64{b.X1, b.Y1, b.X2, b.Y2} {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s: a place at %v", out, b)
				}
			}
		}
	}
}

// FuzzParseAny reads answers of hostile programs: what is read has words, places on the
// picture and a confidence.
func FuzzParseAny(f *testing.F) {
	f.Add([]byte(someHOCR))
	f.Add([]byte(someALTO))
	f.Add([]byte("1\t1\t0\t0\t0\t0\t0\t0\t640\t480\t-1\t\n5\t1\t1\t1\t1\t1\t9\t9\t9\t9\t96\tword\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		blocks, err := parseAny(out)
		if err != nil {
			return
		}
		if sure := Confidence(blocks); !(sure >= 0 && sure <= 1) {
			t.Errorf("confidence %v", sure)
		}
		for _, b := range blocks {
			for _, v := range []float64{b.Box.X1, b.Box.Y1, b.Box.X2, b.Box.Y2} {
				if !(v >= 0 && v <= 1) || math.IsNaN(b.Confidence) {
					t.Errorf("%+v", b)
				}
			}
			for _, line := range b.Lines {
				if len(line.Words) == 0 || line.Text == "" {
					t.Errorf("%+v", line)
				}
			}
		}
	})
}
