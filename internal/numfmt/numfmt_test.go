package numfmt

import (
	"testing"
	"unicode/utf8"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"General", 0.1 + 0.2, "0.3"}, {"", 1234567890123, "1234567890123"}, {"General", 1e20, "1E+20"},
		{"General", 1.5e-7, "0.00000015"}, {"General", 1.23456789e-7, "1.23456789E-07"}, {"General", -42, "-42"}, {"General", 0, "0"},
		{"0", 2.5, "3"}, {"0.00", 1.005, "1.01"}, {"0.00", -1.5, "-1.50"}, {"0", -0.3, "0"},
		{"#,##0", 1234567, "1,234,567"}, {"#,##0.00", 999.995, "1,000.00"}, {"#,##0", 0, "0"}, {"#,###", 0, ""},
		{"0%", 0.125, "13%"}, {"0.00%", 0.12345, "12.35%"}, {"0.0,", 12345, "12.3"}, {"0,,", 12345678, "12"}, {"#,##0.0,,\"M\"", 1234567890, "1,234.6M"},
		{`"$"#,##0.00_);[Red]\("$"#,##0.00\)`, -1234.5, "($1,234.50)"}, {`[$€-407] #,##0.00`, 5, "€ 5.00"}, {"#,##0.00\\ [$€-1]", 1234.5, "1,234.50 €"},
		{`_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`, 0, "$-"}, {`_(* #,##0_);_(* \(#,##0\);_(* "-"_);_(@_)`, -5, "(5)"},
		{"0.00E+00", 12345, "1.23E+04"}, {"##0.0E+0", 12345, "12.3E+3"}, {"0.00E+00", 0, "0.00E+00"}, {"0.0E+0", 9.99, "1.0E+1"},
		{"# ?/?", 1.75, "1 3/4"}, {"# ?/?", 2, "2"}, {"# ??/??", 3.14159, "3 1/7"}, {"?/?", 1.5, "3/2"}, {"# ?/8", 1.3, "1 2/8"},
		{"000-00-0000", 123456789, "123-45-6789"}, {"(###) ###-####", 5551234567, "(555) 123-4567"}, {"00000", 42, "00042"},
		{"0.###", 1.5, "1.5"}, {"0.0##", 1, "1.0"}, {"#.##", 0.5, ".5"}, {"#.##", 2, "2."}, {"0.00?", 1.5, "1.50"},
		{"[<100]0.0;0", 50, "50.0"}, {"[<100]0.0;0", 150, "150"}, {"[>=1000]0.0,\"k\";0", 1500, "1.5k"}, {"[=1]\"yes\";[=0]\"no\";0", 1, "yes"},
		{"0;-0;\"zero\"", 0, "zero"}, {";;;", 5, ""}, {"0;;", -5, ""}, {"0;\"neg\"", -5, "neg"}, {`0 "units"`, 3, "3 units"}, {"@", 12.5, "12.5"},
		{`"Q"0`, 4, "Q4"}, {"General\" kg\"", 2.5, "2.5 kg"}, {"0.0\\%", 12, "12.0%"},
	} {
		if got := Parse(c.code).Number(c.v, false); got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.code, c.v, got, c.want)
		}
	}
}

func TestDate(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"yyyy-mm-dd", 45000, "2023-03-15"}, {"m/d/yyyy", 1, "1/1/1900"}, {"m/d/yyyy", 60, "2/29/1900"}, {"m/d/yyyy", 61, "3/1/1900"},
		{"d-mmm-yy", 45000.5, "15-Mar-23"}, {"dddd, mmmm dd, yyyy", 45000, "Wednesday, March 15, 2023"}, {"ddd", 1, "Sun"},
		{"h:mm AM/PM", 0.75, "6:00 PM"}, {"h:mm:ss", 0.5, "12:00:00"}, {"hh:mm", 0.999999, "00:00"}, {"h AM/PM", 0, "12 AM"},
		{"[h]:mm:ss", 1.5, "36:00:00"}, {"[mm]:ss", 0.125, "180:00"}, {"mm:ss.0", 0.0000123, "00:01.1"}, {"[h]:mm", -0.5, "-12:00"},
		{"m/d/yyyy h:mm", 45000.25, "3/15/2023 6:00"}, {"[$-409]mmmm\\ d\\,\\ yyyy;@", 45000, "March 15, 2023"}, {"yyyy\"年\"m\"月\"d\"日\"", 45000, "2023年3月15日"},
		{"dd/mm/yy", 45000, "15/03/23"}, {"dd.mm.yyyy", 45000, "15.03.2023"}, {"mmmmm", 45000, "M"}, {"yyyy-mm-dd", -1, "-1"}, {"yyyy", 1e9, "1000000000"},
		{"yyyy-mm-dd\\Thh:mm:ss.000", 45000.123456, "2023-03-15T02:57:46.598"},
	} {
		f := Parse(c.code)
		if got := f.Number(c.v, false); got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.code, c.v, got, c.want)
		}
		if !f.IsDate() {
			t.Errorf("%s is no date", c.code)
		}
	}
	if got := Parse("yyyy-mm-dd").Number(0, true); got != "1904-01-01" {
		t.Errorf("from 1904: %s", got)
	}
	for _, code := range []string{"General", "0.00", "#,##0 \"days\"", "[Red]0", "@"} {
		if Parse(code).IsDate() {
			t.Errorf("%s is a date", code)
		}
	}
}

func TestText(t *testing.T) {
	for code, want := range map[string]string{"@": "abc", "General": "abc", "0;0;0;\"<\"@\">\"": "<abc>", "0;0;0;": "", `_(@_)`: " abc ", "@\" !\"": "abc !"} {
		if got := Parse(code).Text("abc"); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, code := range []string{"0.00;[Red]-0", "# ??/??", "[h]:mm:ss.000", "0.0E+0,", `"a\`, "[$", "_", "*", "/0", "#,#?0.0,,%@", "[<1e300]General;yyyy", "000-00.?/5"} {
		f.Add(code, 1234.5678)
	}
	f.Fuzz(func(t *testing.T, code string, v float64) {
		p := Parse(code)
		for _, shown := range []string{p.Number(v, false), p.Number(-v, true), p.Text("x")} {
			if len(shown) > 1<<16 {
				t.Fatalf("%q shows %v with %d bytes", code, v, len(shown))
			}
			if utf8.ValidString(code) && !utf8.ValidString(shown) {
				t.Fatalf("%q shows %v as %q", code, v, shown)
			}
		}
	})
}
