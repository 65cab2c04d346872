package data

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	enoughLines = 40 // of a passage
	mostLines   = 120
	enoughBytes = 2_000
	mostBytes   = 4_000
	minCapital  = 500 // bytes of a passage before a line in capitals ends it

	maxPassages     = 10_000
	maxLineHead     = 2 << 10
	maxPassageHead  = 4 * maxSummary
	maxPassageTitle = 100
)

// mapProse gathers paragraphs into passages, which end before a heading such
// as CHAPTER IV, or at a blank line when they are long enough. Prose is titled
// by its first sentence, and other text by its first line.
func mapProse(r *reader, prose bool) (*citekit.Structure, error) {
	p := proseMapper{prose: prose, runs: newRuns(maxPassages)}
	line := 0
	r.eachLine(maxLineHead, func(head []byte, size int64) {
		line++
		p.line(head, line, size)
	})
	p.endParagraph()
	p.endPassage()
	s := &citekit.Structure{Nodes: p.runs.nodes(), Method: "passages", Metadata: map[string]any{"format": string(Prose)}}
	if !prose {
		s.Method, s.Metadata["format"] = "lines", string(Lines)
	}
	if len(s.Nodes) == 0 { // nothing but white space
		s.Nodes = []*citekit.Node{{Type: "passage", Location: linesAt(1, max(line, 1))}}
	}
	return s, nil
}

// A passage is a run of lines with the text it begins with.
type passage struct {
	first, last int // lines; 0 for none
	size        int64
	head        []byte
	heading     heading // what its first line is
}

func (p *passage) lines() int { return p.last - p.first + 1 }

// take appends next, which lies below p.
func (p *passage) take(next *passage) {
	if p.first == 0 {
		p.first, p.heading = next.first, next.heading
	}
	p.last = next.last
	p.size += next.size
	if room := maxPassageHead - len(p.head); room > 0 {
		p.head = append(append(p.head, next.head[:min(len(next.head), room)]...), '\n')
	}
}

// reset makes p empty, keeping its memory.
func (p *passage) reset() { *p = passage{head: p.head[:0]} }

type proseMapper struct {
	prose     bool
	runs      *runs
	open      passage
	paragraph passage
}

func (p *proseMapper) line(head []byte, line int, size int64) {
	if len(bytes.TrimSpace(head)) == 0 {
		p.endParagraph()
		return
	}
	next := passage{first: line, last: line, size: size, head: head}
	if p.paragraph.first == 0 {
		next.heading = headingOf(head)
	}
	p.paragraph.take(&next)
	long := p.paragraph.size >= mostBytes || p.paragraph.lines() >= mostLines
	fair := p.paragraph.size >= enoughBytes || p.paragraph.lines() >= enoughLines
	if long || fair && endsSentence(head) {
		p.endParagraph()
	}
}

// endParagraph adds the paragraph to the passage that is open, or begins one
// with it.
func (p *proseMapper) endParagraph() {
	next := &p.paragraph
	if next.first == 0 {
		return
	}
	if next.heading == capitals && next.lines() > 1 {
		next.heading = none
	}
	if p.open.first != 0 && p.breaks(next) {
		p.endPassage()
	}
	p.open.take(next)
	next.reset()
}

// breaks reports whether next begins a new passage.
func (p *proseMapper) breaks(next *passage) bool {
	size, lines := p.open.size, next.first-p.open.first
	switch {
	case next.heading == chapter && p.open.heading == chapter && p.open.last-p.open.first < 3:
		return false // PART ONE above CHAPTER I
	case next.heading == chapter:
		return true
	case next.heading == capitals && size >= minCapital:
		return true
	case size >= enoughBytes || lines >= enoughLines:
		return true
	}
	tooLong := size+next.size > mostBytes || next.last-p.open.first+1 > mostLines
	return tooLong && (2*size >= enoughBytes || 2*lines >= enoughLines)
}

func (p *proseMapper) endPassage() {
	if p.open.first == 0 {
		return
	}
	n := &citekit.Node{Type: "passage", Location: linesAt(p.open.first, p.open.last)}
	text := p.open.head
	if p.prose && p.open.heading == none {
		n.Title = sentence.First(string(text), maxPassageTitle)
	} else {
		n.Title, text = firstTitle(text)
	}
	if p.prose {
		n.Summary = sentence.Lead(string(text), maxSummary)
	}
	p.runs.append(run{node: n, count: p.open.lines(), size: p.open.size})
	p.open.reset()
}

// firstTitle makes a title of the first line of text that has a letter or a
// digit, and returns what follows it.
func firstTitle(text []byte) (title string, rest []byte) {
	for rest := text; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if bytes.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) {
			return cutTitle(string(line)), rest
		}
	}
	return "", text
}

// cutTitle is [title] for a line, of which the beginning is enough.
func cutTitle(line string) string {
	if t := title(line); len(t) <= maxPassageTitle {
		return t
	}
	return sentence.First(line, maxPassageTitle)
}

// A heading is what makes a line one.
type heading int

const (
	none heading = iota
	capitals
	chapter
)

// chapters matches lines that begin a part of a book or a play.
var chapters = regexp.MustCompile(`(?i)^(?:(?:chapter|part|book|act|scene|canto|volume|section|letter|stave|appendix|article)\s+` +
	`(?:[ivxlcdm]+|\d+|[a-z]|the \w+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty\S*|thirty\S*|first|second|third|last)\b[^a-z]?.{0,80}` +
	`|(?:prologue|epilogue|preface|introduction|foreword|afterword|contents|appendix|acknowledgements?|bibliography|index)[.:]?)$`)

const maxHeading = 100

func headingOf(line []byte) heading {
	line = bytes.TrimSpace(line)
	if len(line) > maxHeading {
		return none
	}
	if first := line[0]; unicode.IsUpper(rune(first)) && chapters.Match(line) && !sentenceLike(line) {
		return chapter
	}
	if inCapitals(line) {
		return capitals
	}
	return none
}

// sentenceLike reports whether a line that begins like a heading, such as
// "Part one of the plan was", goes on like a sentence.
func sentenceLike(line []byte) bool {
	words := strings.Fields(string(line))
	if len(words) < 4 || strings.ContainsAny(words[1], ".:—–-") {
		return false
	}
	r, _ := utf8.DecodeRuneInString(words[2])
	return unicode.IsLower(r)
}

// inCapitals reports whether a line has letters, all of them capital, and no
// full stop at its end.
func inCapitals(line []byte) bool {
	letters := 0
	for _, r := range string(line) {
		if unicode.IsLower(r) || unicode.Is(unicode.Lo, r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	return letters >= 4 && 2*letters >= utf8.RuneCount(line) && line[len(line)-1] != '.' && line[len(line)-1] != ','
}

// endsSentence reports whether a sentence ends with the line.
func endsSentence(line []byte) bool {
	r, _ := utf8.DecodeLastRune(bytes.TrimRight(line, "\"'”’»)]} \t\r"))
	return strings.ContainsRune(".?!…。？！؟।", r)
}
