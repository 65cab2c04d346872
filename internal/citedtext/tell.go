package citedtext

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// settleQuotations gives block quotations without a citation the citation right
// before or after them.
func (d *document) settleQuotations() {
	for i := 0; i < len(d.blocks); {
		if d.blocks[i].kind != quotation {
			i++
			continue
		}
		end := i
		for end < len(d.blocks) && d.blocks[end].kind == quotation && d.blocks[end].group == d.blocks[i].group {
			end++
		}
		d.settleGroup(i, end)
		i = end
	}
}

// settleGroup settles the blocks of one quotation, from i to end, end
// exclusive. The citations of one block also apply to the blocks before it.
func (d *document) settleGroup(i, end int) {
	var cites []cite
	for j := end - 1; j >= i; j-- {
		first := d.blocks[j].sentences[0]
		if len(first.cites) > 0 {
			cites = first.cites
		} else if cites != nil {
			first.cites = cites
		}
	}
	if cites == nil && end < len(d.blocks) {
		cites = d.blocks[end].takeAttribution()
	}
	if cites == nil && i > 0 {
		cites = d.blocks[i-1].takeIntroduction()
	}
	for _, b := range d.blocks[i:end] {
		switch first := b.sentences[0]; {
		case end-i > 1 && !b.says(0, len(b.text)): // it is the attribution of the others
			first.cites = nil
		case len(first.cites) == 0:
			first.cites = cites
		}
	}
}

// maxAttribution is how many words a line may have that only names the source
// of the quotation before it.
const maxAttribution = 8

// takeAttribution takes the citations of a block that is the attribution of the
// quotation before it.
func (b *block) takeAttribution() []cite {
	first := b.sentences[0]
	if len(first.cites) == 0 || len(first.quotes) > 0 || b.kind != paragraph {
		return nil
	}
	dash, _ := utf8.DecodeRuneInString(strings.TrimLeft(b.text, "*_ "))
	words := len(bytes.Fields(bytes.ReplaceAll(b.shown[:first.to], []byte{0}, []byte{' '})))
	if !unicode.Is(unicode.Pd, dash) && (len(b.sentences) > 1 || words > maxAttribution) && b.says(0, first.cites[0].from) {
		return nil
	}
	cites := first.cites
	first.cites = nil
	if words <= maxAttribution && len(b.sentences) == 1 || unicode.Is(unicode.Pd, dash) {
		first.silent = true
	}
	return cites
}

// takeIntroduction takes the citations of the last sentence of a block that ends
// in a colon.
func (b *block) takeIntroduction() []cite {
	last := b.sentences[len(b.sentences)-1]
	ending := bytes.TrimRight(b.shown, " \n*_\x00")
	if len(last.cites) == 0 || len(last.quotes) > 0 || b.kind == quotation || !bytes.HasSuffix(ending, []byte(":")) && !bytes.HasSuffix(ending, []byte("：")) {
		return nil
	}
	cites := last.cites
	last.cites, last.silent = nil, true
	return cites
}

// tell adds the statements and uncited passages of a block to the result.
func (b *block) tell(d *document) {
	n := d.noteOf(b.label)
	used := b.kind == footnote && n != nil && n.used
	for _, s := range b.sentences {
		clusters := s.clusters()
		switch {
		case b.kind == quotation:
			b.tellQuotation(d, s, clusters)
		case used && len(s.quotes) == 0: // the user of the note adds it
		case len(clusters) == 0:
			b.tellUncited(d, s)
		case len(s.quotes) == 0:
			b.tellClaims(d, s, clusters)
		default:
			b.tellQuotes(d, s, clusters)
		}
	}
}

func (b *block) tellUncited(d *document, s *sentence) {
	if s.silent || b.isLabel(s) || b.kind == heading || b.kind == footnote || !b.says(s.from, s.to) {
		return
	}
	d.found.Uncited = append(d.found.Uncited, b.passage(s.span, len(s.quotes) > 0))
}

// maxLabelWords and maxLabelBytes bound a label that only announces what
// follows, such as "Sources:" or "**Summary.**".
const (
	maxLabelWords = 3
	maxLabelBytes = 100
)

// isLabel reports whether a sentence only announces what follows.
func (b *block) isLabel(s *sentence) bool {
	written := onOneLine(b.shown[s.from:s.to])
	bare := strings.Trim(written, "*_")
	emphasized := strings.HasPrefix(written, "**") && strings.HasSuffix(written, "**") || strings.HasPrefix(written, "__") && strings.HasSuffix(written, "__")
	leads := emphasized || strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "：")
	return leads && strings.Count(bare, " ") < maxLabelWords && len(bare) < maxLabelBytes
}

func (b *block) tellQuotation(d *document, s *sentence, clusters []cluster) {
	switch {
	case !b.says(s.from, s.to):
		for _, c := range clusters {
			d.found.add(nil, Passage{}, untitled(c.citations))
		}
	case len(clusters) == 0:
		d.found.Uncited = append(d.found.Uncited, b.passage(s.span, true))
	default:
		var all []Citation
		for _, c := range clusters {
			all = append(all, c.citations...)
		}
		d.found.add([]Passage{b.passage(s.span, true)}, Passage{}, distinct(all))
	}
}

// tellClaims adds the claims of a sentence without quotes. Each citation
// belongs to the text before it, or to the text after it if there is none
// before the first citation.
func (b *block) tellClaims(d *document, s *sentence, clusters []cluster) {
	leads := !b.says(s.from, max(s.from, clusters[0].from)) && len(clusters) > 1
	for i, c := range clusters {
		part := s.span
		if i > 0 {
			part.from = clusters[i-1].to
		}
		if i+1 < len(clusters) {
			part.to = c.from
		}
		if leads {
			part = span{c.to, s.to}
			if i+1 < len(clusters) {
				part.to = clusters[i+1].from
			}
		}
		d.found.add(nil, b.claim(part), untitled(c.citations))
	}
}

// claim returns a part of a sentence as a claim, which is zero if the part has
// no words. The full stop after a citation belongs to the claim before it.
func (b *block) claim(part span) Passage {
	if part.from >= part.to || !b.says(part.from, part.to) {
		return Passage{}
	}
	shown := bytes.TrimLeft(b.shown[part.from:part.to], " \n\t\x00")
	if len(shown) > 1 && strings.IndexByte(".!?:", shown[0]) >= 0 && shown[1] <= ' ' {
		part.from = part.to - len(shown) + 1
	}
	return b.passage(part, false)
}

// tellQuotes adds the statements of a sentence with quotes. A citation belongs
// to the quotes between it and the citation before it. In a sentence that
// begins with a citation and ends with a quote, it belongs to the quotes that
// follow it.
func (b *block) tellQuotes(d *document, s *sentence, clusters []cluster) {
	follow := clusters[0].from < s.quotes[0].from && clusters[len(clusters)-1].from < s.quotes[len(s.quotes)-1].from
	quotes := s.quotes
	if follow {
		for len(quotes) > 0 && quotes[0].from < clusters[0].from {
			quotes = quotes[1:]
		}
	}
	for i, c := range clusters {
		part, until := span{s.from, c.from}, c.to
		if i > 0 {
			part.from = clusters[i-1].to
		}
		if follow {
			part, until = span{c.to, s.to}, s.to
			if i+1 < len(clusters) {
				part.to, until = clusters[i+1].from, clusters[i+1].from
			}
		}
		n := 0
		for n < len(quotes) && quotes[n].from < until {
			n++
		}
		if n > 0 {
			d.found.add(b.passages(quotes[:n]), Passage{}, c.citations)
		} else {
			d.found.add(nil, b.claim(part), untitled(c.citations))
		}
		quotes = quotes[n:]
	}
	d.found.Uncited = append(d.found.Uncited, b.passages(quotes)...)
}

func (t *Text) add(quotes []Passage, claim Passage, citations []Citation) {
	if len(citations) > 0 {
		t.Statements = append(t.Statements, Statement{Quotes: quotes, Claim: claim, Citations: citations})
	}
}

func (b *block) passages(spans []span) (all []Passage) {
	for _, s := range spans {
		all = append(all, b.passage(s, true))
	}
	return all
}

// passage returns a part of a block as a passage, trimmed to its first and last
// word or sign.
func (b *block) passage(s span, quoted bool) Passage {
	shown := b.shown[s.from:s.to]
	s.from += len(shown) - len(bytes.TrimLeft(shown, " \n\t,;|\x00"))
	s.to -= len(shown) - len(bytes.TrimRight(shown, " \n\t|\x00"))
	shown = b.shown[s.from:s.to]
	p := Passage{From: b.at(s.from), To: b.at(s.to-1) + 1, Text: onOneLine(withoutMarks(shown)), Quoted: quoted}
	if !quoted {
		p.Text = beforePunctuation.Replace(p.Text)
	} else if written := onOneLine(shown); p.Text == "" {
		p.Text = written // it has only references to white space
	} else if written != p.Text {
		p.Written = written
	}
	return p
}

// onOneLine returns the visible text on one line.
func onOneLine(shown []byte) string {
	return strings.Join(strings.Fields(string(bytes.ReplaceAll(shown, []byte{0}, nil))), " ")
}

// beforePunctuation removes the spaces that citations leave before punctuation.
var beforePunctuation = strings.NewReplacer(" .", ".", " ,", ",", " ;", ";", " :", ":", " !", "!", " ?", "?")

// withoutMarks returns a text without the marks of emphasis around words, without
// backslashes before punctuation, without the backquotes of code, and with the
// characters that references of HTML stand for.
func withoutMarks(text []byte) []byte {
	kept := bytes.Clone(text)
	open := make(map[string]int) // where the open run of marks begins
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\\' && i+1 < len(text) && text[i+1] < utf8.RuneSelf && !isWord(rune(text[i+1])) && text[i+1] > ' ' {
			kept[i] = 0
			i += 2
			continue
		}
		if meant, length := plain.Reference(text[i:min(len(text), i+plain.MaxReference)]); length >= len(meant) && length > 0 {
			drop(kept[i : i+length])
			copy(kept[i:], meant)
			i += length
			continue
		}
		end := i + 1
		if c == '`' {
			kept[i] = 0
		}
		if c != '*' && c != '_' {
			i = end
			continue
		}
		for end < len(text) && text[end] == c {
			end++
		}
		run := string(text[i:end])
		begins, ends := end < len(text) && text[end] > ' ', i > 0 && text[i-1] > ' '
		from, opened := open[run]
		switch {
		case end-i > 3:
		case ends && opened && (c == '*' || end == len(text) || !isWord(rune(text[end]))):
			drop(kept[from : from+end-i])
			drop(kept[i:end])
			delete(open, run)
		case begins && (c == '*' || i == 0 || !isWord(rune(text[i-1]))):
			open[run] = i
		}
		i = end
	}
	return bytes.ReplaceAll(kept, []byte{0}, nil)
}

func drop(marks []byte) {
	for i := range marks {
		marks[i] = 0
	}
}
