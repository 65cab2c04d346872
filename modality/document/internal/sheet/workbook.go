package sheet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/sheet/internal/numfmt"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// A workbook holds the parts of a workbook other than its sheets.
type workbook struct {
	text      string // text of the main part
	since1904 bool
	sheets    []entry
	names     []definedName
	styles    *styles

	stringsPart string // name of the part with shared strings, or ""
	macros      bool
}

type sheetKind int

const (
	cellSheet sheetKind = iota
	chartSheet
	otherSheet // a macro sheet or a dialog
)

// An entry is a sheet in the list of the workbook.
type entry struct {
	name   string
	rel    string // id of its relationship
	part   string
	kind   sheetKind
	hidden bool
}

// A definedName is a name for an area or a formula.
type definedName struct {
	name, text string
	local      int // index of the sheet that owns it, from 0, or -1
	hidden     bool
	raw        string // the element as written
}

const (
	maxSheets = 10_000
	maxNames  = 100_000
)

func (b *workbook) bytes() int64 {
	n := int64(len(b.text))*2 + 4096
	for i := range b.names {
		n += int64(len(b.names[i].text)) + 128
	}
	return n + int64(len(b.styles.formats))*8 + int64(len(b.styles.codes))*512 + int64(len(b.sheets))*256
}

// readWorkbook reads the main part and the styles of a package.
func readWorkbook(ctx context.Context, p *ooxml.Package) (*workbook, error) {
	kind := p.ContentType(p.Main())
	if strings.Contains(kind, "sheet.binary") || strings.HasSuffix(p.Main(), ".bin") {
		return nil, fmt.Errorf("a binary workbook (XLSB), which is not read; save it as XLSX: %w", errors.ErrUnsupported)
	}
	text, err := p.Part(p.Main()).Text(ctx)
	if err != nil {
		return nil, err
	}
	rels, err := p.Rels(ctx, p.Main())
	if err != nil {
		return nil, err
	}
	b := &workbook{text: text, styles: new(styles)}
	if err := b.read(); err != nil {
		return nil, err
	}
	byID := make(map[string]ooxml.Rel, len(rels))
	for _, rel := range rels {
		byID[rel.ID] = rel
		switch part := p.Part(rel.Target); {
		case rel.External || part == nil:
		case rel.Kind() == "sharedStrings":
			b.stringsPart = part.Name
		case rel.Kind() == "vbaProject":
			b.macros = true
		case rel.Kind() == "styles":
			if b.styles, err = readStyles(ctx, part); err != nil {
				return nil, err
			}
		}
	}
	for i := range b.sheets {
		b.sheets[i].find(p, byID)
	}
	return b, nil
}

// find finds the part of a sheet.
func (e *entry) find(p *ooxml.Package, rels map[string]ooxml.Rel) {
	rel, ok := rels[e.rel]
	part := p.Part(rel.Target)
	if !ok || rel.External || part == nil {
		e.kind = otherSheet
		return
	}
	e.part = part.Name
	switch rel.Kind() {
	case "worksheet":
	case "chartsheet":
		e.kind = chartSheet
	default:
		e.kind = otherSheet
	}
}

func (b *workbook) read() error {
	s := ooxml.Scan(b.text)
	for range s.Starts() {
		switch {
		case s.Depth == 1 && s.Local != "workbook":
			return fmt.Errorf("an Office document that is no workbook: %w", citekit.ErrFormat)
		case s.Depth == 2 && s.Local == "workbookPr":
			b.since1904 = isTrue(s.Get("", "date1904"))
		case s.Depth == 3 && s.Local == "sheet":
			if len(b.sheets) == maxSheets {
				return fmt.Errorf("a workbook of more than %d sheets; split it: %w", maxSheets, citekit.ErrTooLarge)
			}
			state := s.Get("", "state")
			b.sheets = append(b.sheets, entry{name: s.Get("", "name"), rel: s.Get("r", "id"), hidden: state == "hidden" || state == "veryHidden"})
		case s.Depth == 3 && s.Local == "definedName" && len(b.names) < maxNames:
			if !b.readName(s) {
				return xmlspan.Known(s.Err())
			}
		}
	}
	if err := s.Err(); err != nil {
		return xmlspan.Known(err)
	}
	if len(b.sheets) == 0 {
		return fmt.Errorf("a workbook without sheets: %w", citekit.ErrFormat)
	}
	return nil
}

func (b *workbook) readName(s *xmlspan.Scanner) bool {
	n := definedName{name: s.Get("", "name"), local: -1, hidden: isTrue(s.Get("", "hidden"))}
	if local, err := strconv.Atoi(s.Get("", "localSheetId")); err == nil && local >= 0 {
		n.local = local
	}
	pos := s.Pos
	var text strings.Builder
	for depth := s.Depth; s.Next(); {
		if s.Kind == xmlspan.Text {
			text.WriteString(s.Value())
		}
		if s.Kind == xmlspan.End && s.Depth == depth {
			n.text, n.raw = text.String(), b.text[pos:s.Stop]
			b.names = append(b.names, n)
			return true
		}
	}
	return false
}

func isTrue(value string) bool { return value == "1" || value == "true" || value == "on" }

// find returns the index of the sheet with a name, from 0.
func (b *workbook) find(name string) (int, error) {
	for i := range b.sheets {
		if b.sheets[i].name == name {
			return i, nil
		}
	}
	names := make([]string, 0, len(b.sheets))
	for i := range b.sheets[:min(len(b.sheets), 10)] {
		names = append(names, message.Quote(b.sheets[i].name))
	}
	if more := len(b.sheets) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return 0, fmt.Errorf("no sheet %s; the sheets are %s: %w", message.Quote(name), strings.Join(names, ", "), citekit.ErrRange)
}

// styles hold the number format of each cell style.
type styles struct {
	formats []int32 // format id, by style index
	codes   map[int32]*numfmt.Format
	looks   []look // by style index; nil if no font strikes out, raises or lowers
}

// A look is how a font shows text.
type look struct {
	script htmlblocks.Script
	struck bool
}

// read takes an element of the properties of a font or a run.
func (l *look) read(s *xmlspan.Scanner) {
	switch s.Local {
	case "strike":
		val := s.Get("", "val")
		l.struck = val == "" || isTrue(val)
	case "vertAlign":
		switch s.Get("", "val") {
		case "superscript":
			l.script = htmlblocks.Above
		case "subscript":
			l.script = htmlblocks.Below
		default:
			l.script = htmlblocks.OnLine
		}
	}
}

// write returns text as it is shown.
func (l look) write(text string) string {
	if l == (look{}) {
		return text
	}
	var b strings.Builder
	var strike htmlblocks.Strike
	strike.Write(&b, l.script.Write(text), l.struck)
	strike.End(&b)
	return b.String()
}

const maxStyles = 1 << 17

func readStyles(ctx context.Context, part *ooxml.Part) (*styles, error) {
	text, err := part.Text(ctx)
	if err != nil {
		return nil, err
	}
	st := &styles{codes: make(map[int32]*numfmt.Format)}
	own := make(map[int32]string)
	var fonts []look
	s := ooxml.Scan(text)
	for range s.Starts() {
		_, list := s.Parent()
		if s.Depth == 4 && list == "font" && len(fonts) > 0 {
			fonts[len(fonts)-1].read(s)
		}
		if s.Depth != 3 {
			continue
		}
		switch {
		case s.Local == "font" && list == "fonts" && len(fonts) < maxStyles:
			fonts = append(fonts, look{})
		case s.Local == "numFmt" && list == "numFmts":
			if id, err := strconv.ParseInt(s.Get("", "numFmtId"), 10, 32); err == nil && len(own) < maxStyles {
				own[int32(id)] = s.Get("", "formatCode")
			}
		case s.Local == "xf" && list == "cellXfs" && len(st.formats) < maxStyles:
			id, err := strconv.ParseInt(s.Get("", "numFmtId"), 10, 32)
			if err != nil {
				id = 0
			}
			st.formats = append(st.formats, int32(id))
			font, err := strconv.Atoi(s.Get("", "fontId"))
			if err != nil || font < 0 || font >= len(fonts) {
				font = 0
			}
			if len(fonts) > 0 && fonts[font] != (look{}) {
				st.looks = append(st.looks, make([]look, len(st.formats)-len(st.looks))...)
				st.looks[len(st.looks)-1] = fonts[font]
			}
		}
	}
	if err := s.Err(); err != nil {
		return nil, xmlspan.Known(err)
	}
	for _, id := range st.formats {
		if st.codes[id] != nil {
			continue
		}
		code, ok := own[id]
		if !ok {
			code = numfmt.Builtin(int(id))
		}
		if code == "" || code == "General" || code == "GENERAL" {
			st.codes[id] = generalFormat
		} else {
			st.codes[id] = numfmt.Parse(code)
		}
	}
	return st, nil
}

// look returns how the font of a style shows text.
func (st *styles) look(style int32) look {
	if style < 0 || int(style) >= len(st.looks) {
		return look{}
	}
	return st.looks[style]
}

// format returns the number format of a style.
func (st *styles) format(style int32) *numfmt.Format {
	if style < 0 || int(style) >= len(st.formats) {
		return generalFormat
	}
	return st.codes[st.formats[style]]
}
