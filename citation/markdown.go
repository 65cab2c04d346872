package citation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/citedtext"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// Markdown returns c as a link of CommonMark with the quote as its title, such as
// [Notes, page 12](doc://notes#pages=12 "the engine weaves"). Texts are on one
// line. [ParseMarkdown] reads it.
func (c *Citation) Markdown() string {
	link := "[" + escapeMarkdown(c.Label()) + "](" + destination(c.Address.String())
	if quote := plain.Line(c.Quote); quote != "" {
		link += ` "` + escapeMarkdown(quote) + `"`
	}
	return link + ")"
}

// Footnote returns c as a Markdown footnote with the given label, such as
//
//	[^1]: Ada Lovelace, *Notes*, page 12, 1843. "the engine weaves" <doc://notes#pages=12>
//
// If the label is empty or has white space, a bracket or a "^", the error
// matches [citekit.ErrSyntax]. [ParseMarkdown] reads it.
func (c *Citation) Footnote(label string) (string, error) {
	if label == "" || plain.Line(label) != label || strings.ContainsAny(label, " []^\\") {
		return "", syntaxError("footnote label %s; write a number or a word", message.Quote(label))
	}
	parts := make([]string, 0, len(c.Work.Authors)+4)
	for _, name := range c.Work.Authors {
		parts = append(parts, escapeMarkdown(plain.Line(name)))
	}
	parts = append(parts, "*"+escapeMarkdown(c.title())+"*")
	for _, more := range []string{c.Work.Part, c.place(), c.transcribed(), c.Work.day()} {
		if more = plain.Line(more); more != "" {
			parts = append(parts, escapeMarkdown(more))
		}
	}
	note := "[^" + label + "]: " + strings.Join(parts, ", ") + "."
	if quote := plain.Line(c.Quote); quote != "" {
		note += ` "` + escapeMarkdown(quote) + `"`
	}
	return note + " <" + c.Address.String() + ">", nil
}

// escapeMarkdown escapes the characters that have a meaning within a line of
// Markdown or at its beginning.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for i := range len(text) {
		ch := text[i]
		if ch == '&' { // cmark reads "\&amp;" in the title of a link as "&"
			b.WriteString("&amp;")
			continue
		}
		if strings.IndexByte("\\`*_[]<>()!|~$^\"{}", ch) >= 0 || i == 0 && strings.IndexByte("#+-=:", ch) >= 0 ||
			(ch == '.' || ch == '/' || ch == ':') && i > 0 && isLinkStart(text[:i+1]) || ch == '.' && isNumber(text[:i]) {
			b.WriteByte('\\')
		}
		b.WriteByte(ch)
	}
	return b.String()
}

// isLinkStart reports whether a text ends with the beginning of a URL that
// GitHub makes a link.
func isLinkStart(text string) bool {
	return strings.HasSuffix(text, "://") || strings.HasSuffix(strings.ToLower(text[max(0, len(text)-4):]), "www.")
}

func isNumber(text string) bool {
	return text != "" && len(text) < 10 && strings.Trim(text, "0123456789") == ""
}

// destination returns an address in the form of a link destination.
func destination(address string) string {
	if !strings.ContainsAny(address, "()<>\\\" ") && plain.Line(address) == address {
		return escapeReferences(address)
	}
	return "<" + escapeMarkdown(address) + ">"
}

// escapeReferences escapes each "&" with which a reference of HTML may begin, such
// as "&copy;". Others stay, so that an address reads in a link as it is.
func escapeReferences(address string) string {
	var b strings.Builder
	for i := range len(address) {
		b.WriteByte(address[i])
		if address[i] != '&' {
			continue
		}
		behind := strings.TrimLeftFunc(address[i+1:], func(r rune) bool {
			return r == '#' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
		})
		if strings.HasPrefix(behind, ";") {
			b.WriteString("amp;")
		}
	}
	return b.String()
}

// ParseMarkdown returns the citations in a text of Markdown, in order: links
// whose destination is an address, with their title as the quote; addresses
// in angle brackets, with the text in quotation marks before them, as
// [Citation.Footnote] writes them; and addresses in square brackets or bare. Where
// that gives no quote, the quotes are those that package verify checks: the ones
// before the address in its sentence, or before the mark of its note. An address that
// is cited for several quotes is a citation for each. It ignores other links, invalid
// addresses, and addresses in code. It takes linear time.
func ParseMarkdown(text string) []Citation {
	links := readLinks(text)
	quoted := make([]bool, len(links)) // by words outside the link
	var all []readCitation
	linkAt := func(at int) int {
		i, ok := slices.BinarySearchFunc(links, at, func(l readCitation, at int) int { return cmp.Compare(l.from, at) })
		if ok {
			return i
		}
		if i > 0 && at < links[i-1].to {
			return i - 1
		}
		return -1
	}
	known := citedtext.Known{
		Modality: func(m citekit.Modality) bool { return citekit.Location{Modality: m}.Validate() == nil },
		Resource: func(string) bool { return false },
	}
	for _, s := range citedtext.Parse(text, known).Statements {
		for _, c := range s.Citations {
			one := readCitation{from: c.From, to: c.To, Citation: Citation{Address: c.Address}}
			switch i := linkAt(c.From); {
			case c.Err != nil || strings.HasPrefix(text[c.To:], "]("):
				continue
			case i >= 0 && (links[i].Quote != "" || len(s.Quotes) == 0):
				continue
			case i >= 0:
				one, quoted[i] = links[i], true
			}
			for _, quote := range s.Quotes {
				one.Quote = quote.Text
				all = append(all, one)
			}
			if len(s.Quotes) == 0 {
				all = append(all, one)
			}
		}
	}
	for i, link := range links {
		if !quoted[i] {
			all = append(all, link)
		}
	}
	slices.SortStableFunc(all, func(a, b readCitation) int { return cmp.Compare(a.from, b.from) })
	var found []Citation
	for i, c := range all {
		if i == 0 || c.from != all[i-1].from || c.Quote != all[i-1].Quote {
			found = append(found, c.Citation)
		}
	}
	return found
}

// A readCitation is a citation with its place in the text, in bytes.
type readCitation struct {
	from, to int
	Citation
}

// readLinks returns the links to addresses and the addresses in angle brackets.
func readLinks(text string) []readCitation {
	var found []readCitation
	for i := 0; i < len(text); {
		next := strings.IndexAny(text[i:], "]<")
		if next < 0 {
			break
		}
		i += next
		c, end := readLink(text, i)
		if end > i {
			found = append(found, readCitation{i, end, c})
			i = end
			continue
		}
		i++
	}
	return found
}

// readLink reads the link whose label ends at i, or the address in angle
// brackets that begins there. The end is i if there is no such link.
func readLink(text string, i int) (c Citation, end int) {
	if text[i] == '<' {
		target, end := readAutolink(text, i)
		a, err := citekit.ParseAddress(target)
		if end == i || err != nil {
			return c, i
		}
		return Citation{Address: a, Quote: quoteBefore(text[:i])}, end
	}
	if !strings.HasPrefix(text[i:], "](") {
		return c, i
	}
	target, end := readDestination(text, i+2)
	a, err := citekit.ParseAddress(target)
	if err != nil {
		return c, i
	}
	c.Address = a
	end = skipSpace(text, end)
	if end < len(text) && text[end] == '"' {
		c.Quote, end = readEnclosed(text, end, '"')
		end = skipSpace(text, end)
	}
	if end == len(text) || text[end] != ')' {
		return Citation{}, i
	}
	return c, end + 1
}

// skipSpace returns the end of the white space at i.
func skipSpace(text string, i int) int {
	return len(text) - len(strings.TrimLeft(text[i:], " \t\r\n"))
}

// readAutolink returns the text between angle brackets, which has no escapes,
// and the offset after it; the offset is i if there is no such text.
func readAutolink(text string, i int) (string, int) {
	n := strings.IndexAny(text[i+1:], "<> \t\r\n")
	if n < 0 || text[i+1+n] != '>' {
		return "", i
	}
	return text[i+1 : i+1+n], i + n + 2
}

// readEnclosed returns the text between the sign at i and the next closing one,
// and the offset after it; the offset is i if there is no closing sign.
func readEnclosed(text string, i int, closing byte) (string, int) {
	for at := i + 1; at < len(text); at++ {
		switch text[at] {
		case closing:
			return unescapeMarkdown(text[i+1 : at]), at + 1
		case '\\':
			at++
		case '<', '\n':
			if closing == '>' {
				return "", i
			}
		}
	}
	return "", i
}

// readDestination returns the link destination that begins at i, and its end.
func readDestination(text string, i int) (string, int) {
	if i < len(text) && text[i] == '<' {
		return readEnclosed(text, i, '>')
	}
	at := i
	for at < len(text) && text[at] > ' ' && text[at] != ')' && text[at] != '(' {
		if text[at] == '\\' && at+1 < len(text) {
			at++
		}
		at++
	}
	return unescapeMarkdown(text[i:at]), at
}

// quoteBefore returns the text in quotation marks at the end of a text, or "".
func quoteBefore(text string) string {
	inside, ok := strings.CutSuffix(text, "\" ")
	if !ok {
		return ""
	}
	for at := len(inside) - 1; at >= 0 && inside[at] != '\n'; at-- {
		if inside[at] == '"' && (at == 0 || inside[at-1] != '\\') {
			return unescapeMarkdown(inside[at+1:])
		}
	}
	return ""
}

// unescapeMarkdown removes the backslashes before punctuation, and replaces
// references of HTML, such as "&amp;".
func unescapeMarkdown(text string) string {
	if !strings.ContainsAny(text, "\\&") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && isPunctuation(text[i+1]) {
			i++
		} else if meant, length := plain.Reference(text[i:]); length > 0 {
			b.WriteString(meant)
			i += length - 1
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z')
}
