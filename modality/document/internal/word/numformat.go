package word

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/numeral"
)

// Numbers beyond these are decimal.
const (
	maxRoman   = 3999
	maxLetters = 30
)

// formatNumber writes a number in a format of ST_NumberFormat (ISO/IEC 29500-1,
// section 17.18.59). It knows the usual formats; all others come out decimal.
func formatNumber(format string, n int) string {
	switch format {
	case "none":
		return ""
	case "upperRoman":
		return numeral.Roman(n, maxRoman)
	case "lowerRoman":
		return strings.ToLower(numeral.Roman(n, maxRoman))
	case "upperLetter":
		return numeral.Letters(n, maxLetters, 'A')
	case "lowerLetter":
		return numeral.Letters(n, maxLetters, 'a')
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "ordinal":
		return strconv.Itoa(n) + ordinalEnding(n)
	case "numberInDash":
		return "- " + strconv.Itoa(n) + " -"
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		if n >= 1 && n <= 20 {
			return string(rune('①' + n - 1))
		}
	case "decimalFullWidth", "decimalFullWidth2":
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r - '0' + '０'
			}
			return r
		}, strconv.Itoa(n))
	case "chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting", "taiwaneseCountingThousand":
		return ideographs(n)
	}
	return strconv.Itoa(n)
}

func ordinalEnding(n int) string {
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// ideographs writes numbers up to 9,999 in Chinese and Japanese numerals.
func ideographs(n int) string {
	if n < 1 || n > 9999 {
		return strconv.Itoa(n)
	}
	digits := []rune("零一二三四五六七八九")
	units := []string{"", "十", "百", "千"}
	var b strings.Builder
	gap := false
	for place := 3; place >= 0; place-- {
		unit := 1
		for range place {
			unit *= 10
		}
		d := n / unit % 10
		switch {
		case d == 0:
			gap = b.Len() > 0
			continue
		case gap:
			b.WriteRune('零')
			gap = false
		}
		if d != 1 || place != 1 || b.Len() > 0 {
			b.WriteRune(digits[d])
		}
		b.WriteString(units[place])
	}
	return b.String()
}
