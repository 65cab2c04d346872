package oracle

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/sheet/internal/numfmt"
)

// A difference is a cell that package sheet and excelize show in other ways.
type difference struct {
	code         string // of the number format
	since1904    bool
	raw          string // the value as it is stored
	number       float64
	isNumber     bool
	ours, theirs string
	sections     int // of the code
}

func newDifference(code string, since1904 bool, raw, ours, theirs string) difference {
	d := difference{code: code, since1904: since1904, raw: raw, ours: ours, theirs: theirs}
	v, err := strconv.ParseFloat(raw, 64)
	d.number, d.isNumber = v, err == nil
	d.sections = strings.Count(code, ";") + 1
	return d
}

var (
	conditions = regexp.MustCompile(`\[[<>=]`)
	elapsed    = regexp.MustCompile(`(?i)\[(h+|m+|s+)\]`)
	escapes    = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)
	isoDate    = regexp.MustCompile(`^\d{4}-\d\d-\d\d(T|$)`)
	optional   = regexp.MustCompile(`[#?]`)
	clock      = regexp.MustCompile(`(?i)am/pm|a/p`)
	dates      = regexp.MustCompile(`(?i)[ymdhs]`)
	quoted     = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]`)
	within     = regexp.MustCompile(`[0#?.](?:"[^"]*"|\\.| )+[0#?.]`)
	spaces     = regexp.MustCompile(`\s+`)
)

// bare returns a code without what it quotes.
func bare(code string) string { return quoted.ReplaceAllString(code, "") }

// A family is a kind of difference where excelize does not show what Excel
// does, or where nobody says what shows.
type family struct {
	name, why string
	has       func(d difference) bool
	examples  []example
}

type example struct {
	code string
	raw  any
	want string // what package sheet shows
}

// families says where excelize 2.11 is not followed, and what says so. Sections
// are of ECMA-376, part 1.
var families = []family{
	{
		"General", "nothing says how many digits it shows: Excel fits them to the width of the column and to 11 characters at most, excelize takes 10 digits; all 15 that Excel computes with are the value that an agent cites",
		func(d difference) bool { return strings.EqualFold(d.code, "General") && d.isNumber },
		[]example{{"General", 0.12345678901234, "0.12345678901234"}, {"General", -999999.99999, "-999999.99999"}},
	},
	{
		"conditions", "18.8.31: a condition in brackets chooses the section; excelize takes the first",
		func(d difference) bool { return conditions.MatchString(d.code) },
		[]example{{`[>999999]#,,"M";[>999]#,"K";#`, 1021.02, "1K"}, {"[=50]General;000", 51, "051"}, {`[<0]"";0%`, -1e-8, ""}},
	},
	{
		"section for zero", "18.8.31: of three sections the third is for zero",
		func(d difference) bool { return d.number == 0 && d.isNumber && d.sections >= 3 },
		[]example{{`_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`, 0, "$-"}, {`0.00%;\-0.00%;\%`, 0, "%"}},
	},
	{
		"optional digits", "18.8.31: # and ? show no zeros that mean nothing, and a point shows where it is written",
		func(d difference) bool {
			return d.isNumber && optional.MatchString(bare(d.code)) && !strings.Contains(bare(d.code), "/") && !strings.Contains(d.code, "E+") &&
				strings.TrimSuffix(strings.ReplaceAll(d.theirs, "0", ""), ".") == strings.TrimSuffix(strings.ReplaceAll(d.ours, "0", ""), ".")
		},
		[]example{{"#", 0, ""}, {"#.##", 1, "1."}},
	},
	{
		"negative elapsed time", "18.8.31 does not say; Excel shows no date below zero, LibreOffice counts elapsed time down, and excelize shows the stored number",
		func(d difference) bool { return d.number < 0 && elapsed.MatchString(d.code) },
		[]example{{"[h]:mm:ss", -1.2, "-28:48:00"}, {"[ss]", -1.2, "-103680"}},
	},
	{
		"days from 1904", "18.17.4.1: a workbook may count days from 1904; excelize does so twice, or where time passes",
		func(d difference) bool { return d.since1904 && d.isNumber && dates.MatchString(bare(d.code)+d.code) },
		[]example{{"yyyy-mm-dd", 1, "1904-01-02"}, {"[hh]:mm", 10.5, "252:00"}},
	},
	{
		"after 9999", "18.17.4.1: the last day is 31 December 9999; excelize counts on in another year",
		func(d difference) bool { return d.number >= 2958466 && dates.MatchString(bare(d.code)) },
		[]example{{"m/d/yyyy", 123456789, "123456789"}},
	},
	{
		"hours with one digit", "18.8.30: numbers 20 and 22 are h:mm and m/d/yy h:mm, with one h; excelize pads them",
		func(d difference) bool {
			return (d.code == "h:mm" || d.code == "m/d/yyyy h:mm") && strings.ReplaceAll(" "+d.theirs, " 0", " ") == " "+d.ours
		},
		[]example{{"m/d/yyyy h:mm", 42124.25, "4/30/2015 6:00"}},
	},
	{
		"half of the day alone", "18.8.31: AM/PM says which half of the day, also where no hour is written",
		func(d difference) bool { return clock.MatchString(d.code) && !strings.ContainsAny(bare(d.code), "hH") },
		[]example{{"AM/PM", 1234.567, "PM"}, {"A/P", 1234.567, "P"}},
	},
	{
		"parts of a second", "18.8.31: .0 after seconds are tenths; excelize rounds to whole seconds first",
		func(d difference) bool { return strings.Contains(d.code, "s.0") },
		[]example{{"mm:ss.0", 1234.567, "36:28.8"}},
	},
	{
		"exponents of three", "18.8.31: as many placeholders as are before the point share an exponent; excelize shows the stored number",
		func(d difference) bool { return strings.Contains(d.code, "#0.0E+") },
		[]example{{"##0.0E+0", 12345.6789, "12.3E+3"}},
	},
	{
		"digits after the 15th", "ECMA-376, part 1, section 18.3.1.96 stores 17 digits; Excel computes and shows 15 and zeros after them",
		func(d difference) bool {
			return d.isNumber && len(strings.TrimLeft(strings.Map(digit, d.theirs), "0")) > 15
		},
		[]example{{"0.000000000000000", 347.992326041482, "347.992326041482000"}},
	},
	{
		"text within a number", "18.8.31: text shows where it stands between digits; excelize moves it",
		func(d difference) bool {
			return d.isNumber && within.MatchString(d.code) && !strings.Contains(bare(d.code), "/")
		},
		[]example{{`"a"#"b"#"c"0.0"d"0`, 12345.6789, "a123b4c5.6d8"}, {`0\ "dollars and"\ .00\ "cents"`, 19.99, "19 dollars and .99 cents"}},
	},
	{
		"halves", "Excel rounds the 15 digits, halves away from zero; excelize rounds the binary number",
		func(d difference) bool { return byOneDigit(d.ours, d.theirs) },
		[]example{{"0.00", 1.005, "1.01"}, {"0.0%", 0.1785, "17.9%"}},
	},
	{
		"fractions", "18.8.31: ? leaves space where no digit is, which only lines up columns; and a fraction of nothing does not show",
		func(d difference) bool {
			return d.isNumber && strings.Contains(bare(d.code), "/") && strings.ContainsAny(bare(d.code), "?#")
		},
		[]example{{"# ???/???", 12.3, "12 3/10"}, {"# ?/2", 1, "1"}, {"# ??/???????", 1.0 / 1234567, "1/1234567"}},
	},
	{
		"space to line up", "18.8.31: _) leaves as much space as a bracket; what is before other text is a space here and nothing in excelize",
		func(d difference) bool {
			return spaces.ReplaceAllString(d.ours, "") == spaces.ReplaceAllString(d.theirs, "")
		},
		[]example{{`#,##0.00_)[$€-407]`, 1, "1.00 €"}},
	},
	{
		"codes of small numbers", "18.8.30 leaves the numbers below 164 to the program, and LibreOffice follows a file that says what one is; excelize takes its own",
		func(d difference) bool { return d.isNumber && numfmt.Parse(d.code).Number(d.number, false) == d.theirs },
		nil, // excelize does not write them
	},
	{
		"styles elsewhere", "ISO/IEC 29500-2, section 6.5: relationships say where a part is; excelize looks for styles in the folder xl",
		func(d difference) bool { return d.isNumber && d.code == "" && d.theirs == d.raw },
		nil,
	},
	{
		"dates in ISO 8601", "18.18.11: a cell of type d has a date, which shows as its format says; excelize shows what is stored",
		func(d difference) bool { return isoDate.MatchString(d.raw) },
		nil, // excelize does not write them
	},
	{
		"escaped characters", "22.9.2.19: _x000D_ stands for a character in every string; excelize reads it in shared ones alone",
		func(d difference) bool { return escapes.MatchString(d.raw) },
		nil,
	},
}

func digit(r rune) rune {
	if r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// byOneDigit reports whether two numbers differ by one in their last digit.
func byOneDigit(a, b string) bool {
	_, decimals, _ := strings.Cut(strings.TrimRight(a, "%) "), ".")
	x, bad := strconv.ParseFloat(numeral(a), 64)
	y, worse := strconv.ParseFloat(numeral(b), 64)
	return bad == nil && worse == nil && math.Abs(math.Abs(x-y)-math.Pow10(-len(decimals))) < 1e-9*math.Max(1, math.Abs(x))
}

func numeral(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' {
			return r
		}
		return digit(r)
	}, s)
}

// familyOf returns the family of a difference, or nil if none has it.
func familyOf(d difference) *family {
	for i := range families {
		if families[i].has(d) {
			return &families[i]
		}
	}
	return nil
}
