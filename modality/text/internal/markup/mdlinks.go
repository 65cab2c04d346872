package markup

import (
	"bytes"
	"context"
	"strings"

	"github.com/yuin/goldmark/util"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// findMarkdownLinks reads CommonMark with the tables and URIs of GFM. It reads
// the source twice, because links may be used before they are defined.
func findMarkdownLinks(ctx context.Context, src []byte, set *linkset.Set) error {
	refs := mdReferences{}
	first := frontMatter(src).lines + 1
	definitions := blocks{src: src, doc: newOutline(src), refs: refs.define}
	if err := definitions.scan(ctx, first); err != nil {
		return err
	}
	l := &mdLinker{set: set, refs: refs, inliner: newInliner()}
	texts := blocks{src: src, doc: newOutline(src), refs: func(string, string) {}, inline: l.inline, markup: l.markup}
	err := texts.scan(ctx, first)
	l.endMarkup()
	return err
}

// mdReferences maps normalised labels to link destinations.
type mdReferences map[string]string

func (r mdReferences) define(label, destination string) {
	key := util.ToLinkReference([]byte(label))
	if _, defined := r[key]; defined || len(r) >= maxReferences {
		return
	}
	r[key] = mdDestination(destination)
}

// mdDestination returns a destination without its angle brackets, with
// backslash escapes and character references decoded.
func mdDestination(written string) string {
	if strings.HasPrefix(written, "<") {
		written = written[1 : len(written)-1]
	}
	if strings.ContainsAny(written, `\&`) {
		written = string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(written)))))
	}
	return written
}

// An mdLinker finds the links in the blocks of a document.
type mdLinker struct {
	set     *linkset.Set
	refs    mdReferences
	inliner *inliner

	onlyMarked bool // HTML and URIs in prose are ignored

	html      []byte // text of the current HTML block
	htmlFirst int    // its first line
	htmlLines int
}

// inline finds the links in the text of a block.
func (l *mdLinker) inline(line int, text []byte) {
	if !l.set.Full() {
		s := mdScanner{mdLinker: l, text: bytes.TrimRight(text, "\n"), line: line}
		s.scan()
	}
}

// markup collects the lines of an HTML block.
func (l *mdLinker) markup(number int, line []byte) {
	if number != l.htmlFirst+l.htmlLines {
		l.endMarkup()
		l.htmlFirst = number
	}
	l.html = append(append(l.html, line...), '\n')
	l.htmlLines++
}

func (l *mdLinker) endMarkup() {
	if len(l.html) > 0 {
		addHTMLLinks(context.Background(), l.html, l.htmlFirst, l.set)
	}
	l.html, l.htmlLines = l.html[:0], 0
}

// tell reports text on one line to inline.
func (b *blocks) tell(line int, text []byte) {
	if b.inline != nil {
		b.inline(line, bytes.Trim(text, " \t"))
	}
}

// tellParagraph reports the current paragraph.
func (b *blocks) tellParagraph() {
	if b.inline != nil && len(b.para.text) > 0 {
		b.inline(b.para.line, b.para.text)
	}
	b.para.text = b.para.text[:0]
}

// tellHead reports the head of a table, which is the last line of the
// paragraph, and removes it from the paragraph.
func (b *blocks) tellHead() {
	if b.inline == nil {
		return
	}
	head := b.src[b.para.last.start:b.para.last.end]
	b.para.text = b.para.text[:max(0, len(b.para.text)-len(head)-1)]
	b.tellParagraph()
	b.tellRow(b.number-1, head)
}

// tellRow reports the cells of a table row (GFM 4.10).
func (b *blocks) tellRow(line int, row []byte) {
	if b.inline == nil {
		return
	}
	row = bytes.TrimPrefix(bytes.Trim(row, " \t"), []byte("|"))
	start := 0
	for i := 0; i <= len(row); i++ {
		switch {
		case i < len(row) && row[i] == '\\':
			i++
			if i < len(row) {
				continue
			}
		case i < len(row) && row[i] != '|':
			continue
		}
		if cell := row[start:min(i, len(row))]; len(cell) > 0 {
			b.tell(line, bytes.ReplaceAll(cell, []byte(`\|`), []byte("|")))
		}
		start = i + 1
	}
}

// tellHTML reports a line of an HTML block.
func (b *blocks) tellHTML() {
	if b.markup != nil {
		b.markup(b.number, b.line[b.offset:])
	}
}
