package citedtext

import (
	"iter"
	"strings"
	"unicode/utf8"

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

	// Err is why something that looks like an address is invalid.
	Err error

	// Modality is that of the scheme, also if the address is invalid; it may be one
	// that nobody has. ID is the id of the resource; if the address is invalid, as
	// written.
	Modality citekit.Modality
	ID       string

	Fenced bool   // in a fenced block of code, in Markdown
	And    string // how its first "&" is written, such as "&amp;" or "\u0026"; "" without one
}

const (
	maxScheme  = 64       // bytes
	maxAddress = 64 << 10 // bytes; a longer one is ignored
	maxTrim    = 4        // signs after an address that may not belong to it
	maxOpening = 512      // bytes before an address in which an emphasis around it begins
)

// Mentions yields the addresses of a text in order. An address ends before the
// first character that cannot be part of one, and before punctuation that ends
// a sentence, unless the same word goes on with a parameter: then the address
// has all of the word, and may be invalid. Addresses within URLs and within virtual addresses are not
// yielded. Letters of all scripts belong to names, but those of Chinese, Japanese,
// Thai and other scripts without capitals end an address that ends in a letter or
// digit of ASCII: they are the text around it. Schemes of built-in modalities in
// other letters, and "document", are yielded as invalid. It takes linear time.
func Mentions(text string) iter.Seq[Mention] {
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
	if i > 0 && before[i-1] == '\\' { // the first letters may be of an escape of JSON, such as "\n"
		for _, n := range []int{len("n"), len("u003c")} {
			if n < len(before)-i && isOurs(before[i+n:]) {
				return i + n
			}
		}
	}
	return i
}

func isSchemeByte(c byte) bool {
	return isAlphanumeric(c) || c == '+' || c == '.'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// mayBeOurs reports whether a scheme may be meant as that of an address. It is
// false for schemes whose rest has no rules.
func mayBeOurs(scheme string) bool {
	if scheme = strings.ToLower(scheme); scheme == string(citekit.Virtual) {
		return false
	}
	_, err := citekit.ParseAddress(scheme + "://x")
	return err == nil || isOurs(scheme)
}

// modalityOf returns the modality that a scheme is meant to name.
func modalityOf(scheme string) citekit.Modality {
	if scheme = strings.ToLower(scheme); scheme == "doc" {
		return citekit.Document
	}
	return citekit.Modality(scheme)
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
	m := Mention{From: from, Modality: modalityOf(line[from : body-len("://")])}
	m.Fragment = body + runEnd(line[body:], idChars)
	var and string
	if m.Fragment < len(line) && line[m.Fragment] == '#' {
		var n int
		n, and = fragmentEnd(line[m.Fragment+1:])
		m.To = m.Fragment + 1 + n
	} else {
		m.Fragment = body + withoutText(line[body:m.Fragment])
		m.To = m.Fragment
	}
	if m.Fragment == body || m.To-m.From > maxAddress {
		return m, false
	}
	var err error
	whole := isEnclosed(line, m.From, m.To)
	for range maxTrim {
		if !whole {
			m.To = trim(line, m.From, body, m.To)
		}
		whole = false
		if m.Address, err = parse(line[from:m.To]); err == nil {
			m.Fragment, m.ID = min(m.Fragment, m.To), m.Address.Resource
			if strings.Contains(line[m.Fragment:m.To], and) {
				m.And = and
			}
			return m, true
		}
		if last := line[m.To-1]; isAlphanumeric(last) || last >= utf8.RuneSelf || m.To-1 <= body {
			break
		}
		m.To--
	}
	m.Err, m.Fragment = err, min(m.Fragment, m.To)
	m.ID = line[body:m.Fragment]
	return m, true
}

// isOurs reports whether a scheme is that of a built-in modality.
func isOurs(scheme string) bool {
	return scheme == "doc" || citekit.Modality(scheme).BuiltIn()
}

// isEnclosed reports whether a part of a line is all that is in angle brackets,
// the destination of a link or an attribute of HTML: no sign at its end belongs
// to a sentence.
func isEnclosed(line string, from, to int) bool {
	before, after := line[:from], line[to:]
	return strings.HasSuffix(before, "<") && strings.HasPrefix(after, ">") ||
		strings.HasSuffix(before, `="`) && strings.HasPrefix(after, `"`) ||
		strings.HasSuffix(before, "](") && (strings.HasPrefix(after, ")") || len(after) > 1 && after[0] == ' ' && strings.IndexByte(`"'(`, after[1]) >= 0)
}

// trim returns the end of the address in a line without the punctuation at its
// end, and without the sign of an emphasis that is open. It keeps everything
// before least.
func trim(line string, from, least, end int) int {
	for end > least+1 {
		switch c := line[end-1]; c {
		case '.', ',', ':', '&', '!':
		case '_', '~':
			if !opens(line[:from], c) {
				return end
			}
			for end > least+1 && line[end-1] == c {
				end--
			}
			continue
		default:
			return end
		}
		end--
	}
	return end
}

// opens reports whether an emphasis with a sign is open at the end of a text.
func opens(before string, sign byte) bool {
	before = before[max(0, len(before)-maxOpening):]
	for end := len(before); ; {
		to := strings.LastIndexByte(before[:end], sign) + 1
		if to == 0 {
			return false
		}
		from := len(strings.TrimRight(before[:to], string(sign)))
		if from == 0 || strings.IndexByte(" \t([{<>\"'*_~|", before[from-1]) >= 0 || before[from-1] >= utf8.RuneSelf {
			return to == len(before) || before[to] > ' '
		}
		if to == len(before) || !isAlphanumeric(before[to]) { // it ends an emphasis
			return false
		}
		end = from
	}
}
