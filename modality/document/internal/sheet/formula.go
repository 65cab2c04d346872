package sheet

import (
	"strings"

	"github.com/citekit/citekit/internal/selector"
)

// A reference is an area that a formula refers to. In a shared formula, edges written
// without "$" move with the cell that uses it.
type reference struct {
	sheet string // "" for the sheet of the formula
	area  area

	// Which edges move.
	moveLeft, moveTop, moveRight, moveBottom bool
}

// shifted returns the area as seen from a cell that is cols and rows away.
func (r reference) shifted(cols, rows int32) area {
	a := r.area
	move := func(edge *int32, by int32, moves bool) {
		if moves {
			*edge += by
		}
	}
	move(&a.left, cols, r.moveLeft)
	move(&a.right, cols, r.moveRight)
	move(&a.top, rows, r.moveTop)
	move(&a.bottom, rows, r.moveBottom)
	if a.right < a.left {
		a.left, a.right = a.right, a.left
	}
	if a.bottom < a.top {
		a.top, a.bottom = a.bottom, a.top
	}
	return a
}

// A formula holds the dependencies of a formula.
type formula struct {
	refs   []reference
	names  []string // defined names
	tables []string // table names
	away   bool     // depends on something that cannot be kept, or changes by itself
}

// references returns the areas that a defined name refers to. ok is false if it
// refers to anything other than areas of sheets of the workbook.
func references(text string) ([]reference, bool) {
	f := parseFormula(text)
	if f.away || len(f.names) > 0 || len(f.tables) > 0 || strings.ContainsAny(text, "(+*/&<>=^\"") {
		return nil, false
	}
	return f.refs, true
}

// changing are the functions whose value depends on more than their arguments.
var changing = map[string]bool{
	"INDIRECT": true, "OFFSET": true, "CELL": true, "INFO": true, "RTD": true, "CALL": true, "REGISTER.ID": true,
	"NOW": true, "TODAY": true, "RAND": true, "RANDBETWEEN": true, "RANDARRAY": true,
	"WEBSERVICE": true, "SQL.REQUEST": true, "GETPIVOTDATA": true, "STOCKHISTORY": true, "IMAGE": true, "PY": true,
	"CUBEKPIMEMBER": true, "CUBEMEMBER": true, "CUBEMEMBERPROPERTY": true, "CUBERANKEDMEMBER": true, "CUBESET": true, "CUBESETCOUNT": true, "CUBEVALUE": true,
	"SHEET": true, "SHEETS": true, "FORMULATEXT": true, "EVALUATE": true, "GET.CELL": true, "GET.WORKBOOK": true,
}

// A lexer reads a formula.
type lexer struct {
	s  string
	at int
	f  formula
}

// parseFormula finds the dependencies of a formula.
func parseFormula(text string) formula {
	l := &lexer{s: text}
	for l.at < len(l.s) && !l.f.away {
		l.next()
	}
	return l.f
}

func (l *lexer) next() {
	switch c := l.s[l.at]; {
	case c == '"':
		l.quoted('"')
	case c == '\'':
		l.sheetRef(l.quoted('\''))
	case c == '[':
		l.f.away = true // another workbook, or an unnamed table
	case c == '#':
		l.at++
		for l.at < len(l.s) && (isWordByte(l.s[l.at]) || l.s[l.at] == '/' || l.s[l.at] == '!') {
			l.at++
		}
		if l.at < len(l.s) && l.s[l.at] == '?' {
			l.at++
		}
	case c >= '0' && c <= '9':
		l.number()
	case isWordByte(c):
		l.word()
	default:
		l.at++
	}
}

// quoted reads a quoted text, in which doubled quotes stand for one.
func (l *lexer) quoted(quote byte) string {
	var b strings.Builder
	for l.at++; l.at < len(l.s); l.at++ {
		if l.s[l.at] != quote {
			b.WriteByte(l.s[l.at])
			continue
		}
		if l.at+1 < len(l.s) && l.s[l.at+1] == quote {
			b.WriteByte(quote)
			l.at++
			continue
		}
		l.at++
		break
	}
	return b.String()
}

func isWordByte(c byte) bool {
	return c == '$' || c == '_' || c == '\\' || c == '.' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// take reads a word.
func (l *lexer) take() string {
	from := l.at
	for l.at < len(l.s) && (isWordByte(l.s[l.at]) || l.s[l.at] == '?' && l.at > from) {
		l.at++
	}
	return l.s[from:l.at]
}

func (l *lexer) peek() byte {
	if l.at < len(l.s) {
		return l.s[l.at]
	}
	return 0
}

// number reads a number, or a range of rows such as 1:3.
func (l *lexer) number() {
	from := l.at
	word := l.take()
	if l.peek() == ':' && strings.Trim(word, "0123456789") == "" {
		l.at = from
		l.area("")
		return
	}
	if last := word[len(word)-1]; (last == 'e' || last == 'E') && (l.peek() == '+' || l.peek() == '-') {
		l.at++
		l.take()
	}
}

// sheetRef reads the reference after a sheet name.
func (l *lexer) sheetRef(name string) {
	if l.peek() != '!' || strings.ContainsAny(name, "[]:") {
		l.f.away = true
		return
	}
	l.at++
	if l.peek() == '#' {
		return // a reference to deleted cells
	}
	l.area(name)
}

// word reads a reference, a name, a function or a sheet name.
func (l *lexer) word() {
	from := l.at
	word := l.take()
	switch l.peek() {
	case '!':
		l.sheetRef(word)
		return
	case '(':
		l.function(word)
		return
	case '[':
		l.f.tables = append(l.f.tables, word)
		l.brackets()
		return
	case ':':
		if l.isThreeD() {
			l.f.away = true
			return
		}
	}
	l.at = from
	l.area("")
}

// isThreeD reports whether the colon is followed by a sheet name, as in
// Sheet1:Sheet3!A1.
func (l *lexer) isThreeD() bool {
	rest := &lexer{s: l.s, at: l.at + 1}
	rest.take()
	return rest.peek() == '!'
}

func (l *lexer) function(name string) {
	name = strings.ToUpper(name)
	for _, prefix := range []string{"_XLFN.", "_XLWS."} {
		name = strings.TrimPrefix(name, prefix)
	}
	if changing[name] || strings.HasPrefix(name, "_XL") && !strings.HasPrefix(name, "_XLPM.") {
		l.f.away = true
	}
}

// brackets reads the part of a table reference in brackets.
func (l *lexer) brackets() {
	depth := 0
	for ; l.at < len(l.s); l.at++ {
		switch l.s[l.at] {
		case '\'':
			l.at++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				l.at++
				return
			}
		}
	}
}

// A corner is one end of an area: a cell, a column (row 0) or a row (column 0).
type corner struct {
	col, row         int32
	moveCol, moveRow bool
}

// area reads an area, or a name.
func (l *lexer) area(sheet string) {
	word := l.take()
	first, ok := cornerOf(word)
	if !ok || (first.col == 0 || first.row == 0) && l.peek() != ':' {
		l.name(sheet, word)
		return
	}
	last := first
	if l.peek() == ':' {
		back := l.at
		l.at++
		second, ok := cornerOf(l.take())
		if !ok || (second.col == 0) != (first.col == 0) || (second.row == 0) != (first.row == 0) {
			l.at = back
			if first.col == 0 || first.row == 0 {
				l.name(sheet, word)
				return
			}
		} else {
			last = second
		}
	}
	if l.peek() == '#' {
		l.f.away = true // a spilled range
	}
	l.f.refs = append(l.f.refs, newReference(sheet, first, last))
}

func newReference(sheet string, a, b corner) reference {
	r := reference{sheet: sheet, area: area{a.col, a.row, b.col, b.row}, moveLeft: a.moveCol, moveTop: a.moveRow, moveRight: b.moveCol, moveBottom: b.moveRow}
	if a.col == 0 {
		r.area.left, r.area.right, r.moveLeft, r.moveRight = 1, maxInt32, false, false
	} else if a.col > b.col {
		r.area.left, r.area.right, r.moveLeft, r.moveRight = b.col, a.col, b.moveCol, a.moveCol
	}
	if a.row == 0 {
		r.area.top, r.area.bottom, r.moveTop, r.moveBottom = 1, maxInt32, false, false
	} else if a.row > b.row {
		r.area.top, r.area.bottom, r.moveTop, r.moveBottom = b.row, a.row, b.moveRow, a.moveRow
	}
	return r
}

// name records a word that is not a reference.
func (l *lexer) name(sheet, word string) {
	switch upper := strings.ToUpper(word); {
	case word == "":
		if l.at < len(l.s) {
			l.at++
		}
	case sheet == "" && (upper == "TRUE" || upper == "FALSE" || strings.HasPrefix(upper, "_XLPM.")):
	default:
		l.f.names = append(l.f.names, word)
	}
}

// cornerOf parses a cell, a column or a row, such as $B$5, B or 5.
func cornerOf(word string) (corner, bool) {
	c := corner{moveCol: true, moveRow: true}
	if rest, ok := strings.CutPrefix(word, "$"); ok && rest != "" && (rest[0] < '0' || rest[0] > '9') {
		c.moveCol = false
		word = rest
	}
	letters := word[:len(word)-len(strings.TrimLeft(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))]
	if letters != "" {
		if c.col = int32(selector.ColNumber(letters)); c.col == 0 || c.col > maxColumn {
			return corner{}, false
		}
	}
	digits := word[len(letters):]
	if rest, ok := strings.CutPrefix(digits, "$"); ok {
		c.moveRow = false
		digits = rest
	}
	if digits == "" {
		return c, letters != "" && c.moveRow
	}
	n, ok := wholeNumber([]byte(digits))
	if !ok || n < 1 || n > 1<<24 {
		return corner{}, false
	}
	c.row = int32(n)
	return c, true
}
