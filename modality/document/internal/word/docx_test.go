package word_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/word"
	"github.com/citekit/citekit/modality/modalitytest"
)

// texts are those of the blocks of the report.
var texts = []string{
	"The report\n", "1\tScope\n", "One new\n[1] the first note\n", "1.1\tParts\n", "(c) first item\n", "a bullet\n", "(d) second\titem\n",
	"End of section one\n[2] the second note\n", "Table 1. Sizes\n", "name\tsize\tnote\nwide\t\tx\na\tb\tc\n", "2\tRest\n", "(a) anew there\n", "last\n",
}

func TestReadText(t *testing.T) {
	data := report().pack(t)
	at := 0
	for run, err := range new(word.Resolver).ReadText(t.Context(), doctest.Source("x.docx", data), whole) {
		if err != nil {
			t.Fatal(err)
		}
		if want := blocks(at+1, at+1); !run.Location.Equal(want) || run.Text != texts[at] {
			t.Errorf("%v %q, want %q", run.Location.Blocks, run.Text, texts[at])
		}
		at++
	}
	if at != len(texts) {
		t.Errorf("%d runs", at)
	}
	for notation, want := range map[string]string{"A1": "name\n", "B1:C2": "size\tnote\n\tx\n", "A2:B3": "wide\t\na\tb\n", "C1:C3": "note\nx\nc\n"} {
		if got := read(t, data, cells(10, notation)); got != want {
			t.Errorf("%s: %q, want %q", notation, got, want)
		}
	}
}

// TestRaised: numbers above the line are not part of the number before them.
func TestRaised(t *testing.T) {
	set := func(properties, text string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	const up, down = `<w:vertAlign w:val="superscript"/>`, `<w:vertAlign w:val="subscript"/>`
	power := func(properties string) string { return run("10") + set(properties, "2") + run(" m") }
	for name, c := range map[string]struct{ body, want string }{
		"a power":           {para("", power(up)), "10² m\n"},
		"less":              {para("", run("10")+set("<w:b/>"+up, "−3 ")+run("m")), "10⁻³ m\n"},
		"an ordinal":        {para("", run("the 5")+set(up, "th")), "the 5th\n"},
		"below":             {para("", run("H")+set(down, "2")+run("O")), "H₂O\n"},
		"below a number":    {para("", run("10")+set(down, "2")+run(" of 7")), "10₂ of 7\n"},
		"of other members":  {para("", run("10")+set(up, "2n")+run(", 10")+set(up, "2.5")+run(", 10")+set(up, "1/2")+run(", 7")+set(up, "1,2")), "10^2n, 10^2.5, 10^(1/2), 7¹,²\n"},
		"a style":           {para("", power(`<w:rStyle w:val="up"/>`)), "10² m\n"},
		"a style of it":     {para("", power(`<w:rStyle w:val="more"/>`)), "10² m\n"},
		"not as its style":  {para("", power(`<w:rStyle w:val="up"/><w:vertAlign w:val="baseline"/>`)), "102 m\n"},
		"a style in a ring": {para("", power(`<w:rStyle w:val="ring"/>`)), "102 m\n"},
		"no longer":         {para("", power(`<w:rPrChange><w:rPr>`+up+`</w:rPr></w:rPrChange>`)), "102 m\n"},
		"of the paragraph":  {para("<w:rPr>"+up+"</w:rPr>", run("10")+run("2")), "102\n"},
		"the next":          {para("", run("10")+set(up, "2")) + para("", "3"), "10²\n3\n"},
		"a cell":            {table([]string{power(up), "3"}), "10² m\t3\n"},
		"a text box":        {para("", `<w:r><w:rPr>`+up+`</w:rPr><w:pict><w:txbxContent>`+para("", run("1")+set(up, "4"))+`</w:txbxContent></w:pict><w:t>5</w:t></w:r>`), "⁵\n1⁴\n"},
	} {
		data := docx{body: c.body, rels: []string{"styles", "styles.xml"}, parts: []string{"word/styles.xml", `<w:styles ` + wordNS + `>` +
			`<w:style w:type="character" w:styleId="more"><w:basedOn w:val="up"/></w:style>` +
			`<w:style w:type="character" w:styleId="up"><w:rPr>` + up + `</w:rPr></w:style>` +
			`<w:style w:type="character" w:styleId="ring"><w:basedOn w:val="ring"/></w:style></w:styles>`}}.pack(t)
		if got := read(t, data, whole); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		evidence, _ := cut(t, data, blocks(1, 1))
		if got, want := read(t, evidence, whole), read(t, data, blocks(1, 1)); got != want {
			t.Errorf("the evidence of %s: %q, want %q", name, got, want)
		}
	}
}

// TestFormulas: fractions and powers are not written as one number.
func TestFormulas(t *testing.T) {
	r := func(text string) string { return `<m:r><m:t xml:space="preserve">` + text + `</m:t></m:r>` }
	f := func(num, den string) string {
		return `<m:f><m:fPr/><m:num>` + num + `</m:num><m:den>` + den + `</m:den></m:f>`
	}
	power := func(base, by string) string {
		return `<m:sSup><m:e>` + base + `</m:e><m:sup>` + by + `</m:sup></m:sSup>`
	}
	deep := r("1")
	for range 40 {
		deep = f(deep, r("2"))
	}
	m := func(name, inner string) string { return "<m:" + name + ">" + inner + "</m:" + name + ">" }
	for math, want := range map[string]string{
		f(r("1"), r("2")):                                                                        "a 1/2 z",
		r("3") + f(r("1"), r("2")):                                                               "a 3 1/2 z",
		f(r("a")+r("+")+r("b"), r("12")):                                                         "a (a+b)/12 z",
		f(r("1"), r("2")) + r("3"):                                                               "a 1/2 3 z",
		r("5") + f(r("1"), r("2")) + r("6"):                                                      "a 5 1/2 6 z",
		power(f(r("2"), r("3")), r("2")):                                                         "a (2/3)² z",
		power(r("x"), r("2")) + m("rad", m("deg", r("3"))+m("e", r("8"))):                        "a x² ³√8 z",
		m("rad", m("deg", "")+m("e", r("2"))) + r("3"):                                           "a √2 3 z",
		m("eqArr", m("e", r("1"))+m("e", r("2"))) + r("6"):                                       "a 1; 2 6 z",
		m("phant", `<m:phantPr><m:show m:val="0"/></m:phantPr>`+m("e", r("5"))) + r("6"):         "a 6 z",
		m("phant", m("e", r("5"))):                                                               "a 5 z",
		m("borderBox", `<m:borderBoxPr><m:strikeBLTR/></m:borderBoxPr>`+m("e", r("5"))) + r("6"): "a ~~5~~6 z",
		power(r("10"), r("2")):                                                                   "a 10² z",
		power(r("10"), r("−")+r("3")) + r("m"):                                                   "a 10⁻³m z",
		power(r("2"), r("n")):                                                                    "a 2^n z",
		power(r("2"), r("n+1")):                                                                  "a 2^(n+1) z",
		power(r("x"), f(r("1"), r("2"))):                                                         "a x^(1/2) z",
		f(power(r("x"), r("2")), r("y")):                                                         "a x²/y z",
		`<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>` + r("5") + `</m:num><m:den>` + r("2") + `</m:den></m:f>`:                                                    "a (5 2) z",
		`<m:sSubSup><m:e>` + r("x") + `</m:e><m:sub>` + r("1") + `</m:sub><m:sup>` + r("2") + `</m:sup></m:sSubSup>`:                                                     "a x₁² z",
		`<m:nary><m:sub>` + r("i=1") + `</m:sub><m:sup>` + r("9") + `</m:sup><m:e>` + r("i") + `</m:e></m:nary>`:                                                         "a ∫_(i=1)⁹ i z",
		m("nary", `<m:naryPr><m:chr m:val="∑"/></m:naryPr>`+m("sub", r("1"))+m("sup", r("n"))+m("e", r("2"))):                                                            "a ∑₁^n 2 z",
		r("2") + m("rad", m("deg", r("3"))+m("e", r("8"))):                                                                                                               "a 2 ³√8 z",
		m("rad", m("deg", "")+m("e", r("8")+power(r("x"), r("2")))):                                                                                                      "a √8x² z",
		r("2") + m("d", m("dPr", "")+m("e", r("3"))+m("e", r("4"))) + r("5"):                                                                                             "a 2(3|4)5 z",
		m("d", `<m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr>`+m("e", m("m", m("mr", m("e", r("1"))+m("e", r("2")))+m("mr", m("e", r("3"))+m("e", r("4")))))): "a [1 2; 3 4 z",
		m("sSub", m("e", r("10"))+m("sub", r("2"))) + m("sPre", m("sub", r("1"))+m("sup", r("2"))+m("e", r("H"))):                                                        "a 10₂₁²H z",
		m("limLow", m("e", r("lim"))+m("lim", r("x→0"))) + m("eqArr", m("e", r("1"))+m("e", r("2"))):                                                                     "a lim_(x→0)1; 2 z",
		deep: "a " + strings.Repeat("(", 31) + "…/2" + strings.Repeat(")/2", 31) + " z",
	} {
		data := docx{body: para("", run("a ")+`<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">`+math+`</m:oMath>`+run(" z"))}.pack(t)
		if got := read(t, data, whole); got != want+"\n" {
			t.Errorf("%.200s: %q, want %q", math, got, want)
		}
	}
}

// TestHidden: text that Word does not show is none.
func TestHidden(t *testing.T) {
	set := func(properties, inner string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr>` + inner + `</w:r>`
	}
	text := func(s string) string { return `<w:t xml:space="preserve">` + s + `</w:t>` }
	const hide = `<w:vanish/>`
	for name, c := range map[string]struct{ body, want string }{
		"a run":               {para("", run("1")+set(hide, text("2"))+run("3")), "13\n"},
		"all of it":           {para("", run("1")+set(hide, text("2")+`<w:tab/><w:br/><w:sym w:char="2264"/><w:noBreakHyphen/>`)), "1\n"},
		"what follows":        {para("", set(hide, text("2"))+`<w:hyperlink><w:ins>`+run("3")+`</w:ins></w:hyperlink>`), "3\n"},
		"not":                 {para("", run("1")+set(`<w:vanish w:val="0"/>`, text("2"))), "12\n"},
		"no longer":           {para("", run("1")+set(`<w:rPrChange><w:rPr>`+hide+`</w:rPr></w:rPrChange>`, text("2"))), "12\n"},
		"the web alone":       {para("", run("1")+set(`<w:webHidden/>`, text("2"))), "12\n"},
		"a style":             {para("", run("1")+set(`<w:rStyle w:val="off"/>`, text("2"))), "1\n"},
		"not as its style":    {para("", run("1")+set(`<w:rStyle w:val="off"/><w:vanish w:val="false"/>`, text("2"))), "12\n"},
		"a paragraph":         {para(styled("Off"), run("1")) + para("", run("2")), "2\n"},
		"of the paragraph":    {para(styled("Off"), run("1")+set(`<w:vanish w:val="off"/>`, text("2"))), "2\n"},
		"the paragraph's end": {para("<w:rPr>"+hide+"</w:rPr>", run("1")), "1\n"},
		"a cell":              {table([]string{run("1") + set(hide, text("2")), "3"}), "1\t3\n"},
	} {
		data := docx{body: c.body, rels: []string{"styles", "styles.xml"}, parts: []string{"word/styles.xml", `<w:styles ` + wordNS + `>` +
			`<w:style w:type="character" w:styleId="off"><w:rPr>` + hide + `</w:rPr></w:style>` +
			`<w:style w:type="paragraph" w:styleId="Off"><w:rPr>` + hide + `</w:rPr></w:style></w:styles>`}}.pack(t)
		if got := read(t, data, whole); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestStruck: text that is struck out is marked so.
func TestStruck(t *testing.T) {
	set := func(properties, text string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	const strike = `<w:strike/>`
	for name, c := range map[string]struct{ body, want string }{
		"a run":       {para("", run("for ")+set(strike, "100")+run(" 80")), "for ~~100~~ 80\n"},
		"spaces":      {para("", run("for")+set(strike, " 100 ")+run("80")), "for ~~100~~ 80\n"},
		"some runs":   {para("", set(strike, "1 ")+set(`<w:b/><w:dstrike/>`, "2")+run("3")), "~~1 2~~3\n"},
		"not":         {para("", set(`<w:strike w:val="0"/>`, "1")+set(`<w:dstrike w:val="false"/>`, "2")), "12\n"},
		"a style":     {para("", run("1 ")+set(`<w:rStyle w:val="out"/>`, "2")), "1 ~~2~~\n"},
		"a paragraph": {para("", set(strike, "1")) + para("", run("2")), "~~1~~\n2\n"},
		"a tab":       {para("", `<w:r><w:rPr><w:strike/></w:rPr><w:t>1</w:t><w:tab/><w:t>2</w:t><w:noBreakHyphen/><w:sym w:char="2264"/></w:r>`), "~~1~~\t~~2-≤~~\n"},
		"only spaces": {para("", run("1")+set(strike, " ")+run("2")), "1 2\n"},
		"deleted":     {para("", run("1")+`<w:del><w:r><w:delText>2</w:delText></w:r></w:del>`), "1\n"},
		"cells":       {table([]string{run("1") + set(strike, "2"), set(strike, "3")}), "1~~2~~\t~~3~~\n"},
		"a power":     {para("", set(strike, "10")+set(strike+`<w:vertAlign w:val="superscript"/>`, "2")), "~~10²~~\n"},
	} {
		data := docx{body: c.body, rels: []string{"styles", "styles.xml"}, parts: []string{"word/styles.xml", `<w:styles ` + wordNS + `>` +
			`<w:style w:type="character" w:styleId="out"><w:rPr>` + strike + `</w:rPr></w:style></w:styles>`}}.pack(t)
		if got := read(t, data, whole); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestStyles: what is struck out, hidden, above or below the line by styles. Each kind of
// style reverses what those around it say, and a run says it for all.
func TestStyles(t *testing.T) {
	set := func(properties, text string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	by := func(id string) string { return `<w:rStyle w:val="` + id + `"/>` }
	in := func(properties, cell, content string) string {
		return strings.Replace(table([]string{`<w:tc><w:tcPr>` + cell + `</w:tcPr>` + content + `</w:tc>`}), "<w:tblPr/>", `<w:tblPr>`+properties+`</w:tblPr>`, 1)
	}
	const no, out, old, row = `<w:strike w:val="0"/>`, `<w:tblStyle w:val="tOut"/>`, `<w:tblStyle w:val="tRow"/>`, `<w:cnfStyle w:val="100000000000"/>`
	lift := func(by, more string) string { return `<w:position w:val="` + by + `"/>` + more }
	for name, c := range map[string]struct{ body, want string }{
		"a paragraph":                    {para(styled("Out"), run("1")+set(no, " 2")), "~~1~~ 2\n"},
		"based on it":                    {para(styled("More"), run("1")), "~~1~~\n"},
		"based on it, not":               {para(styled("Not"), run("1")), "1\n"},
		"twice is not":                   {para(styled("Out"), run("1 ")+set(by("out"), "2")), "~~1~~ 2\n"},
		"twice and the run":              {para(styled("Out"), set(by("out")+"<w:strike/>", "2")), "~~2~~\n"},
		"a character style, not the run": {para("", set(by("out")+no, "2")), "2\n"},
		"two lines are no toggle":        {para(styled("Double"), set(by("double"), "1")+set(`<w:dstrike w:val="0"/>`, " 2")), "~~1~~ 2\n"},
		"two lines in place of one":      {para(styled("Out"), set(no+"<w:dstrike/>", "1")), "~~1~~\n"},
		"a linked style":                 {para(styled("Linked"), run("1")) + para("", run("2 ")+set(by("LinkedChar"), "3")), "~~1~~\n2 ~~3~~\n"},
		"hidden twice is shown":          {para(styled("Off"), run("1")+set(by("off"), "2")), "2\n"},
		"a table":                        {in(out, "", para("", run("1")+set(no, " 2"))), "~~1~~ 2\n"},
		"a table based on it":            {in(`<w:tblStyle w:val="tMore"/>`, "", para("", run("1"))), "~~1~~\n"},
		"a table, and its paragraph":     {in(out, "", para(styled("Out"), run("1"))), "1\n"},
		"a table in a table":             {in(out, "", in("", "", para("", run("1")))+para("", run("2"))), "1 ~~2~~\n"},
		"a row of a table":               {in(old, row, para("", run("1"))), "~~1~~\n"},
		"another row":                    {in(old, `<w:cnfStyle w:val="010000000000"/>`, para("", run("1"))), "1\n"},
		"a row by its name":              {in(old, `<w:cnfStyle w:firstRow="1"/>`, para("", run("1"))), "~~1~~\n"},
		"a power in a cell":              {in(`<w:tblStyle w:val="tUp"/>`, "", para("", run("2")+set(`<w:vertAlign w:val="baseline"/>`, "3"))), "²3\n"},
		"raised":                         {para("", run("10")+set(lift("6", ""), "2")), "10²\n"},
		"raised, in points":              {para("", run("10")+set(lift("3pt", ""), "2")), "10²\n"},
		"lowered":                        {para("", run("H")+set(lift("-4", `<w:sz w:val="16"/>`), "2")+run("O")), "H₂O\n"},
		"adjusted":                       {para("", run("10")+set(lift("2", ""), "2")), "102\n"},
		"of a large font":                {para("", run("10")+set(lift("6", `<w:sz w:val="72"/>`), "2")), "102\n"},
		"raised by a style":              {para("", run("10")+set(by("lift"), "2")+set(by("lift")+lift("0", ""), "3")), "10²3\n"},
		"a raised paragraph":             {para(styled("Lift"), run("10")), "10\n"},
		"lowered, though moved up":       {para("", run("10")+set(lift("6", "")+`<w:vertAlign w:val="subscript"/>`, "2")), "10₂\n"},
		"no number":                      {para("", run("10")+set(lift("NaN", ""), "2")+set(lift("much", ""), "3")), "1023\n"},
	} {
		style := func(kind, id, inner, properties string) string {
			return `<w:style w:type="` + kind + `" w:styleId="` + id + `">` + inner + `<w:rPr>` + properties + `</w:rPr></w:style>`
		}
		const strike, double, hide = `<w:strike/>`, `<w:dstrike/>`, `<w:vanish/>`
		data := docx{body: c.body, rels: []string{"styles", "styles.xml"}, parts: []string{"word/styles.xml", `<w:styles ` + wordNS + `><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>` +
			style("paragraph", "Out", "", strike) + style("paragraph", "More", `<w:basedOn w:val="Out"/>`, "") + style("paragraph", "Not", `<w:basedOn w:val="Out"/>`, no) +
			style("paragraph", "Double", "", double) + style("paragraph", "Off", "", hide) + style("paragraph", "Lift", "", lift("6", "")) +
			style("paragraph", "Linked", `<w:link w:val="LinkedChar"/>`, strike) + style("character", "LinkedChar", `<w:link w:val="Linked"/>`, strike) +
			style("character", "out", "", strike) + style("character", "double", "", double) + style("character", "off", "", hide) + style("character", "lift", "", lift("6", "")) +
			style("table", "tOut", "", strike) + style("table", "tMore", `<w:basedOn w:val="tOut"/>`, "") + style("table", "tUp", "", `<w:vertAlign w:val="superscript"/>`) +
			style("table", "tRow", `<w:tblStylePr w:type="firstRow"><w:rPr>`+strike+`</w:rPr></w:tblStylePr>`, "") + `</w:styles>`}}.pack(t)
		if got := read(t, data, whole); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		evidence, _ := cut(t, data, blocks(1, 1))
		if got, want := read(t, evidence, whole), read(t, data, blocks(1, 1)); got != want {
			t.Errorf("the evidence of %s: %q, want %q", name, got, want)
		}
	}
	data := docx{body: para("", run("1 ")+set(no, "2")) + para(styled("Out"), run("3")), rels: []string{"styles", "styles.xml"}, parts: []string{"word/styles.xml", `<w:styles ` + wordNS + `>` +
		`<w:docDefaults><w:rPrDefault><w:rPr><w:strike/></w:rPr></w:rPrDefault></w:docDefaults><w:style w:type="paragraph" w:styleId="Out"><w:rPr><w:strike/></w:rPr></w:style></w:styles>`}}.pack(t)
	if got, want := read(t, data, whole), "~~1~~ 2\n~~3~~\n"; got != want {
		t.Errorf("by default: %q, want %q", got, want)
	}
}

// TestSymbols: a symbol of a font is not left out, so that "≤ 5" is not "5".
func TestSymbols(t *testing.T) {
	sym := func(font, char string) string {
		return `<w:r><w:sym w:font="` + font + `" w:char="` + char + `"/></w:r>`
	}
	of := func(font, text string) string {
		return `<w:r><w:rPr><w:rFonts w:ascii="` + font + `" w:hAnsi="` + font + `"/></w:rPr><w:t>` + text + `</w:t></w:r>`
	}
	for body, want := range map[string]string{
		sym("Symbol", "F0A3") + run("5"):      "≤5\n",
		sym("symbol", "00B3") + run("5"):      "≥5\n",
		sym("Symbol", "F0B1") + run("5"):      "±5\n",
		sym("Symbol", "F06D") + run("m"):      "μm\n",
		sym("Symbol", "F0FE") + run("5"):      "⎭5\n",
		sym("Symbol", "F0FF") + run("5"):      "\ufffd5\n",
		sym("Wingdings", "F0FE") + run("5"):   "☑5\n",
		sym("Wingdings", "F082") + run(" of"): "② of\n",
		sym("Wingdings 3", "F022") + run("5"): "\ufffd5\n",
		sym("Arial", "2264") + run("5"):       "≤5\n",
		sym("Own", "E123") + run("5"):         "\ufffd5\n",
		sym("Own", "no number") + run("5"):    "\ufffd5\n",
		sym("Own", "FFFFFFFF") + run("5"):     "\ufffd5\n",
		sym("Own", "D800") + run("5"):         "\ufffd5\n",
		of("Symbol", "\uf0b3") + run("5"):     "≥5\n",
		of("Own", "\uf0b3") + run("5"):        "\uf0b35\n",
		of("Symbol", "a5") + sym("", ""):      "a5\ufffd\n",
	} {
		if got := read(t, docx{body: para("", body)}.pack(t), whole); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestComments reads the comments on a block after it, if asked for.
func TestComments(t *testing.T) {
	data := docx{
		body: para("", `<w:r><w:t>The range is six metres.</w:t></w:r><w:r><w:commentReference w:id="1"/></w:r><w:r><w:commentReference w:id="2"/></w:r>`) +
			para("", run("Nothing is said on this.")) +
			table([]string{`cell</w:t></w:r><w:r><w:commentReference w:id="3"/></w:r><w:r><w:t>`}),
		parts: []string{"word/comments.xml", `<w:comments ` + wordNS + `><w:comment w:id="1" w:author="Ann"><w:p><w:r><w:t>At which port?</w:t></w:r></w:p></w:comment>` +
			`<w:comment w:id="2" w:author="Bob"><w:p><w:r><w:t>At Brest.</w:t></w:r></w:p><w:p><w:r><w:t>See page 9.</w:t></w:r></w:p></w:comment>` +
			`<w:comment w:id="3"><w:p><w:r><w:t>Empty?</w:t></w:r></w:p></w:comment></w:comments>`},
		rels: []string{"comments", "comments.xml"},
	}.pack(t)
	const said = "The range is six metres.\n"
	if got := read(t, data, blocks(1, 1)); got != said {
		t.Errorf("not asked for: %q", got)
	}
	r := &word.Resolver{Comments: true}
	var runs []string
	for run, err := range r.ReadText(t.Context(), doctest.Source("a.docx", data), citekit.Location{Modality: citekit.Document}) {
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run.Location.String()+" "+run.Text)
	}
	want := []string{"blocks=1 " + said + "[comment by Ann] At which port?\n[comment by Bob] At Brest.\nSee page 9.\n", "blocks=2 Nothing is said on this.\n", "blocks=3 cell\n[comment] Empty?\n"}
	if !slices.Equal(runs, want) {
		t.Errorf("got %q, want %q", runs, want)
	}
	if r.Version() == (&word.Resolver{}).Version() {
		t.Error("the version does not tell whether comments are read")
	}
}

// TestCuts cuts every run of blocks, and every rectangle of cells: the text of
// the evidence is that of the source, and everything in it is reached.
func TestCuts(t *testing.T) {
	sharedtest.NotShort(t)
	data := report().pack(t)
	for first := 1; first <= len(texts); first++ {
		for last := first; last <= len(texts); last++ {
			got, _ := cut(t, data, blocks(first, last))
			if text, want := read(t, got, whole), strings.Join(texts[first-1:last], ""); text != want {
				t.Errorf("blocks %d-%d: %q, want %q", first, last, text, want)
			}
			checkParts(t, doctest.Unzip(t, got))
			if t.Failed() {
				t.Fatalf("blocks %d-%d", first, last)
			}
		}
	}
	for _, notation := range []string{"A1", "B1", "C2", "B2", "A1:C3", "A2:B3", "B2:C3", "B1:B3"} {
		got, _ := cut(t, data, cells(10, notation))
		if text, want := read(t, got, whole), read(t, data, cells(10, notation)); text != want {
			t.Errorf("cells %s: %q, want %q", notation, text, want)
		}
		if n := strings.Count(doctest.Unzip(t, got)["word/document.xml"], "<w:tbl>"); n != 1 {
			t.Errorf("cells %s: %d tables", notation, n)
		}
	}
}

// checkParts checks that nothing travels along that may not, and that no
// relationship is named that is not there.
func checkParts(t *testing.T, parts map[string]string) {
	t.Helper()
	main, rels := parts["word/document.xml"], parts["word/_rels/document.xml.rels"]
	for name, text := range parts {
		if strings.HasPrefix(name, "docProps") || strings.Contains(name, "vba") || strings.Contains(name, "embeddings") || strings.Contains(name, "settings.xml.rels") {
			t.Errorf("%s travels along", name)
		}
		for _, secret := range []string{"secret", "OLEObject"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s", name, secret)
			}
		}
	}
	for name, needed := range map[string]bool{
		"word/media/image1.png": strings.Contains(main, "r:embed"), "word/footnotes.xml": strings.Contains(main, "footnoteReference"),
		"word/comments.xml": strings.Contains(main, "commentReference"), "word/styles.xml": true, "word/numbering.xml": true, "word/settings.xml": true,
	} {
		if _, there := parts[name]; there != needed || strings.Contains(rels, strings.TrimPrefix(name, "word/")) != needed || strings.Contains(parts["[Content_Types].xml"], "/"+name) != (needed && strings.HasSuffix(name, ".xml")) {
			t.Errorf("%s: %t, want %t\n%s", name, there, needed, rels)
		}
	}
	for id, word := range map[string]string{"7": "Bob", "8": "Eve"} {
		kept := strings.Contains(main, `<w:commentReference w:id="`+id+`"/>`)
		if strings.Contains(parts["word/comments.xml"], word) != kept || strings.Contains(parts["word/people.xml"], word) != kept {
			t.Errorf("the comment of %s: want %t", word, kept)
		}
		if kept != strings.Contains(main, `commentRangeStart w:id="`+id) && id == "7" {
			t.Errorf("the range of comment %s", id)
		}
	}
	for _, half := range []string{"bookmark", "commentRange"} {
		if strings.Count(main, half+"Start") != strings.Count(main, half+"End") {
			t.Errorf("half of a %s", half)
		}
	}
	if strings.Count(main, "begin") != strings.Count(main, `"end"`) || strings.Count(main, "begin") != strings.Count(main, "instrText>TOC") {
		t.Errorf("half of a field: %s", main)
	}
	if strings.Contains(parts["[Content_Types].xml"], "macroEnabled") {
		t.Errorf("it says that it has macros")
	}
	if n := strings.Count(main, "<w:sectPr"); n < 1 || !strings.HasSuffix(main, "</w:sectPr></w:body></w:document>") {
		t.Errorf("the section: %s", main)
	}
}

func TestSections(t *testing.T) {
	data := report().pack(t)
	for _, c := range []struct {
		first, last int
		want        []string // what the main part has
		lacks       []string
	}{
		{8, 8, []string{`<w:p><w:pPr></w:pPr>`, `<w:headerReference w:type="default" r:id="rId6"/><w:footnotePr><w:numStart w:val="2"/></w:footnotePr></w:sectPr></w:body>`}, []string{"pgSz"}},
		{5, 6, []string{`<w:sectPr><w:headerReference w:type="default" r:id="rId6"/></w:sectPr></w:body>`}, []string{"pgSz"}},
		{9, 9, []string{`<w:sectPr><w:headerReference w:type="default" r:id="rId6"/><w:pgSz`}, nil},
		{7, 9, []string{`r:id="rId6"/><w:footnotePr><w:numStart w:val="2"/></w:footnotePr></w:sectPr></w:pPr>`, `<w:sectPr><w:pgSz`}, nil},
	} {
		got, _ := cut(t, data, blocks(c.first, c.last))
		main := doctest.Unzip(t, got)["word/document.xml"]
		for _, want := range c.want {
			if !strings.Contains(main, want) {
				t.Errorf("%d-%d lacks %s:\n%s", c.first, c.last, want, main)
			}
		}
		for _, other := range c.lacks {
			if strings.Contains(main, other) {
				t.Errorf("%d-%d has %s:\n%s", c.first, c.last, other, main)
			}
		}
		if _, there := doctest.Unzip(t, got)["word/header1.xml"]; !there {
			t.Errorf("%d-%d lacks its header", c.first, c.last)
		}
	}
}

func TestChanges(t *testing.T) {
	data := report().pack(t)
	for block, want := range map[int][]string{2: {"macros left out"}, 11: {"macros left out", "embedded objects left out, their pictures kept"}} {
		if _, got := cut(t, data, blocks(block, block)); !slices.Equal(got, want) {
			t.Errorf("block %d: %q, want %q", block, got, want)
		}
	}
}

// TestSeveralBodies has a main part that few programs read: each cut has one body
// with its blocks, and nothing of the others.
func TestSeveralBodies(t *testing.T) {
	data := docx{body: para("", run("one")) + "</w:body><w:body>" + para("", run("two")) + para("", run("three"))}.pack(t)
	for block, want := range []string{"one\n", "two\n", "three\n"} {
		got, _ := cut(t, data, blocks(block+1, block+1))
		if text := read(t, got, whole); text != want || read(t, data, blocks(block+1, block+1)) != want {
			t.Errorf("block %d: %q, want %q", block+1, text, want)
		}
		main := doctest.Unzip(t, got)["word/document.xml"]
		for _, other := range []string{"one", "two", "three"} {
			if strings.Contains(main, other) != strings.Contains(want, other) || strings.Count(main, "<w:body>") != 1 {
				t.Errorf("block %d: %s", block+1, main)
			}
		}
	}
}

func TestMap(t *testing.T) {
	d, err := new(word.Resolver).Map(t.Context(), doctest.Source("x.docx", report().pack(t)), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	var show func(nodes []*citekit.Node, indent string)
	show = func(nodes []*citekit.Node, indent string) {
		for _, n := range nodes {
			lines = append(lines, fmt.Sprintf("%s%s %q %v %q", indent, n.Type, n.Title, n.Location.Blocks, n.Summary))
			show(n.Children, indent+"  ")
		}
	}
	show(d.Nodes, "")
	want := []string{
		`passage "" 1 ""`,
		`section "1 Scope" 2-10 "One new [1] the first note"`,
		`  section "1.1 Parts" 4-10 "(c) first item a bullet (d) second item End of section one [2] the second note Table 1. Sizes name size note wide x a b c"`,
		`    table "Table 1. Sizes" 9-10 ""`,
		`section "2 Rest" 11-13 "(a) anew there last"`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	metadata := map[string]any{"blocks": 13, "author": "Ada", "date": "2024-05-01T10:00:00Z", "language": "de"}
	if d.Title != "A title" || d.Method != "headings" || !maps.Equal(d.Metadata, metadata) {
		t.Errorf("%q, %q, %v", d.Title, d.Method, d.Metadata)
	}
}

func TestMapWithoutHeadings(t *testing.T) {
	var body strings.Builder
	for i := range 200 {
		body.WriteString(para("", fmt.Sprintf("Sentence number %d of a long text that has no headings at all.", i)))
	}
	d, err := new(word.Resolver).Map(t.Context(), doctest.Source("x.docx", docx{body: body.String()}.pack(t)), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	next := 1
	for _, n := range d.Nodes {
		if n.Location.Blocks.First != next || n.Type != "passage" || n.Summary == "" {
			t.Errorf("%+v", n)
		}
		next = n.Location.Blocks.Last + 1
	}
	if next != 201 || len(d.Nodes) != 4 || d.Method != "blocks" {
		t.Errorf("%d nodes up to %d by %s", len(d.Nodes), next, d.Method)
	}
}

func TestErrors(t *testing.T) {
	sharedtest.NotShort(t)
	data := report().pack(t)
	for name, c := range map[string]struct {
		data []byte
		loc  citekit.Location
		want error
	}{
		"past the end":     {data, blocks(13, 14), citekit.ErrRange},
		"cells of text":    {data, cells(2, "A1"), citekit.ErrRange},
		"cells past":       {data, cells(10, "A1:D1"), citekit.ErrRange},
		"rows past":        {data, cells(10, "A4"), citekit.ErrRange},
		"pages":            {data, citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 1}}}, errors.ErrUnsupported},
		"a PDF":            {[]byte("%PDF-1.7\n%EOF"), whole, citekit.ErrFormat},
		"another package":  {workbook(t), whole, citekit.ErrFormat},
		"no body":          {docx{body: "</w:body><w:body/><w:body>"}.pack(t)[:100], whole, citekit.ErrFormat},
		"deep":             {docx{body: strings.Repeat("<w:sdt>", 600) + strings.Repeat("</w:sdt>", 600)}.pack(t), blocks(1, 1), citekit.ErrTooLarge},
		"a part too large": {docx{body: para("", "x"), parts: []string{"word/styles.xml", strings.Repeat(" ", 17<<20)}, rels: []string{"styles", "styles.xml"}}.pack(t), whole, citekit.ErrTooLarge},
		"too many blocks":  {docx{body: strings.Repeat("<w:p/>", 1<<20+1)}.pack(t), whole, citekit.ErrTooLarge},
		"entities":         {docx{body: para("", "x"), parts: []string{"word/styles.xml", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`}, rels: []string{"styles", "styles.xml"}}.pack(t), whole, citekit.ErrFormat},
		"not well-formed":  {docx{body: "<w:p></w:tbl>"}.pack(t), whole, citekit.ErrFormat},
	} {
		_, err := new(word.Resolver).Resolve(t.Context(), doctest.Source("x.docx", c.data), citekit.Request{Location: c.loc})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(word.Resolver).Measure(cancelled, doctest.Source("x.docx", data)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// workbook returns a package whose main part is no text.
func workbook(t *testing.T) []byte {
	data := doctest.Unzip(t, docx{body: para("", "x")}.pack(t))
	data["word/document.xml"] = `<x:workbook xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>`
	return doctest.ZipMap(data)
}

func TestStrictDocument(t *testing.T) {
	parts := doctest.Unzip(t, report().pack(t))
	for name, text := range parts {
		text = strings.ReplaceAll(text, "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main")
		parts[name] = strings.ReplaceAll(text, "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships")
	}
	data := doctest.ZipMap(parts)
	if got, want := read(t, data, whole), strings.Join(texts, ""); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got, _ := cut(t, data, blocks(7, 8))
	if text, want := read(t, got, whole), strings.Join(texts[6:8], ""); text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestConformance(t *testing.T) {
	opens := func(n int) func(testing.TB, []byte, *citekit.Content) {
		return func(t testing.TB, got []byte, x *citekit.Content) {
			extent, err := new(word.Resolver).Measure(t.Context(), doctest.Source("x.docx", got))
			if err != nil || extent.Blocks != n || x.Ext != ".docx" {
				t.Errorf("%d blocks, want %d: %v", extent.Blocks, n, err)
			}
		}
	}
	r := report()
	r.mainType = ""
	modalitytest.Test(t, new(word.Resolver), modalitytest.Fixture{
		Name:   "report.docx",
		Source: r.pack(t),
		Good: []modalitytest.Case{
			{Name: "middle", Location: blocks(3, 4), WantText: texts[2] + texts[3], Check: opens(2)},
			{Name: "cells", Location: cells(10, "B1:C2"), WantText: "size\tnote\n\tx\n", Check: opens(1)},
			{Name: "cells by the number of the table", Location: numbered("1", "B1:C2"), WantText: "size\tnote\n\tx\n", Check: opens(1)},
			{Name: "table", Location: numbered("1", ""), WantText: texts[9], Check: opens(1)},
			{Name: "all", Location: blocks(1, 13), WantText: strings.Join(texts, ""), Check: opens(13)},
		},
		OutOfRange: []citekit.Location{blocks(14, 14), blocks(1, 2000000000), cells(10, "D1"), cells(1, "A1"), numbered("1", "D1"), numbered("9", "A1"), numbered("9", "")},
		Foreign:    citekit.Location{Modality: citekit.Audio, Time: citekit.Span{End: 1}},
		Extent:     citekit.Extent{Modality: citekit.Document, Blocks: 13, MediaType: docType + "document"},
	})
}

// numbered returns the location of a table by its number, or of cells of it.
func numbered(table, cells string) citekit.Location {
	loc := citekit.Location{Modality: citekit.Document, Table: table}
	if cells != "" {
		_ = loc.Cells.UnmarshalText([]byte(cells))
	}
	return loc
}
