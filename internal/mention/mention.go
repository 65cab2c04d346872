// Package mention finds the addresses in a text written for people: bare, in
// brackets, in links, in footnotes. It reports where each address is and how it
// is written, so that a caller can check or replace it.
package mention

import (
	"iter"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// A Mention is an address in a text. Offsets are in bytes of the text, from 0;
// To is exclusive.
type Mention struct {
	From, To int // the address as written

	// Fragment is the offset of its "#", or To.
	Fragment int

	Line int // from 1

	// Address is the parsed address; zero if Err is not nil.
	Address citekit.Address

	// Err is why something that looks like an address of a known modality is
	// invalid.
	Err error

	Fenced  bool // in a fenced block of code, in Markdown
	Escaped bool // with "&amp;" for "&"
}

const (
	maxScheme  = 64       // bytes
	maxAddress = 64 << 10 // bytes; a longer one is ignored
	maxTrim    = 4        // signs after an address that may not belong to it
)

// Find yields the addresses of a text in order. An address ends before the
// first character that cannot be part of one, and before punctuation that ends
// a sentence. Addresses within URLs and within virtual addresses are not
// yielded. It takes linear time.
func Find(text string) iter.Seq[Mention] {
	return func(yield func(Mention) bool) {
		var f fences
		line, start := 0, 0
		for l := range strings.Lines(text) {
			line++
			fenced := f.next(l)
			if !findInLine(l, func(m Mention) bool {
				m.From, m.To, m.Fragment = m.From+start, m.To+start, m.Fragment+start
				m.Line, m.Fenced = line, fenced
				return yield(m)
			}) {
				return
			}
			start += len(l)
		}
	}
}

// findInLine yields the addresses of a line and reports whether to continue.
func findInLine(line string, yield func(Mention) bool) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], "://")
		if i < 0 {
			return true
		}
		body := at + i + len("://")
		from := schemeStart(line[at:at+i]) + at
		scheme := line[from : at+i]
		if scheme == "" {
			at = body
			continue
		}
		if !mayBeOurs(scheme) {
			at = body + urlEnd(line[body:])
			continue
		}
		m, ok := read(line, from, body)
		if ok && !yield(m) {
			return false
		}
		at = max(m.To, body)
	}
}

// schemeStart returns the start of the scheme at the end of a text.
func schemeStart(before string) int {
	i := len(before)
	for i > 0 && len(before)-i < maxScheme && isSchemeByte(before[i-1]) {
		i--
	}
	return i
}

func isSchemeByte(c byte) bool {
	return isAlphanumeric(c) || c == '+' || c == '.'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// mayBeOurs reports whether a scheme may be that of an address. It is false for
// schemes whose rest has no rules.
func mayBeOurs(scheme string) bool {
	_, err := citekit.ParseAddress(scheme + "://x")
	return err == nil && scheme != string(citekit.Virtual)
}

// urlEnd returns approximately where a URL ends.
func urlEnd(s string) int {
	if i := strings.IndexAny(s, " \t\r\n<>()[]{}\"'`|"); i >= 0 {
		return i
	}
	return len(s)
}

// read reads the address whose scheme begins at from and whose id begins at body.
func read(line string, from, body int) (Mention, bool) {
	m := Mention{From: from}
	m.Fragment = body + runEnd(line[body:], isIDByte)
	m.To = m.Fragment
	if m.To < len(line) && line[m.To] == '#' {
		m.To += 1 + runEnd(line[m.To+1:], isFragmentByte)
	}
	if m.Fragment == body || m.To-m.From > maxAddress {
		return m, false
	}
	opened := byte(0)
	if from > 0 {
		opened = line[from-1]
	}
	var err error
	for range maxTrim {
		m.To = trim(line[:m.To], body, opened)
		m.Fragment = min(m.Fragment, m.To)
		if m.Address, err = parse(line[from:m.To]); err == nil {
			m.Escaped = strings.Contains(line[from:m.To], "&amp;")
			return m, true
		}
		if last := line[m.To-1]; isAlphanumeric(last) || m.To-1 <= body {
			break
		}
		m.To--
	}
	m.Err, m.Fragment = err, min(m.Fragment, m.To)
	scheme, _, _ := strings.Cut(line[from:], "://")
	return m, scheme == "doc" || slices.Contains(citekit.Modalities(), citekit.Modality(scheme))
}

// trim returns the end of a text without the punctuation at its end, and
// without the sign of emphasis that opened it. It keeps everything before
// least.
func trim(text string, least int, opened byte) int {
	end := len(text)
	for end > least+1 && strings.IndexByte(".,:&", text[end-1]) >= 0 {
		end--
	}
	for opened == '_' || opened == '~' {
		if end <= least+1 || text[end-1] != opened {
			break
		}
		end--
	}
	return end
}

// parse parses an address as written in Markdown and HTML.
func parse(written string) (citekit.Address, error) {
	return citekit.ParseAddress(strings.ReplaceAll(strings.ReplaceAll(written, "&amp;", "&"), `\`, ""))
}

// runEnd returns the length of the run of bytes at the start of s for which
// belongs returns true. A backslash before such a byte is an escape of Markdown
// and included.
func runEnd(s string, belongs func(byte) bool) int {
	i := 0
	for i < len(s) {
		switch {
		case belongs(s[i]):
			i++
		case s[i] == '&' && belongs('='):
			i += len("&")
			if strings.HasPrefix(s[i:], "amp;") {
				i += len("amp;")
			}
		case s[i] == '\\' && i+1 < len(s) && !isAlphanumeric(s[i+1]) && (belongs(s[i+1]) || s[i+1] == '&' && belongs('=')):
			i++
		default:
			return i
		}
	}
	return i
}

func isIDByte(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("._~-%", c) >= 0 }

func isFragmentByte(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("=,.:-", c) >= 0 }
