package citation

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A TextDirective selects text in a web page, as defined in WICG's URL Fragment
// Text Directives: the text Start, or from Start up to End if End is not "",
// between Prefix and Suffix. Browsers compare without regard to case, and match
// whole words.
type TextDirective struct {
	Prefix, Start, End, Suffix string
}

// Bounds of a text directive in characters.
const (
	wholeQuote = 300 // a longer quote is written as its first and last words
	edgeWords  = 60  // maximum length of these
)

// directiveMark is the mark before a directive in a fragment.
const directiveMark = ":~:"

// Directive returns the text directive for the quote of c, with its prefix and
// suffix. A quote of more than 300 characters is written as its first and last
// words, and so is one of several paragraphs, because a browser looks for each of the four
// in one paragraph. Each run of white space becomes one space, as in a page. The directive
// is zero if c has no quote.
func (c *Citation) Directive() TextDirective {
	quote := inOneLine(c.Quote)
	if quote == "" {
		return TextDirective{}
	}
	before, after := c.Prefix, c.Suffix
	if i := strings.LastIndex(before, "\n\n"); i >= 0 {
		before = before[i:]
	}
	after, _, _ = strings.Cut(after, "\n\n")
	d := TextDirective{Prefix: inOneLine(before), Start: quote, Suffix: inOneLine(after)}
	trimmed := strings.TrimSpace(c.Quote)
	first, _, several := strings.Cut(trimmed, "\n\n")
	if several || utf8.RuneCountInString(quote) > wholeQuote {
		last := trimmed[max(strings.LastIndex(trimmed, "\n\n"), 0):]
		d.Start, d.End = firstWords(inOneLine(first)), lastWords(inOneLine(last))
	}
	return d
}

func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstWords returns the first words of a text, at most edgeWords characters.
// If there is no space in these, it returns the characters.
func firstWords(text string) string {
	cut, n := len(text), 0
	for i := range text {
		if n == edgeWords {
			cut = i
			break
		}
		n++
	}
	if space := strings.LastIndexByte(text[:cut], ' '); space > 0 && cut < len(text) {
		cut = space
	}
	return text[:cut]
}

// lastWords is like firstWords, but at the end of the text.
func lastWords(text string) string {
	cut := len(text)
	for range edgeWords {
		_, size := utf8.DecodeLastRuneInString(text[:cut])
		cut -= size
	}
	if space := strings.IndexByte(text[cut:], ' '); space >= 0 && cut > 0 && text[cut-1] != ' ' {
		cut += space + 1
	}
	return text[cut:]
}

// String returns d in the form it has in a fragment after ":~:", such as
// "text=before-,from%20here,to%20here,-after"; "" if d has no Start.
// [ParseTextDirective] reads it.
func (d TextDirective) String() string {
	if d.Start == "" {
		return ""
	}
	parts := make([]string, 0, 4)
	if d.Prefix != "" {
		parts = append(parts, encodeTerm(d.Prefix)+"-")
	}
	parts = append(parts, encodeTerm(d.Start))
	if d.End != "" {
		parts = append(parts, encodeTerm(d.End))
	}
	if d.Suffix != "" {
		parts = append(parts, "-"+encodeTerm(d.Suffix))
	}
	return "text=" + strings.Join(parts, ",")
}

// encodeTerm also escapes "-", which has a meaning in a directive.
func encodeTerm(text string) string {
	return strings.ReplaceAll(plain.PercentEncode(strings.ToValidUTF8(text, "\uFFFD")), "-", "%2D")
}

// ParseTextDirective returns the first text directive of a fragment, or of its
// part after ":~:". If the fragment has no directive, or an invalid one, the
// error matches [citekit.ErrSyntax].
func ParseTextDirective(fragment string) (TextDirective, error) {
	if _, behind, ok := strings.Cut(fragment, directiveMark); ok {
		fragment = behind
	}
	for param := range strings.SplitSeq(fragment, "&") {
		if value, ok := strings.CutPrefix(param, "text="); ok {
			return parseTerms(value)
		}
	}
	return TextDirective{}, syntaxError("fragment %s has no text directive, such as :~:text=some%%20words", message.Quote(fragment))
}

func parseTerms(value string) (d TextDirective, err error) {
	terms := strings.SplitN(value, ",", 5)
	if len(terms) > 1 && strings.HasSuffix(terms[0], "-") {
		d.Prefix, terms = strings.TrimSuffix(terms[0], "-"), terms[1:]
	}
	if n := len(terms); n > 1 && strings.HasPrefix(terms[n-1], "-") {
		d.Suffix, terms = strings.TrimPrefix(terms[n-1], "-"), terms[:n-1]
	}
	if len(terms) > 2 || terms[0] == "" {
		return d, syntaxError("text=%s; write prefix-,start,end,-suffix; only start is needed", message.Clip(value))
	}
	d.Start = terms[0]
	if len(terms) == 2 {
		d.End = terms[1]
	}
	for _, term := range []*string{&d.Prefix, &d.Start, &d.End, &d.Suffix} {
		if strings.Contains(*term, "-") {
			return d, syntaxError("text=%s; a hyphen in a text is written %%2D", message.Clip(value))
		}
		if *term, err = url.PathUnescape(*term); err != nil || !utf8.ValidString(*term) {
			return d, syntaxError("text=%s has a bad percent escape", message.Clip(value))
		}
	}
	return d, nil
}

// URL returns a link that opens a published copy of the source at the cited
// part. The link is base, an absolute or relative URL without a fragment, with
// the standard fragment for the kind of source, and a text directive for the
// quote. If c has neither, the link is base alone: no standard has a fragment for
// blocks, for cells and rows of a sheet or a database, or for a place in a member,
// part or message. Words in a member have no text directive, as they are in another
// file.
func (c *Citation) URL(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || strings.Contains(base, "#") || base == "" {
		return "", syntaxError("URL %s; write one without a fragment, such as https://example.org/book.pdf", message.Quote(base))
	}
	fragment := ""
	if standard, ok := c.standard(); ok {
		fragment = standard.value
	}
	if d := c.Directive(); d.Start != "" && c.Address.Location.Member == "" {
		fragment += directiveMark + d.String()
	}
	if fragment == "" {
		return u.String(), nil
	}
	return u.String() + "#" + fragment, nil
}

// A standardFragment is a fragment with the IRI of its standard.
type standardFragment struct{ value, conformsTo string }

// The IRIs of the standards of fragments, as the Web Annotation model lists
// them. The IRI for PDF is that of RFC 3778, which RFC 8118 replaces.
const (
	pdfStandard   = "http://tools.ietf.org/rfc/rfc3778"
	plainStandard = "http://tools.ietf.org/rfc/rfc5147"
	tableStandard = "http://tools.ietf.org/rfc/rfc7111"
	mediaStandard = "http://www.w3.org/TR/media-frags/"
)

// standard returns the location as a fragment of a standard, if one exists: the
// first of several pages, and the page of a box on a page. Columns have a
// fragment only if they are numbers, because the names are in the table. A place in
// a member, part or message has none.
func (c *Citation) standard() (standardFragment, bool) {
	loc := c.Address.Location
	if isInner(loc) {
		return standardFragment{}, false
	}
	if len(loc.Pages) > 0 {
		first := loc.Pages[0].First
		loc = citekit.Location{Modality: loc.Modality, Pages: []citekit.Range{{First: first, Last: first}}}
	}
	if value, err := PDFFragment(loc); err == nil {
		return standardFragment{value, pdfStandard}, true
	}
	if value, err := TextFragment(loc); err == nil {
		return standardFragment{value, plainStandard}, true
	}
	if cells, err := TableCells(loc, nil); err == nil {
		value, err := CSVFragment(cells...)
		return standardFragment{value, tableStandard}, err == nil
	}
	value, err := MediaFragment(loc)
	return standardFragment{value, mediaStandard}, err == nil
}
