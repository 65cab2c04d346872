package htmlblocks_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

const half = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"

// TestFormulas: digits of different parts of a formula do not become one number.
func TestFormulas(t *testing.T) {
	for math, want := range map[string]string{
		half:                                  "1/2",
		"<msup>" + half + "<mn>2</mn></msup>": "(1/2)²",
		"<menclose notation='updiagonalstrike'><mn>5</mn></menclose><mn>6</mn>": "~~5~~6",
		"<mn>3</mn>" + half:                                                                                            "3 1/2",
		"<mn>3</mn>\n " + half:                                                                                         "3 1/2",
		"<mn>3</mn><mo>&#8292;</mo>" + half:                                                                            "3 1/2",
		"<mn>3</mn><mo>&InvisibleTimes;</mo><mn>4</mn>":                                                                "3 4",
		"<mn>1</mn><mn>0</mn>":                                                                                         "10",
		"<mrow><mn>1</mn></mrow><mn>0</mn>":                                                                            "10",
		"<mi>x</mi> <mo>=</mo>\n<mn>1</mn>":                                                                            "x = 1",
		"<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>12</mn></mfrac>":                                        "(a+b)/12",
		"<mfrac linethickness='0'><mn>5</mn><mn>2</mn></mfrac>":                                                        "(5 2)",
		"<mfrac linethickness='0.5pt'><mn>5</mn><mn>2</mn></mfrac>":                                                    "5/2",
		"<msup><mn>10</mn><mn>2</mn></msup><mi>m</mi>":                                                                 "10²m",
		"<msup> <mn>10</mn> <mrow><mo>&minus;</mo><mn>3</mn></mrow></msup>":                                            "10⁻³",
		"<msup><mn>10</mn><mrow><mn>2</mn><mi>n</mi></mrow></msup>":                                                    "10^2n",
		"<msup><mi>x</mi>" + half + "</msup>":                                                                          "x^(1/2)",
		"<msub><mn>10</mn><mn>2</mn></msub>":                                                                           "10₂",
		"<msub><mi>a</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msub>":                                           "a_(n+1)",
		"<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>":                                                            "x₁²",
		"<msub><mi>log</mi><mn>2</mn></msub><mn>10</mn>":                                                               "log₂10",
		"<munderover><mo>&sum;</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mn>9</mn></munderover><mi>i</mi>":       "∑_(i=1)⁹i",
		"<mover><mi>x</mi><mo>&macr;</mo></mover>":                                                                     "x¯",
		"<msqrt><mn>2</mn></msqrt>":                                                                                    "√2",
		"<mn>2</mn><mroot><mn>8</mn><mn>3</mn></mroot>":                                                                "2 ³√8",
		"<mfenced open='[' separators=';'><mn>1</mn><mn>2</mn></mfenced>":                                              "[1;2)",
		"<mfenced separators=''><mn>1</mn><mn>2</mn></mfenced>":                                                        "(1 2)",
		"<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd/></mtr></mtable>": "1 2; 3",
		"<mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><mn>6</mn><mn>12</mn></mmultiscripts>":                "₆¹²C₆",
		"<semantics>" + half + "<annotation encoding='TeX'>\\frac12</annotation><annotation-xml><mn>12</mn></annotation-xml></semantics><mn>7</mn>": "1/2 7",
		"<mphantom><mn>9</mn></mphantom><mn>7</mn>": "7",
		"<maction><mn>1</mn><mn>2</mn></maction>":   "1",
		"<mtext>10<sup>2</sup> or <b>3</b></mtext>": "10² or 3",
		"<mfrac><mn>1</mn></mfrac>":                 "1/",
		"<mn>1<mfrac>":                              "1/",
		"</mfrac><mn>1</mn></mrow>":                 "1",
		strings.Repeat("<mrow>", 100) + "<mn>1</mn>" + strings.Repeat("</mrow>", 100) + "<mn>2</mn>": "…2",
	} {
		prefixed := regexp.MustCompile("<(/?)").ReplaceAllString("<math>"+math+"</math>", "<${1}m:")
		for _, formula := range []string{"<math>" + math + "</math>", prefixed} {
			if got := htmlblocks.Text([]byte("<p>a "+formula+" z"), formula == prefixed); got != "a "+want+" z\n" {
				t.Errorf("%.200s: %q, want %q", formula, got, "a "+want+" z\n")
			}
		}
	}
}

// TestFormulaEnds: a formula that is not closed ends at the block around it, and its digits
// keep apart in cells.
func TestFormulaEnds(t *testing.T) {
	for page, want := range map[string]string{
		"<p>a <math>" + half + "<p>b<sup>2</sup>":                            "a 1/2\nb²\n",
		"<table><tr><td><math>" + half + "<td>3</table>":                     "1/2\t3\n",
		"<p><math>" + half + "</math><math><mn>3</mn></math>":                "1/2 3\n",
		"<p>2<math>" + half + "</math>3":                                     "2 1/2 3\n",
		"<p>2<math><mn>3</mn></math>4<math><msqrt><mn>5</mn></msqrt></math>": "234√5\n",
		"<pre>2<math>" + half + "</math>3</pre>":                             "2 1/2 3\n",
		"<p><math/>1":                                                        "1\n",
		"<p>2<math><script>9</script><mn>3</mn></math>":                      "23\n",
	} {
		if got := htmlblocks.Text([]byte(page), strings.Contains(page, "/>")); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// TestStruck: text that is struck out is marked so.
func TestStruck(t *testing.T) {
	for page, want := range map[string]string{
		"<p>for <s>100</s> 80":                         "for ~~100~~ 80\n",
		"<p>for<del> 100 <b>and</b> 9 </del>80":        "for ~~100 and 9~~ 80\n",
		"<del><p>a<p>b</del>c":                         "~~a~~\n~~b~~c\n",
		"<p><strike>1<s>2</s>3</strike>4</strike>":     "~~123~~4\n",
		"<table><tr><td>1<s>2</s><td><s>3</s></table>": "1~~2~~\t~~3~~\n",
		"<p>1<s> </s>2":                                "1 2\n",
		"<p><s>10<sup>2</sup></s><ins>5</ins>":         "~~10²~~5\n",
		"<p><s><math>" + half + "</math></s>3":         "~~1/2~~ 3\n",
		"<pre>x <s>y\n</s>z</pre>":                     "x ~~y~~\nz\n",
	} {
		if got := htmlblocks.Text([]byte(page), false); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
		read, err := htmlblocks.Read(t.Context(), []byte(page), false)
		if err != nil || strings.Join(strings.Fields(read.Text), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s: read %q, %v", page, read.Text, err)
		}
	}
}

// TestFormulaLines: a formula on several lines is text of the first of them, and stands on
// all.
func TestFormulaLines(t *testing.T) {
	page := "<p>a\n<math>\n<mfrac>\n<mn>1</mn>\n<mn>2</mn>\n</mfrac>\n</math>\nz</p>"
	read, err := htmlblocks.Read(t.Context(), []byte(page), false)
	if err != nil || read.Text != "a\n1/2\nz\n" {
		t.Fatalf("%q, %v", read.Text, err)
	}
	for _, c := range [][4]int{{2, 5, 2, 7}, {2, 3, 2, 7}, {0, 1, 1, 1}, {0, 3, 1, 7}, {6, 7, 8, 8}, {4, 7, 2, 8}} {
		if first, last := read.Lines(c[0], c[1]); first != c[2] || last != c[3] {
			t.Errorf("bytes %d-%d are on the lines %d-%d, want %d-%d", c[0], c[1], first, last, c[2], c[3])
		}
	}
	if got := read.Span(2, 2); read.Text[got.Start:got.End] != "1/2\n" {
		t.Errorf("line 2 has %q", read.Text[got.Start:got.End])
	}
}

// FuzzFormula: no formula panics, and the text of a page is on one line of each block.
func FuzzFormula(f *testing.F) {
	f.Add("<math>" + half + "<msup><mn>10</mn><mn>2</mn></msup></math>")
	f.Add("<math><mmultiscripts><mi>C</mi><mprescripts/><mn>6<mfenced separators='.;'><mn>1</mn><mn>2")
	f.Add("<math><mroot><mtable><mtr><mtd>1</mtable><annotation>9</math><td>2")
	f.Fuzz(func(t *testing.T, page string) {
		for _, xml := range []bool{false, true} {
			if got := htmlblocks.Text([]byte(page), xml); got != "" && !strings.HasSuffix(got, "\n") {
				t.Errorf("%q", got)
			}
			if _, err := htmlblocks.Read(t.Context(), []byte(page), xml); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestDashes: a dash before a raised number is a minus, and one within it is not.
func TestDashes(t *testing.T) {
	for text, want := range map[string]string{"–6": "⁻⁶", "‐6": "⁻⁶", "‑12": "⁻¹²", "1–2": "¹–²", "–": "–", "–n": "–n"} {
		if got := htmlblocks.Above.Write(text); got != want {
			t.Errorf("%q above the line is %q, want %q", text, got, want)
		}
	}
}
