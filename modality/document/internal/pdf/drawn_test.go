package pdf_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
)

// runOf returns the text of the only page of a file.
func runOf(t *testing.T, data []byte, box citekit.Box) citekit.TextRun {
	t.Helper()
	loc := pages(1, 1)
	loc.Box = box
	for run, err := range sharedResolver().ReadText(t.Context(), source(data), loc) {
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	t.Fatal("no page")
	return citekit.TextRun{}
}

// TestVertical reads vertical writing in its order, whatever that of the content: of two
// parts of a page the upper one first, and there the right column.
func TestVertical(t *testing.T) {
	data := pdftest.Vertical(
		pdftest.Column{X: 80, Y: 130, Text: "下の段の左"},
		pdftest.Column{X: 80, Y: 280, Text: "上の段の左の文"},
		pdftest.Column{X: 100, Y: 280, Text: "上の段の右の文は"},
		pdftest.Column{X: 100, Y: 130, Text: "下の段の右"},
	)
	run := runOf(t, data, citekit.Box{})
	if want := "上の段の右の文は\n上の段の左の文\n下の段の右\n下の段の左"; run.Text != want || run.Missing != "" {
		t.Errorf("got %q, missing %q", run.Text, run.Missing)
	}
	if got := runOf(t, data, citekit.Box{X1: 0, Y1: 0.5, X2: 1, Y2: 1}).Text; got != "下の段の右\n下の段の左" {
		t.Errorf("the lower half: %q", got)
	}
	word := "左の文"
	at := strings.Index(run.Text, word)
	boxes, err := sharedResolver().Boxes(t.Context(), source(data), pages(1, 1), at, at+len(word))
	if err != nil || len(boxes) != 1 {
		t.Fatalf("boxes %v, %v", boxes, err)
	}
	// The fifth to the seventh character of the column whose centre is at 80 points.
	b := boxes[0]
	if math.Abs((b.X1+b.X2)/2-80./300) > 0.03 || math.Abs(b.Y1-60./300) > 0.03 || math.Abs(b.Y2-90./300) > 0.03 {
		t.Errorf("box %v", b)
	}
}

// TestNumberInColumn keeps the digits of a number that stand side by side in a column.
func TestNumberInColumn(t *testing.T) {
	got := runOf(t, pdftest.Vertical(
		pdftest.Column{X: 200, Y: 280, Text: "平成二十年四月一日公布"},
		pdftest.Column{X: 180, Y: 280, Text: "第十八条の規定"},
		pdftest.Column{X: 180, Y: 190, Text: "次の各号"},
	), citekit.Box{}).Text
	if got != "平成二十年四月一日公布\n第十八条の規定\u3000次の各号" {
		t.Errorf("got %q", got)
	}
}

// TestWidthless reads a text whose font gives it no width.
func TestWidthless(t *testing.T) {
	if run := runOf(t, pdftest.Widthless("幅のない字"), citekit.Box{}); run.Text != "幅のない字" || run.Missing != "" {
		t.Errorf("got %+v", run)
	}
}

const courier = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Courier >>"

// bold is a text that is drawn letter by letter.
const bold = "Every letter of this heading stands twice"

// letters draws bold, each letter in its place and moved to the right.
func letters(right float64) (content string) {
	for i, letter := range bold {
		content += fmt.Sprintf("BT /F1 9 Tf 1 0 0 1 %g 150 Tm (%c) Tj ET\n", 20+5.4*float64(i)+right, letter)
	}
	return content
}

// chain draws bold, each letter where the one before ends.
func chain(x float64) string {
	content := fmt.Sprintf("BT /F1 9 Tf %g 150 Td\n", x)
	for _, letter := range bold {
		content += fmt.Sprintf("(%c) Tj\n", letter)
	}
	return content + "ET\n"
}

// inOne has each letter of bold twice, one over the other.
var inOne = func() (text string) {
	for _, letter := range bold {
		text += fmt.Sprintf("(%[1]c) 570 (%[1]c) -30 ", letter)
	}
	return text
}()

// TestMissing says that a page draws characters that are not in its text.
func TestMissing(t *testing.T) {
	run := runOf(t, pdftest.Unnamed("Heading", 80), citekit.Box{})
	if !strings.HasPrefix(run.Text, "Heading") || run.Missing != "80 of the 87 characters drawn on it cannot be read" {
		t.Errorf("got %+v", run)
	}
	for name, data := range map[string][]byte{
		"text": pdftest.Text(true, strings.Repeat("longer than the least ", 3)),
		"twice": pdftest.Page("", strings.Repeat("BT /F1 9 Tf 20 150 Td (Drawn twice to look bold, as some programs do) Tj ET\n", 2),
			"/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
		"letter by letter": pdftest.Page("", letters(0)+letters(.3), courier),
		"in chains":        pdftest.Page("", chain(20)+chain(20.3), courier),
		"moved":            pdftest.Page("", "q 1 0 0 1 20 150 cm "+letters(0)+" Q q 1 0 0 1 20.3 150 cm "+letters(0)+" Q", courier),
		"in one string":    pdftest.Page("", "BT /F1 9 Tf 20 150 Td ["+inOne+"] TJ ET", courier),
		"leaders": pdftest.Page("", "BT /F1 9 Tf 20 150 Td (Contents "+strings.Repeat(".", 90)+" 7) Tj ET",
			"/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
	} {
		if run := runOf(t, data, citekit.Box{}); run.Text == "" || run.Missing != "" {
			t.Errorf("%s: got %+v", name, run)
		}
	}
}

// TestShownOnPage reads what form fields and annotations show, with its place.
func TestShownOnPage(t *testing.T) {
	data := pdftest.Fields()
	text := runOf(t, data, citekit.Box{}).Text
	for word, bottom := range map[string]float64{"A form": 280, "Alice": 250, "Bob": 220, "Carol": 190, "remark": 130, "approved": 100} {
		at := strings.Index(text, word)
		if at < 0 || strings.Count(text, word) != 1 {
			t.Errorf("%q is not once in %q", word, text)
			continue
		}
		boxes, err := sharedResolver().Boxes(t.Context(), source(data), pages(1, 1), at, at+len(word))
		if err != nil || len(boxes) != 1 || boxes[0].Y2 > 1-(bottom-5)/300 || boxes[0].Y1 < 1-(bottom+20)/300 {
			t.Errorf("%s: boxes %v, %v", word, boxes, err)
		}
	}
	for _, word := range []string{"opensesame", "hidden"} {
		if strings.Contains(text, word) {
			t.Errorf("%q shows %q", text, word)
		}
	}
	if got := runOf(t, data, citekit.Box{X1: 0, Y1: 1 - 275./300, X2: 1, Y2: 1 - 245./300}).Text; got != "Alice" {
		t.Errorf("in the box of a field: %q", got)
	}
}
