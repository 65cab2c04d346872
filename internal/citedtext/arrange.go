package citedtext

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	sentences "github.com/citekit/citekit/internal/sentence"
)

// A sentence is a sentence of a block with its quotes and citations, each in
// order.
type sentence struct {
	span
	quotes []span
	cites  []cite
	silent bool // it only introduces a quotation
}

// arrange divides a block into sentences, and assigns its quotes and citations
// to them.
func (b *block) arrange(*document) {
	if b.kind == quotation {
		b.cutAttribution()
	}
	b.findQuotes()
	b.split()
	if len(b.sentences) == 0 {
		b.sentences = []*sentence{{span: span{0, len(b.text)}}}
	}
	i := 0
	for _, q := range b.quotes {
		for i+1 < len(b.sentences) && b.sentences[i+1].from <= q.from {
			i++
		}
		s := b.sentences[i]
		s.quotes = append(s.quotes, q)
		s.to = max(s.to, q.to)
	}
	i = 0
	for _, c := range b.cites {
		for i+1 < len(b.sentences) && b.sentences[i+1].from <= c.from {
			i++
		}
		s := b.sentences[i]
		if !c.behind && c.from >= s.to && i+1 < len(b.sentences) {
			s = b.sentences[i+1]
		}
		c.of = b
		s.cites = append(s.cites, c)
	}
}

// split finds the sentences. Text inside a quote does not end a sentence, but
// the end of a quote may. A part without a word of its own, such as an address,
// belongs to the sentence before it. A row of a table is one sentence, and so
// is a quotation.
func (b *block) split() {
	text := slices.Clone(b.prose)
	for _, q := range b.quotes {
		neutralize(text[q.from:q.to])
	}
	quotes := b.quotes
	for from, to := range sentences.Split(string(text)) {
		n, goesOn := len(b.sentences), false
		for len(quotes) > 0 && quotes[0].to < from {
			quotes = quotes[1:]
		}
		if n > 0 && len(quotes) > 0 && quotes[0].from < from { // the mark that closes it comes next
			_, size := utf8.DecodeRune(text[quotes[0].to:])
			from = min(quotes[0].to+size, to)
			b.sentences[n-1].to = from
			goesOn = beginsInLowerCase(text[from:to])
		}
		if end := from + emphasisEnd(text[from:to]); n > 0 && end > from { // the emphasis belongs to the sentence before
			from, b.sentences[n-1].to = end, end
		}
		says := b.says(from, to) && !goesOn
		if n > 0 && (!says || b.kind == row || b.kind == quotation || !b.says(b.sentences[n-1].from, b.sentences[n-1].to)) {
			b.sentences[n-1].to = to
			continue
		}
		b.sentences = append(b.sentences, &sentence{span: span{from, to}})
	}
}

// emphasisEnd returns the length of the marks at the start of a text that end
// an emphasis before it.
func emphasisEnd(text []byte) int {
	n := len(text) - len(bytes.TrimLeft(text, "*_"))
	if n < len(text) && text[n] != ' ' && text[n] != '\n' {
		return 0
	}
	return n
}

// beginsInLowerCase reports whether the first letter of a text is in lower
// case.
func beginsInLowerCase(text []byte) bool {
	r, _ := utf8.DecodeRune(bytes.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }))
	return unicode.IsLower(r)
}

// neutralize replaces the signs in a quote that end a sentence, except the last
// one.
func neutralize(quote []byte) {
	last := len(strings.TrimRight(string(quote), ".!?。！？… "))
	for i := 0; i < last; i++ {
		switch c := quote[i]; {
		case c == '.' || c == '!' || c == '?':
			quote[i] = ','
		case c < utf8.RuneSelf:
		default:
			r, size := utf8.DecodeRune(quote[i:])
			if strings.ContainsRune("。！？…", r) {
				copy(quote[i:], "、")
			}
			i += size - 1
		}
	}
}

// says reports whether a part of a block has a word that is not an address.
func (b *block) says(from, to int) bool {
	return bytes.ContainsFunc(b.shown[from:to], isWord)
}

// cutAttribution removes the last line of a quotation from the quoted text if
// that line names the source.
func (b *block) cutAttribution() {
	last := b.lines[len(b.lines)-1].inBlock
	line := strings.TrimLeft(b.text[last:], " *_")
	for _, dash := range []string{"—", "–", "―", "--", "- "} {
		if strings.HasPrefix(line, dash) && (last > 0 || len(b.cites) > 0) {
			b.hide(last, len(b.text))
			return
		}
	}
}

// A cluster is the citations in one place.
type cluster struct {
	span
	citations []Citation
}

// clusters returns the citations of a sentence, grouped by place. Their offsets
// are those of the block with the citations.
func (s *sentence) clusters() []cluster {
	var all []cluster
	for _, c := range s.cites {
		if n := len(all); n > 0 && c.from >= all[n-1].to && c.of.isJoint(all[n-1].to, c.from) {
			all[n-1].to = c.to
			all[n-1].citations = append(all[n-1].citations, c.citations...)
			continue
		}
		all = append(all, cluster{c.span, slices.Clip(c.citations)})
	}
	for i := range all {
		all[i].citations = distinct(all[i].citations)
	}
	return all
}

// distinct returns citations without those that repeat an address in the same
// place.
func distinct(all []Citation) []Citation {
	if len(all) < 2 {
		return all
	}
	seen := make(map[string]bool)
	var kept []Citation
	for _, c := range all {
		key := c.Address.String()
		if c.Err == nil && seen[key] {
			continue
		}
		seen[key] = true
		kept = append(kept, c)
	}
	return kept
}

// joints are words that may be between two citations in one place.
var joints = map[string]bool{
	"and": true, "or": true, "see": true, "also": true, "cf": true, "und": true, "sowie": true, "siehe": true, "et": true, "voir": true,
	"y": true, "e": true, "en": true, "och": true, "og": true, "i": true, "и": true, "和": true, "与": true, "及び": true, "と": true,
}

// isJoint reports whether the text between two citations has no meaning of its
// own.
func (b *block) isJoint(from, to int) bool {
	const longest = 40
	if to-from > longest {
		return !b.says(from, to)
	}
	for _, word := range strings.FieldsFunc(string(b.shown[from:to]), func(r rune) bool { return !isWord(r) }) {
		if !joints[strings.ToLower(word)] {
			return false
		}
	}
	return true
}
