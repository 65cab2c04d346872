package markup

import "bytes"

// A paragraph is the paragraph being read.
type paragraph struct {
	line       int    // number of its first line
	start, end int    // offsets in the source, if it is in no container
	last       span   // its last line
	refs       []byte // its text, if it begins with "["
	text       []byte // its text, if inline is set
}

func (b *blocks) startParagraph() {
	b.leaf = paragraphLeaf
	b.para = paragraph{line: b.number, start: b.at(), refs: b.para.refs[:0], text: b.para.text[:0]}
	b.extendParagraph()
}

func (b *blocks) extendParagraph() {
	rest := b.rest()
	if rest[0] == '[' && b.para.last == (span{}) || len(b.para.refs) > 0 {
		b.para.refs = append(append(b.para.refs, rest...), '\n')
	}
	if b.inline != nil {
		b.para.text = append(append(b.para.text, rest...), '\n')
	}
	b.para.last = span{b.at(), b.at() + len(rest)}
	b.para.end = b.para.last.end
}

// takeReferences removes link definitions from the start of the open paragraph,
// and reports whether anything is left.
func (b *blocks) takeReferences() bool {
	if len(b.para.refs) == 0 {
		return true
	}
	text := b.para.refs
	for len(text) > 0 {
		label, destination, rest, ok := cutReference(text)
		if !ok {
			break
		}
		b.refs(label, destination)
		text = rest
	}
	if b.inline != nil {
		b.para.text = b.para.text[len(b.para.refs)-len(text):]
	}
	taken := bytes.Count(b.para.refs[:len(b.para.refs)-len(text)], []byte("\n"))
	b.para.line += taken
	for range taken {
		i := bytes.IndexByte(b.src[b.para.start:], '\n')
		if i < 0 {
			b.para.start = len(b.src)
			break
		}
		b.para.start += i + 1
	}
	b.para.refs = b.para.refs[:0]
	return len(text) > 0
}

// addParagraph records the position of a section's text.
func (b *blocks) addParagraph(s span) {
	h := b.doc.current()
	if h == nil || h.source.proses == len(h.source.prose) {
		return
	}
	s.end = min(s.end, s.start+maxMarkdown)
	h.source.prose[h.source.proses] = s
	h.source.proses++
}
