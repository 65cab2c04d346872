package pdf

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

const (
	mostlyPicture = .5  // of a page that is a picture with a few words, at least
	somePicture   = .05 // of a page without text whose words, if any, are in a picture
	fewWords      = 150 // visible characters; a page with more has text, whatever is drawn behind it
	leastWritten  = 20  // visible characters of a page, below which nothing is said about their letters
	mostOdd       = 5   // visible characters for each that is none; more are damage
)

// A pageText is what is known about the text of a page.
type pageText struct {
	drawn pdf.Drawn
	known bool   // drawn is
	text  string // as PDFium reads it
	read  int    // characters of it that PDFium knows; -1 if that is not known
}

// state returns the state of the text of a page, by what it draws: a page that draws
// neither text nor pictures has nothing to read, and is full.
func (p pageText) state() string {
	c := charsOf(p.text)
	d := p.drawn
	switch {
	case c.visible >= leastWritten && c.isDamaged(), d.Codes >= leastDrawn && 2*d.Unnamed > d.Codes:
		return about.TextDamaged
	case p.unreadable() != "":
		return about.TextDamaged
	case d.Cover >= mostlyPicture && c.visible < fewWords:
		if c.written == 0 {
			return about.TextNone
		}
		return about.TextPartial
	case c.written == 0 && d.Cover >= somePicture:
		return about.TextNone
	case c.written == 0 && !p.known:
		return about.TextNone
	}
	return about.TextFull
}

// isRecognised reports whether the text of a page was recognised in a picture by whoever
// made the file: most of it is drawn without ink over one that covers much of the page.
func isRecognised(d pdf.Drawn) bool {
	return d.Cover >= mostlyPicture && d.Codes > 0 && 2*d.Invisible > d.Codes
}

// unreadable says which characters of the page are not in its text, or "".
func (p pageText) unreadable() string {
	if p.read < 0 {
		return ""
	}
	return unreadable(p.read-p.drawn.Unnamed, p.drawn.Codes)
}

// missing says what the text of a page lacks in a state.
func (p pageText) missing(state string) string {
	switch state {
	case about.TextNone:
		return "a picture without text"
	case about.TextPartial:
		return "a picture with few words as text"
	case about.TextDamaged:
		return cmp.Or(p.unreadable(), "characters that do not say which letters they are")
	}
	return ""
}

// chars are counts of the characters of a text.
type chars struct {
	visible, written int // of them, letters and digits
	odd              int // of visible: none of any script
	words, nonsense  int // words of Latin letters, and those that no language has
}

func charsOf(text string) (c chars) {
	for word := range strings.FieldsSeq(text) {
		for _, r := range word {
			switch {
			case r == utf8.RuneError, unicode.Is(unicode.Co, r), unicode.IsControl(r), !unicode.IsPrint(r) && !unicode.Is(unicode.Cf, r):
				c.odd++
			case isWritten(r):
				c.written++
			}
			c.visible++
		}
		if latin, nonsense := isNonsense(word); latin {
			if c.words++; nonsense {
				c.nonsense++
			}
		}
	}
	return c
}

func (c chars) isDamaged() bool {
	const leastWords, mostNonsense = 15, .4
	return c.odd*mostOdd > c.visible || c.words >= leastWords && float64(c.nonsense) > mostNonsense*float64(c.words)
}

// isNonsense reports whether a word consists of at least five Latin letters, and whether
// such a word is in no language: it has no vowel, five consonants in a row, or capitals
// within that begin no part of it.
func isNonsense(word string) (latin, nonsense bool) {
	const long, cluster = 5, 5
	letters := []rune(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }))
	vowels, run, longest, capitals, odd := 0, 0, 0, 0, 0
	for i, r := range letters {
		switch {
		case !unicode.Is(unicode.Latin, r):
			return false, false
		case r > unicode.MaxASCII || strings.ContainsRune("aeiouyAEIOUY", r):
			vowels++
			run = 0
		default:
			run++
			longest = max(longest, run)
		}
		if unicode.IsUpper(r) {
			capitals++
			if i > 0 && i+1 < len(letters) && unicode.IsLower(letters[i-1]) && unicode.IsUpper(letters[i+1]) {
				odd++
			}
		}
	}
	n := len(letters)
	return n >= long, n >= long && capitals < n && (vowels == 0 || longest > cluster || odd > 1)
}

// textStates returns the states of the text of all pages, which of them have text that was
// recognised, and whether some are unknown.
func (m *mapper) textStates() (states about.TextStates, recognised about.Pages, unknown bool) {
	states = make(about.TextStates)
	byNumber := make(map[int]*page, len(m.pages))
	for i := range m.pages {
		byNumber[m.pages[i].number] = &m.pages[i]
	}
	for i, drawn := range m.facts.drawn {
		p := pageText{drawn: drawn.Drawn, known: drawn.known, read: -1}
		layout := byNumber[i+1]
		if drawn.known && !drawn.plain && isRecognised(drawn.Drawn) {
			recognised.Add(i + 1)
		}
		switch {
		case layout != nil && layout.read:
			p.text = textOf(layout)
		case drawn.plain:
			continue
		case drawn.known: // as many letters as it names
			p.text = strings.Repeat("a ", max(drawn.Codes-drawn.Unnamed, 0))
		default:
			continue
		}
		states.Add(i+1, p.state())
	}
	return states, recognised, len(m.facts.drawn) < m.facts.pages
}

// textOf returns the lines of a page.
func textOf(p *page) string {
	var b strings.Builder
	for _, line := range p.Lines {
		b.WriteString(line.Text)
		b.WriteByte('\n')
	}
	return b.String()
}
