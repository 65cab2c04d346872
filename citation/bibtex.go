package citation

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// months are the macros of BibTeX.
var months = []string{"", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// latex maps characters to their form in TeX: those with a meaning in TeX, and
// those for which 7-bit fonts have other signs. Braces are written as commands,
// so that the braces of the entry stay balanced.
var latex = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\textbraceleft{}`, '}': `\textbraceright{}`, '~': `\textasciitilde{}`, '^': `\textasciicircum{}`,
	'<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`, '"': `\textquotedbl{}`, '`': `\textasciigrave{}`, '\'': `\textquotesingle{}`,
	'%': `\%`, '&': `\&`, '$': `\$`, '#': `\#`, '_': `\_`,
}

// BibTeX returns c as an entry "misc" of BibTeX and BibLaTeX in UTF-8. Its url
// is the address, without escapes for TeX; its note is the place, as [Place]
// returns it, unless pages say all of it; the quote is its annote, which styles do
// not print. An author in the form "Family, Given" is written in that form, any
// other author as one name. For an invalid address the error matches
// [citekit.ErrSyntax].
func (c *Citation) BibTeX() (string, error) {
	if err := c.Address.Validate(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("@misc{" + c.Key())
	field := func(name, value string) {
		if value != "" {
			b.WriteString(",\n  " + name + " = {" + value + "}")
		}
	}
	field("title", "{"+escapeLaTeX(c.title())+"}")
	field("author", strings.Join(c.bibtexNames(), " and "))
	c.Work.bibtexDate(field, func(month string) { b.WriteString(",\n  month = " + month) })
	field("chapter", escapeLaTeX(plain.Line(c.Work.Part)))
	field("pages", strings.ReplaceAll(strings.ReplaceAll(c.pages(), "-", "--"), ",", ", "))
	field("note", escapeLaTeX(c.note()))
	field("url", bibtexURL(c.Address.String()))
	field("annote", escapeLaTeX(plain.Line(c.Quote)))
	b.WriteString("\n}\n")
	return b.String(), nil
}

// note returns the place of c, or "" if pages say all of it.
func (c *Citation) note() string {
	if c.pages() != "" && c.Address.Location.Box.IsZero() {
		return ""
	}
	if how := c.transcribed(); how != "" {
		return c.place() + ", " + how
	}
	return c.place()
}

// pages returns the pages of the work that c cites as "3-5,9", or "". Pages of a
// member, part or message are not those of the work.
func (c *Citation) pages() string {
	l := c.Address.Location
	if isInner(l) {
		return ""
	}
	runs := make([]string, len(l.Pages))
	for i, run := range l.Pages {
		runs[i] = run.String()
	}
	return strings.Join(runs, ",")
}

// bibtexDate writes the year, and the month and day if they are known.
func (w Work) bibtexDate(field func(name, value string), month func(string)) {
	d, ok := w.date()
	if !ok {
		field("year", escapeLaTeX(plain.Line(w.Date)))
		return
	}
	field("year", strconv.Itoa(d.year))
	if d.month > 0 {
		month(months[d.month])
	}
	if d.day > 0 {
		field("day", strconv.Itoa(d.day))
	}
}

func (c *Citation) bibtexNames() []string {
	var names []string
	for _, name := range c.Work.Authors {
		parsed := cslNameOf(plain.Line(name))
		switch {
		case parsed.Literal != "":
			names = append(names, "{"+escapeLaTeX(parsed.Literal)+"}")
		case parsed.Family != "":
			names = append(names, "{"+escapeLaTeX(parsed.Family)+"}, {"+escapeLaTeX(parsed.Given)+"}")
		}
	}
	return names
}

// bibtexURL escapes braces. Only addresses of virtual nodes may have braces,
// and parsing does not restore them.
func bibtexURL(address string) string {
	return strings.NewReplacer("{", "%7B", "}", "%7D").Replace(address)
}

// escapeLaTeX escapes a text so that TeX prints it unchanged. It separates
// signs that would form a ligature.
func escapeLaTeX(text string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range text {
		if r == '-' && last == '-' {
			b.WriteString("{}")
		}
		if escaped, ok := latex[r]; ok {
			b.WriteString(escaped)
		} else {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// unescapeLaTeX is the opposite of escapeLaTeX. It drops braces and keeps
// unknown commands.
func unescapeLaTeX(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '\\' {
			if r, n := readCommand(text[i:]); n > 0 {
				b.WriteString(r)
				i += n
				continue
			}
		}
		if text[i] != '{' && text[i] != '}' {
			b.WriteByte(text[i])
		}
		i++
	}
	return b.String()
}

// commands maps the commands in latex to their characters.
var commands = func() map[string]string {
	commands := make(map[string]string, len(latex))
	for r, command := range latex {
		commands[strings.TrimSuffix(command, "{}")] = string(r)
	}
	commands[`\{`], commands[`\}`] = "{", "}"
	return commands
}()

// readCommand returns the character of the command at the start of a text, and
// the length of the command with the braces or the space that end it; 0 for an
// unknown command.
func readCommand(text string) (string, int) {
	n := 1
	for n < len(text) && 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z' {
		n++
	}
	if n == 1 {
		n = min(2, len(text))
	}
	r, ok := commands[text[:n]]
	switch {
	case !ok:
		return "", 0
	case n > 2 && strings.HasPrefix(text[n:], "{}"):
		n += 2
	case n > 2 && strings.HasPrefix(text[n:], " "):
		n++
	}
	return r, n
}

// ParseBibTeX returns the citations of the entries of a BibTeX file, in order.
// The address is in url, or in howpublished as \url{…}. A citation from an
// entry without these has no address. Comments, preambles and macro definitions
// are ignored. If text is not BibTeX, the error matches [citekit.ErrSyntax].
func ParseBibTeX(text string) ([]Citation, error) {
	var found []Citation
	p := &bibtexParser{text: text}
	for p.next() {
		fields, err := p.entry()
		if err != nil {
			return nil, err
		}
		if fields != nil {
			found = append(found, bibtexCitation(fields))
		}
	}
	if len(found) == 0 && strings.TrimSpace(text) != "" {
		return nil, syntaxError("%s is no BibTeX: no entry in it, such as @misc{key, title = {…}}", message.Quote(text))
	}
	return found, nil
}

func bibtexCitation(fields map[string]string) Citation {
	c := Citation{Quote: unescapeLaTeX(fields["annote"]), Work: Work{
		Title: unescapeLaTeX(fields["title"]), Part: unescapeLaTeX(fields["chapter"]), Date: bibtexDateOf(fields),
	}}
	for _, name := range splitNames(fields["author"]) {
		if name = plain.Line(unescapeLaTeX(name)); name != "" {
			c.Work.Authors = append(c.Work.Authors, name)
		}
	}
	target := fields["url"]
	if target == "" {
		target = strings.TrimSuffix(strings.TrimPrefix(fields["howpublished"], `\url{`), "}")
	}
	if a, err := citekit.ParseAddress(target); err == nil {
		c.Address = a
	} else {
		c.Work.Path = target
	}
	return c
}

func bibtexDateOf(fields map[string]string) string {
	year, err := strconv.Atoi(fields["year"])
	if err != nil || year < 1 || year > 9999 {
		return unescapeLaTeX(fields["year"] + fields["date"])
	}
	d := date{year: year}
	for month, name := range months {
		if value := strings.ToLower(fields["month"]); month > 0 && (value == name || value == strconv.Itoa(month)) {
			d.month = month
		}
	}
	if day, err := strconv.Atoi(fields["day"]); err == nil && day > 0 && day < 32 && d.month > 0 {
		d.day = day
	}
	return d.String()
}

// splitNames splits names at "and" outside braces.
func splitNames(text string) []string {
	var names []string
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '{':
			depth++
		case text[i] == '}':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], " and "):
			names, start = append(names, text[start:i]), i+len(" and ")
			i = start - 1
		}
	}
	return append(names, text[start:])
}

// A bibtexParser reads the entries of a file.
type bibtexParser struct {
	text string
	at   int
}

// next moves to the text after the "@" of the next entry.
func (p *bibtexParser) next() bool {
	i := strings.IndexByte(p.text[p.at:], '@')
	if i < 0 {
		return false
	}
	p.at += i + 1
	return true
}

// entry reads an entry. It returns nil for an entry without fields, such as a
// comment.
func (p *bibtexParser) entry() (map[string]string, error) {
	kind := strings.ToLower(p.word())
	p.space()
	if !p.take("{") && !p.take("(") || kind == "comment" || kind == "preamble" || kind == "string" {
		return nil, nil
	}
	if end := strings.IndexAny(p.text[p.at:], ",})"); end >= 0 {
		p.at += end
	}
	fields := make(map[string]string)
	for p.take(",") {
		p.space()
		name := strings.ToLower(p.word())
		p.space()
		if name == "" {
			break
		}
		if !p.take("=") {
			return nil, p.wrong("a field is written name = {value}")
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		if _, given := fields[name]; !given {
			fields[name] = value
		}
		p.space()
	}
	if !p.take("}") && !p.take(")") {
		return nil, p.wrong("the entry does not end")
	}
	return fields, nil
}

// value reads parts joined by "#".
func (p *bibtexParser) value() (string, error) {
	var value strings.Builder
	for {
		p.space()
		part, err := p.part()
		if err != nil {
			return "", err
		}
		value.WriteString(part)
		p.space()
		if !p.take("#") {
			return strings.TrimSpace(value.String()), nil
		}
	}
}

// part reads a text in braces or quotation marks, a number, or a macro without
// expanding it.
func (p *bibtexParser) part() (string, error) {
	quoted := p.take(`"`)
	if !quoted && !p.take("{") {
		if word := p.word(); word != "" {
			return word, nil
		}
		return "", p.wrong("a value stands in braces")
	}
	start, depth := p.at, 0
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case depth == 0 && (quoted && c == '"' || !quoted && c == '}'):
			p.at++
			return p.text[start : p.at-1], nil
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	p.at = start
	return "", p.wrong("its braces do not end")
}

func (p *bibtexParser) space() { p.at = skipSpace(p.text, p.at) }

func (p *bibtexParser) take(sign string) bool {
	if !strings.HasPrefix(p.text[p.at:], sign) {
		return false
	}
	p.at += len(sign)
	return true
}

// word reads letters, digits and the signs allowed in names of fields.
func (p *bibtexParser) word() string {
	start := p.at
	for p.at < len(p.text) && (!isPunctuation(p.text[p.at]) && p.text[p.at] > ' ' || strings.IndexByte("-_:.+/", p.text[p.at]) >= 0) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *bibtexParser) wrong(what string) error {
	line := 1 + strings.Count(p.text[:p.at], "\n")
	return syntaxError("line %d of the BibTeX, at %s: %s", line, message.Quote(p.text[p.at:]), what)
}
