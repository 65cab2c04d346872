package code

import "bytes"

// docText returns the text of a comment. If the comment is XML, as in C#, it
// returns the text of the summary.
func docText(comment []byte) string {
	const open, close = "<summary>", "</summary>"
	_, rest, ok := bytes.Cut(comment, []byte(open))
	if !ok {
		return commentText(comment)
	}
	summary, _, _ := bytes.Cut(rest, []byte(close))
	return commentText(withoutTags(summary[:min(len(summary), docBytes)]))
}

// withoutTags returns the text without XML tags. A tag that only refers to
// something is replaced by the name it refers to.
func withoutTags(text []byte) []byte {
	var b []byte
	for len(text) > 0 {
		i := bytes.IndexByte(text, '<')
		if i < 0 {
			return append(b, text...)
		}
		b = append(b, text[:i]...)
		end := bytes.IndexByte(text[i:], '>')
		if end < 0 {
			return append(b, text[i:]...)
		}
		b = append(b, reference(text[i:i+end])...)
		text = text[i+end+1:]
	}
	return b
}

// reference returns what a tag refers to: the value of its first attribute, if
// that attribute is a reference.
func reference(tag []byte) []byte {
	for _, attribute := range []string{`cref="`, `name="`, `langword="`} {
		if _, value, ok := bytes.Cut(tag, []byte(attribute)); ok {
			value, _, _ = bytes.Cut(value, []byte{'"'})
			return value
		}
	}
	return nil
}

// fileDoc returns the text of the comment at the start of a source, if a blank
// line separates it from the first declaration and it is not a copyright notice.
func fileDoc(src []byte) string {
	rest := bytes.TrimLeft(src, " \t\n")
	start := len(src) - len(rest)
	l := lexer{src: src, syntax: &syntax{}}
	end := start
	for at := start; at < len(src) && src[at] == '/'; {
		next := l.commentEnd(at)
		if next == at {
			return ""
		}
		end = next
		at = spaceEnd(src, next)
		if at < len(src) && src[at] == '\n' {
			at++
		}
	}
	if end == start || !bytes.HasPrefix(bytes.TrimLeft(src[end:], " \t"), []byte("\n\n")) || isNotice(src[start:end]) {
		return ""
	}
	return docText(src[start:end])
}
