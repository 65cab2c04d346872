package subtitle

import "bytes"

// sampleBytes is how much of a file is examined to decide whether CR alone ends lines.
const sampleBytes = 64 << 10

// lines yields the numbered lines of a text.
type lines struct {
	rest   []byte
	cr     bool // CR alone also ends a line
	number int  // number of the line that next returned, from 1
}

func newLines(src []byte) *lines {
	return &lines{cr: usesCR(src), rest: src}
}

// usesCR reports whether CR alone ends lines: every LF follows a CR, and most CRs stand
// alone.
func usesCR(src []byte) bool {
	if len(src) > sampleBytes { // a final CR may be half of a CRLF
		src = bytes.TrimSuffix(src[:sampleBytes], []byte("\r"))
	}
	pairs := bytes.Count(src, []byte("\r\n"))
	return bytes.Count(src, []byte("\n")) == pairs && bytes.Count(src, []byte("\r")) > 2*pairs
}

// next returns the next line without its end, or false if there is none.
func (l *lines) next() ([]byte, bool) {
	if len(l.rest) == 0 {
		return nil, false
	}
	if l.number == 0 {
		l.rest = bytes.TrimPrefix(l.rest, []byte("\ufeff"))
	}
	l.number++
	line := l.rest
	end := bytes.IndexByte(line, '\n')
	if l.cr {
		end = bytes.IndexAny(line, "\r\n")
	}
	if end < 0 {
		l.rest = nil
		return bytes.TrimSuffix(line, []byte("\r")), true
	}
	width := 1
	if bytes.HasPrefix(line[end:], []byte("\r\n")) {
		width = 2
	}
	l.rest = line[end+width:]
	return bytes.TrimSuffix(line[:end], []byte("\r")), true
}
