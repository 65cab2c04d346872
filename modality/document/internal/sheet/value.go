package sheet

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/sheet/internal/numfmt"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// A cellReader reads the cells of a workbook from one source.
type cellReader struct {
	ctx     context.Context
	p       *ooxml.Package
	book    *workbook
	strings *stringTable // nil until first needed
	load    func() (*stringTable, error)
}

// shown returns what a cell shows: its value in its number format, without line
// breaks and tabs.
func (r *cellReader) shown(kind cellType, style int32, value []byte) (string, error) {
	text, err := r.display(kind, style, value)
	return oneLine(text), err
}

func (r *cellReader) display(kind cellType, style int32, value []byte) (string, error) {
	look := r.book.styles.look(style)
	if kind == typeInline {
		return r.book.styles.format(style).Text(richText(value, look)), nil
	}
	text := plainText(value)
	if kind == typeShared {
		return r.shared(text, style)
	}
	text, err := r.plain(kind, style, text)
	return look.write(text), err
}

// plain returns what a cell shows, without the marks of its font.
func (r *cellReader) plain(kind cellType, style int32, text string) (string, error) {
	switch kind {
	case typeText:
		return r.book.styles.format(style).Text(unescapeControls(text)), nil
	case typeBool:
		return truth(text), nil
	case typeError:
		return strings.TrimSpace(text), nil
	case typeDate:
		return r.date(text, style), nil
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	format := r.book.styles.format(style)
	if format == generalFormat && isShort(text) {
		return text, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text, nil
	}
	return format.Number(v, r.book.since1904), nil
}

// isShort reports whether a number is written as it shows without a format.
func isShort(text string) bool {
	if len(text) > 11 || text[0] == '0' && len(text) > 1 && text[1] != '.' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c != '.' || i == 0) && (c != '-' || i > 0 || len(text) == 1 || text[1] == '0') {
			return false
		}
	}
	return text[len(text)-1] != '.' && !(strings.Contains(text, ".") && strings.HasSuffix(text, "0"))
}

func (r *cellReader) shared(number string, style int32) (string, error) {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return "", nil
	}
	raw, err := r.sharedString(n)
	return r.book.styles.format(style).Text(richText(raw, r.book.styles.look(style))), err
}

// sharedString returns the element of a shared string.
func (r *cellReader) sharedString(number int) ([]byte, error) {
	if r.strings == nil {
		table, err := r.load()
		if err != nil {
			return nil, err
		}
		r.strings = table
	}
	return r.strings.string(r.ctx, r.p, number)
}

func truth(text string) string {
	switch strings.TrimSpace(text) {
	case "0", "false", "FALSE":
		return "FALSE"
	case "":
		return ""
	}
	return "TRUE"
}

// date shows a date in ISO 8601.
func (r *cellReader) date(text string, style int32) string {
	text = strings.TrimSpace(text)
	format := r.book.styles.format(style)
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02"} {
		t, err := time.Parse(layout, text)
		if err != nil || !format.IsDate() {
			continue
		}
		days := t.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24
		if days < 61 {
			break
		}
		return format.Number(days, false)
	}
	return text
}

// plainText returns the characters of an element without child elements.
func plainText(raw []byte) string {
	if bytes.IndexByte(raw, '<') < 0 {
		if bytes.IndexByte(raw, '&') < 0 && utf8.Valid(raw) {
			return string(raw)
		}
		return xmlspan.Unescape(string(raw))
	}
	var b strings.Builder
	s := xmlspan.New("<v>" + string(raw) + "</v>")
	for s.Next() {
		if s.Kind == xmlspan.Text {
			b.WriteString(s.Value())
		}
	}
	return b.String()
}

// richText returns the characters of a string with several runs, without its phonetic
// guides. Numbers above or below the line are written so, and what is struck out. Runs
// without properties of their own look like the cell.
func richText(raw []byte, cell look) string {
	if len(raw) == 0 {
		return ""
	}
	if text, ok := simpleText(raw); ok {
		return cell.write(unescapeControls(plainText(text)))
	}
	var b strings.Builder
	s := xmlspan.New("<is>" + string(raw) + "</is>")
	phonetic, inText, run := 0, 0, cell
	var strike htmlblocks.Strike
	for s.Next() {
		step := 1
		if s.Kind == xmlspan.End {
			step = -1
		}
		switch {
		case s.Kind == xmlspan.Text:
			if inText > 0 && phonetic == 0 {
				strike.Write(&b, run.script.Write(unescapeControls(s.Value())), run.struck)
			}
		case s.Local == "r":
			run = cell
		case s.Local == "rPr" && s.Kind == xmlspan.Start:
			run = look{}
		case (s.Local == "strike" || s.Local == "vertAlign") && s.Kind == xmlspan.Start:
			run.read(s)
		case s.Local == "rPh":
			phonetic += step
		case s.Local == "t":
			inText += step
		}
	}
	strike.End(&b)
	return b.String()
}

// simpleText returns the content of a string with one unformatted run.
func simpleText(raw []byte) ([]byte, bool) {
	raw = bytes.TrimSuffix(bytes.TrimPrefix(raw, []byte("<si>")), []byte("</si>"))
	text, ok := bytes.CutSuffix(raw, []byte("</t>"))
	if !ok {
		return nil, false
	}
	if text, ok = bytes.CutPrefix(text, []byte("<t>")); !ok {
		text, ok = bytes.CutPrefix(text, []byte(`<t xml:space="preserve">`))
	}
	return text, ok && bytes.IndexByte(text, '<') < 0
}

// unescapeControls replaces escapes of characters that XML does not allow, such as
// _x000D_ (ECMA-376, part 1, section 22.9.2.19).
func unescapeControls(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "_x")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		r, n := controlOf(s)
		if n == 0 {
			b.WriteString("_x")
			s = s[2:]
			continue
		}
		b.WriteRune(r)
		s = s[n:]
	}
}

// controlOf returns the character whose escape begins s, and the length of the escape
// in bytes. Two escapes may form a surrogate pair.
func controlOf(s string) (rune, int) {
	unit, ok := controlUnit(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(unit) {
		if second, ok := controlUnit(s[7:]); ok {
			if r := utf16.DecodeRune(unit, second); r != utf8.RuneError {
				return r, 14
			}
		}
		return utf8.RuneError, 7
	}
	return unit, 7
}

func controlUnit(s string) (rune, bool) {
	if len(s) < 7 || s[0] != '_' || s[1] != 'x' || s[6] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// oneLine replaces line breaks, tabs and control characters by spaces, and trims
// spaces at the ends.
func oneLine(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f || s[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return strings.TrimSpace(s)
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", " ")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}

var generalFormat = numfmt.Parse("General")
