package markup

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/plain"
)

// readOrg reads Org. Headings are stars at the start of a line. Their keyword,
// priority and tags are not part of the title.
func readOrg(ctx context.Context, src []byte, doc *outline) error {
	r := orgReader{doc: doc, keywords: []string{"TODO", "DONE"}, body: true}
	if bytes.Contains(src, []byte(":")) {
		r.findKeywords(src)
	}
	err := eachLine(ctx, src, r.read)
	r.endParagraph()
	return err
}

type orgReader struct {
	doc      *outline
	keywords []string // TODO states
	block    string   // line that ends the current block, in lower case
	prose    []byte
	body     bool // whether no text was found yet
	list     bool // whether the paragraph is an item of a list
}

// maxKeywords is how many TODO states a file may define.
const maxKeywords = 100

// findKeywords reads the TODO states that the file defines instead of the usual
// ones.
func (r *orgReader) findKeywords(src []byte) {
	var defined []string
	for _, line := range linesOf(src) {
		key, value, ok := orgKeyword(line)
		if !ok || key != "todo" && key != "seq_todo" && key != "typ_todo" {
			continue
		}
		for word := range strings.FieldsSeq(plain.Cut(value, maxInline)) {
			word, _, _ = strings.Cut(word, "(")
			if word != "|" && word != "" && len(defined) < maxKeywords {
				defined = append(defined, word)
			}
		}
	}
	if len(defined) > 0 {
		r.keywords = defined
	}
}

// orgKeyword returns the value of "#+KEY: value", and its key in lower case.
func orgKeyword(line []byte) (key, value string, ok bool) {
	line = bytes.TrimLeft(line, " \t")
	if !bytes.HasPrefix(line, []byte("#+")) {
		return "", "", false
	}
	before, after, ok := bytes.Cut(line[2:], []byte(":"))
	if !ok || len(before) > 40 || bytes.ContainsAny(before, " \t") {
		return "", "", false
	}
	return strings.ToLower(string(before)), strings.TrimSpace(string(after)), true
}

func (r *orgReader) read(number int, line []byte) {
	if level := orgStars(line); level > 0 {
		r.endParagraph()
		r.block = ""
		r.doc.add(heading{level: level, line: number, title: r.title(string(line[level:]))})
		r.body = false
		return
	}
	text := bytes.TrimLeft(line, " \t")
	switch {
	case r.block != "":
		if strings.EqualFold(string(text[:min(len(text), len(r.block))]), r.block) {
			r.block = ""
		}
	case len(text) == 0:
		r.endParagraph()
	case bytes.HasPrefix(text, []byte("#+")), text[0] == '#' && (len(text) == 1 || text[1] == ' '):
		r.endParagraph()
		r.keyword(number, text)
	case text[0] == ':' && isDrawer(text):
		r.endParagraph()
		if !bytes.EqualFold(text, []byte(":end:")) {
			r.block = ":end:"
		}
	case text[0] == '|', text[0] == ':' && (len(text) == 1 || text[1] == ' '), isPlanning(text), isRun(text, 5) && text[0] == '-':
		r.endParagraph()
	default:
		r.text(line)
	}
}

// keyword reads the document title, and skips settings and the start of a
// block.
func (r *orgReader) keyword(number int, text []byte) {
	lower := strings.ToLower(string(text[:min(len(text), 100)]))
	if name, ok := strings.CutPrefix(lower, "#+begin_"); ok {
		if kind := strings.Fields(name + " "); len(kind) > 0 && kind[0] != "quote" {
			r.block = "#+end_" + kind[0]
		}
		return
	}
	if key, value, ok := orgKeyword(text); ok {
		r.setting(key, plain.Cut(value, maxInline))
	}
	if r.body && len(r.doc.headings) == 0 {
		r.doc.bodyLine = number + 1
	}
}

// setting records what the document says about itself.
func (r *orgReader) setting(key, value string) {
	switch key {
	case "title":
		if r.doc.title == "" {
			r.doc.title = orgText(value)
		}
	case "author":
		r.doc.facts.AddAuthors(orgText(value))
	case "date":
		r.doc.facts.AddDate(strings.Trim(value, "<>[]"))
	case "keywords":
		r.doc.facts.AddKeywordList(value)
	case "filetags":
		r.doc.facts.AddKeywords(strings.Split(value, ":")...)
	}
}

// orgStars returns the level of a heading, or 0.
func orgStars(line []byte) int {
	if len(line) == 0 || line[0] != '*' {
		return 0
	}
	n := runLength(line)
	if n == len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

var orgTags = lazyregexp.New(`(^|[ \t]+):[\pL\pN_@#%:]+:$`)

var orgPriority = lazyregexp.New(`^\[#[A-Z0-9]{1,2}\]\s*`)

// title returns the title of a heading without its stars.
func (r *orgReader) title(s string) string {
	s = strings.TrimSpace(plain.Cut(s, maxInline))
	for _, word := range r.keywords {
		if rest, ok := strings.CutPrefix(s, word); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			s = strings.TrimSpace(rest)
			break
		}
	}
	s = orgPriority.ReplaceAllString(s, "")
	if rest, ok := strings.CutPrefix(s, "COMMENT "); ok {
		s = rest
	}
	return orgText(orgTags.ReplaceAllString(s, ""))
}

// isDrawer reports whether a line is ":NAME:".
func isDrawer(text []byte) bool {
	if len(text) < 3 || text[len(text)-1] != ':' {
		return false
	}
	return !slices.ContainsFunc(text[1:len(text)-1], func(c byte) bool {
		return !isAlnum(c) && c != '-' && c != '_'
	})
}

func isPlanning(text []byte) bool {
	return slices.ContainsFunc([]string{"SCHEDULED:", "DEADLINE:", "CLOSED:", "CLOCK:"}, func(word string) bool {
		return bytes.HasPrefix(text, []byte(word))
	})
}

var orgItem = lazyregexp.New(`^[ \t]*([-+]|[ \t]\*|\d+[.)]|[a-zA-Z][.)])([ \t]|$)`)

func (r *orgReader) text(line []byte) {
	r.body = false
	if orgItem.Match(line[:min(len(line), 100)]) {
		r.endParagraph()
		r.list = true
	}
	if len(r.prose) < maxProse && !r.list {
		r.prose = append(append(r.prose, line[:min(len(line), maxProse)]...), '\n')
	}
}

func (r *orgReader) endParagraph() {
	if len(r.prose) > 0 && r.doc.wantsProse() {
		r.doc.addProse(orgText(string(r.prose)))
	}
	r.prose, r.list = r.prose[:0], false
}

var (
	orgLink = lazyregexp.New(`\[\[([^\[\]]+)\](?:\[([^\[\]]+)\])?\]`)
	orgNote = lazyregexp.New(`\[fn:[^\[\]]*\]|<<<?[^<>]+>>>?`)
)

// orgText returns the text that the inline markup of Org displays.
func orgText(s string) string {
	s = plain.Line(plain.Cut(s, maxInline))
	if !strings.ContainsAny(s, "*/_=~+[<") {
		return s
	}
	if strings.ContainsAny(s, "[<") {
		s = orgNote.ReplaceAllString(s, "")
	}
	s = orgLink.ReplaceAllStringFunc(s, func(link string) string {
		parts := orgLink.FindStringSubmatch(link)
		if parts[2] != "" {
			return parts[2]
		}
		return parts[1]
	})
	return plain.Line(orgMarks().strip(s))
}

func orgMarks() *marks {
	return &marks{
		set:    "*/_=~+",
		opens:  func(before rune) bool { return strings.ContainsRune(" -({'\"", before) },
		closes: func(after rune) bool { return strings.ContainsRune(" -.,;:!?'\")}[", after) },
	}
}
