package data

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// A heading says why a line is a heading.
type heading int

const (
	none heading = iota
	capitals
	above   // followed by a rule or by indented text
	chapter // a chapter, a part and so on
	marked  // by a marker
)

// chapters matches lines that begin a part of a book or play.
var chapters = lazyregexp.New(`(?i)^(?:(?:chapter|part|book|act|scene|canto|volume|section|letter|stave|appendix|article)\s+` +
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
	if inCapitals(line) || numbered.Match(line) && strings.IndexByte(".,;:", line[len(line)-1]) < 0 {
		return capitals
	}
	return none
}

// numbered matches lines such as "4.2.  Limits".
var numbered = lazyregexp.New(`^\d{1,3}(?:\.\d{1,3}){0,5}\.?\s+\p{Lu}[^.]{1,80}$`)

// sentenceLike reports whether a line that begins like a heading continues like a
// sentence, such as "Part one of the plan was".
func sentenceLike(line []byte) bool {
	words := strings.Fields(string(line))
	if len(words) < 4 || strings.ContainsAny(words[1], ".:—–-") {
		return false
	}
	r, _ := utf8.DecodeRuneInString(words[2])
	return unicode.IsLower(r)
}

// inCapitals reports whether a line has letters, all of them capitals, and does not
// end with a full stop.
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

// endsSentence reports whether the line ends a sentence.
func endsSentence(line []byte) bool {
	r, _ := utf8.DecodeLastRune(bytes.TrimRight(line, "\"'”’»)]} \t\r"))
	return strings.ContainsRune(".?!…。？！؟।", r)
}

// noteSecond makes the first line of p a heading if line, the next one, is a rule, or
// if it is indented and the first line is in capitals.
func (p *passage) noteSecond(line []byte) {
	first := bytes.TrimSuffix(p.head, []byte("\n"))
	switch {
	case p.heading > above:
	case isRule(line) && len(first) <= maxHeading && 2*len(line) >= len(first) && unicode.IsLetter(firstRune(first)):
		p.heading = above
	case p.heading == capitals && !p.inner && isInner(line):
		p.heading = above
	}
}

func firstRune(text []byte) rune {
	r, _ := utf8.DecodeRune(text)
	return r
}

// isRule reports whether a line repeats one character as an underline.
func isRule(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) >= 3 && strings.IndexByte("=-~^*", line[0]) >= 0 && len(bytes.Trim(line, string(line[:1]))) == 0
}
