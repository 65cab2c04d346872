package verify_test

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/citekit/citekit/internal/test/pdftest"

	"github.com/citekit/citekit/internal/test/altertest"
)

// A typesetter sets paragraphs as the pages of a PDF, and knows what it put
// around and into the text: running heads, page numbers, notes, and hyphens at
// the ends of lines.
type typesetter struct {
	columns, width, rows int // of a page; the width of a line in characters
	head, foot           func(page int) string
	headLast             bool // the head is drawn after the text
	notes                bool // marks of notes are raised, and the notes stand below the text
	wide                 bool // East Asian: no spaces between words

	pages []*setPage
}

type setPage struct {
	lines []string
	notes []string
	raw   string // the content, if it is not made of these
}

var noteMark = regexp.MustCompile(`\^(\d+)\^`)

const vowels = "aeiouyäöü"

// set lays out paragraphs.
func (s *typesetter) set(paragraphs []string) {
	for _, p := range paragraphs {
		if !s.notes {
			p = noteMark.ReplaceAllString(p, "")
		}
		words := strings.Fields(p)
		if s.wide {
			words = strings.Split(p, "")
		}
		s.paragraph(words)
	}
}

func (s *typesetter) paragraph(words []string) {
	line := ""
	for i := 0; i < len(words); i++ {
		w, space := words[i], " "
		if s.wide || line == "" {
			space = ""
		}
		room := s.width - utf8.RuneCountInString(line+space)
		fits := utf8.RuneCountInString(noteMark.ReplaceAllString(w, "1")) <= room || s.wide && strings.Contains("。、，；", w)
		if fits {
			line += space + w
			continue
		}
		if first, rest := hyphenated(w, room-1); first != "" && !s.wide {
			line += space + first + "-"
			s.put(line)
			line = rest
			continue
		}
		s.put(line)
		line = ""
		i--
	}
	if line != "" {
		s.put(line)
	}
}

// hyphenated divides a word of letters, so that the first part has at most room
// letters.
func hyphenated(w string, room int) (first, rest string) {
	r := []rune(w)
	if len(r) < 8 || !altertest.OnlyLetters(strings.TrimRight(w, ".,;:")) || strings.ToUpper(w) == w {
		return "", ""
	}
	for at := min(room, len(r)-4); at >= 3; at-- {
		if strings.ContainsRune(vowels, r[at-1]) && !strings.ContainsRune(vowels, r[at]) && unicode.IsLower(r[at]) {
			return string(r[:at]), string(r[at:])
		}
	}
	return "", ""
}

// put ends a line, and begins a page where the last one is full.
func (s *typesetter) put(line string) {
	if len(s.pages) == 0 || len(s.pages[len(s.pages)-1].lines) >= s.rows*s.columns {
		s.pages = append(s.pages, &setPage{})
	}
	p := s.pages[len(s.pages)-1]
	p.lines = append(p.lines, line)
	for _, m := range noteMark.FindAllStringSubmatch(line, -1) {
		p.notes = append(p.notes, fmt.Sprintf("%s See the minutes of the board, volume %s, and the map there.", m[1], m[1]))
	}
}

// breaks returns what a reader copies who leaves out what stands between the
// text of two pages: so many words before and after the end of each page. The
// pages are from 1.
func (s *typesetter) breaks(before, after int) (quotes []string, pages []int) {
	sep := " "
	if s.wide {
		sep = ""
	}
	for p := 0; p+1 < len(s.pages); p++ {
		head := pageWords(s.pages[:p+1], s.wide)
		tail := pageWords(s.pages[p+1:], s.wide)
		if len(head) < before || len(tail) < after {
			continue
		}
		left, right := strings.Join(head[len(head)-before:], sep), strings.Join(tail[:after], sep)
		if left, hyphen := strings.CutSuffix(left, "-"); hyphen {
			quotes = append(quotes, left+right)
		} else {
			quotes = append(quotes, left+sep+right)
		}
		pages = append(pages, p+1)
	}
	return quotes, pages
}

// pageWords returns the words of pages without marks, healed.
func pageWords(pages []*setPage, wide bool) []string {
	var b strings.Builder
	for _, p := range pages {
		for _, line := range p.lines {
			line = noteMark.ReplaceAllString(line, "")
			if first, cut := strings.CutSuffix(line, "-"); cut {
				b.WriteString(first + "\x00")
			} else {
				b.WriteString(line + "\n")
			}
		}
	}
	text := b.String()
	if strings.HasSuffix(text, "\x00") { // the word goes on after these pages
		text = strings.TrimSuffix(text, "\x00") + "-"
	}
	text = strings.ReplaceAll(text, "\x00", "")
	if wide {
		return strings.Split(strings.ReplaceAll(text, "\n", ""), "")
	}
	return strings.Fields(text)
}

// pdf returns the file.
func (s *typesetter) pdf() []byte {
	f := &pdftest.File{Packed: true}
	root, tree, font := f.Reserve(), f.Reserve(), s.font(f)
	var kids strings.Builder
	for i := range s.pages {
		content := f.Deflate("", []byte(s.content(i)))
		page := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", tree, content, font)
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	f.Set(tree, "<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(s.pages))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}

// font adds Helvetica, or a font whose codes are UTF-16, which no file holds.
func (s *typesetter) font(f *pdftest.File) int {
	if !s.wide {
		return f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	}
	var ranges strings.Builder
	for i := 0; i < 256; i += 64 {
		ranges.WriteString("64 beginbfrange\n")
		for high := i; high < i+64; high++ {
			fmt.Fprintf(&ranges, "<%02x00> <%02xff> <%02x00>\n", high, high, high)
		}
		ranges.WriteString("endbfrange\n")
	}
	unicodes := f.Deflate("", []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"+
		"1 begincodespacerange <0000> <ffff> endcodespacerange\n"+ranges.String()+"endcmap end end"))
	descriptor := f.Add("<< /Type /FontDescriptor /FontName /Nihon /Flags 4 /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 800 /StemV 80 /FontBBox [0 -120 1000 880] >>")
	cid := f.Add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Nihon /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000 /FontDescriptor %d 0 R >>", descriptor)
	return f.Add("<< /Type /Font /Subtype /Type0 /BaseFont /Nihon /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", cid, unicodes)
}

func (s *typesetter) content(i int) string {
	var b strings.Builder
	p := s.pages[i]
	if p.raw != "" {
		return p.raw
	}
	around := func(text func(int) string, y int) {
		if text != nil && text(i+1) != "" {
			b.WriteString(s.line(60, y, 9, text(i+1)))
		}
	}
	if !s.headLast {
		around(s.head, 760)
	}
	for n, line := range p.lines {
		b.WriteString(s.line(60+n/s.rows*270, 720-14*(n%s.rows), 10, line))
	}
	for n, note := range p.notes {
		b.WriteString(s.line(60, 80-9*n, 7, note))
	}
	around(s.foot, 30)
	if s.headLast {
		around(s.head, 760)
	}
	return b.String()
}

// line shows a line of text, with the marks of notes raised.
func (s *typesetter) line(x, y, size int, text string) string {
	var b strings.Builder
	b.WriteString(s.begin(x, y, size))
	for text != "" {
		at := noteMark.FindStringSubmatchIndex(text)
		if at == nil {
			b.WriteString(s.shown(text))
			break
		}
		fmt.Fprintf(&b, "%s /F1 6 Tf 4 Ts %s 0 Ts /F1 %d Tf ", s.shown(text[:at[0]]), s.shown(text[at[2]:at[3]]), size)
		text = text[at[1]:]
	}
	return b.String() + " ET\n"
}

func (s *typesetter) begin(x, y, size int) string {
	return fmt.Sprintf("BT /F1 %d Tf %d %d Td ", size, x, y)
}

func (s *typesetter) shown(text string) string {
	if s.wide {
		var b strings.Builder
		for _, c := range text {
			fmt.Fprintf(&b, "%04x", c)
		}
		return "<" + b.String() + "> Tj"
	}
	data, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		panic(err) // the texts here are in that encoding
	}
	return fmt.Sprintf("<%x> Tj", data)
}

// wrapped returns paragraphs as a text of lines of a width, with marks of notes
// as Markdown has them.
func wrapped(paragraphs []string, width int, wide bool) string {
	s := &typesetter{columns: 1, width: width, rows: 1 << 30, notes: true, wide: wide}
	var b strings.Builder
	for _, p := range paragraphs {
		s.pages = nil
		p = noteMark.ReplaceAllString(p, "[^$1]")
		words := strings.Fields(p)
		if wide {
			words = strings.Split(p, "")
		}
		s.plainLines(&b, words)
		b.WriteString("\n")
	}
	return b.String()
}

func (s *typesetter) plainLines(b *strings.Builder, words []string) {
	n := 0
	for _, w := range words {
		switch length := utf8.RuneCountInString(w); {
		case n > 0 && n+1+length > s.width && !strings.Contains("。、，；", w):
			b.WriteString("\n")
			n = 0
		case n > 0 && !s.wide:
			b.WriteString(" ")
			n++
		}
		b.WriteString(w)
		n += utf8.RuneCountInString(w)
	}
	b.WriteString("\n")
}
