package sheet

import "strings"

// odsRange parses an address of OpenFormula, such as "$'Q4 Results'.$B$5:.$D$10" (ODF
// 1.3, part 4, section 5.8). The sheet is "" if it is that of the formula.
func odsRange(ref string) (sheet string, a area, ok bool) {
	first, rest, ok := odsCorner(ref)
	if !ok {
		return "", area{}, false
	}
	sheet, a = first.sheet, area{first.col, first.row, first.col, first.row}
	if rest == "" {
		return sheet, a, true
	}
	if rest[0] != ':' {
		return "", area{}, false
	}
	second, rest, ok := odsCorner(rest[1:])
	if !ok || rest != "" || second.sheet != "" && second.sheet != sheet {
		return "", area{}, false
	}
	return sheet, a.join(area{second.col, second.row, second.col, second.row}), true
}

type odsCornerRef struct {
	sheet    string
	col, row int32
}

// odsCorner parses one cell of an address.
func odsCorner(ref string) (c odsCornerRef, rest string, ok bool) {
	ref = strings.TrimPrefix(ref, "$")
	if strings.HasPrefix(ref, "'") {
		var name strings.Builder
		for ref = ref[1:]; ; {
			i := strings.IndexByte(ref, '\'')
			if i < 0 {
				return c, "", false
			}
			name.WriteString(ref[:i])
			ref = ref[i+1:]
			if !strings.HasPrefix(ref, "'") {
				break
			}
			name.WriteByte('\'')
			ref = ref[1:]
		}
		c.sheet = name.String()
	} else {
		i := strings.IndexByte(ref, '.')
		if i < 0 || strings.ContainsAny(ref[:i], ":'#") {
			return c, "", false
		}
		c.sheet, ref = ref[:i], ref[i:]
	}
	ref, ok = strings.CutPrefix(ref, ".")
	if !ok {
		return c, "", false
	}
	ref = strings.TrimPrefix(ref, "$")
	letters := len(ref) - len(strings.TrimLeft(strings.ToUpper(ref), "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	digits := strings.TrimPrefix(ref[letters:], "$")
	n := len(digits) - len(strings.TrimLeft(digits, "0123456789"))
	row, known := wholeNumber([]byte(digits[:n]))
	c.col, c.row = columnOf([]byte(ref[:letters]+"1")), int32(min(row, maxInt32))
	return c, digits[n:], known && c.col > 0 && row > 0 && letters > 0
}

// odsStays reports whether a formula keeps its value if only an area of its sheet is
// kept: all its references must be in the area. It is false for formulas with names,
// other notations, or functions that use other cells or the time.
func odsStays(formula, sheet string, a area) bool {
	space, text, ok := strings.Cut(formula, "=")
	if !ok || space != "of:" && space != "oooc:" && space != "" {
		return false
	}
	for text != "" {
		n := 1
		switch c := text[0]; {
		case c == '"':
			end := strings.IndexByte(text[1:], '"')
			if end < 0 {
				return false
			}
			n = end + 2
		case c == '[':
			end := odsBracket(text)
			if end < 0 {
				return false
			}
			on, ref, ok := odsRange(text[1:end])
			if !ok || on != "" && on != sheet || !a.contains(ref) {
				return false
			}
			n = end + 1
		case c >= 0x80 || c == '\'' || c == '#' || c == '$' || c == '_':
			return false
		case isLetter(c):
			for n < len(text) && (isLetter(text[n]) || text[n] >= '0' && text[n] <= '9' || text[n] == '.' || text[n] == '_') {
				n++
			}
			name := strings.ToUpper(text[:n])
			if !strings.HasPrefix(strings.TrimLeft(text[n:], " "), "(") || isOdsElsewhere(name) {
				return false
			}
		case c >= '0' && c <= '9' || c == '.':
			n = len(text) - len(strings.TrimLeft(text, "0123456789."))
			if e := text[n:]; len(e) > 1 && e[0]|0x20 == 'e' && strings.IndexByte("+-0123456789", e[1]) >= 0 {
				n += 2
			}
		}
		text = text[n:]
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// odsBracket returns where the bracket of an address ends, or -1.
func odsBracket(text string) int {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '\'':
			quoted = !quoted
		case text[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

// isOdsElsewhere reports whether a function is in odsElsewhere, with or without a
// vendor prefix: ORG.LIBREOFFICE.RAND.NV is RAND.NV.
func isOdsElsewhere(name string) bool {
	for {
		_, rest, ok := strings.Cut(name, ".")
		if odsElsewhere[name] || !ok {
			return odsElsewhere[name]
		}
		name = rest
	}
}

// odsElsewhere are functions whose value depends on more than their arguments.
var odsElsewhere = map[string]bool{
	"NOW": true, "TODAY": true, "RAND": true, "RANDBETWEEN": true, "NV": true, "RANDARRAY": true, "OFFSET": true, "INDIRECT": true, "CELL": true, "INFO": true,
	"SHEET": true, "SHEETS": true, "DDE": true, "GETPIVOTDATA": true, "MULTIPLE.OPERATIONS": true, "FORMULA": true, "STYLE": true,
	"CURRENT": true, "WEBSERVICE": true, "HYPERLINK": true,
}
