package mail

import (
	"encoding/base64"
	"strings"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/internal/plain"
)

// decodeWords returns the text of a field with its encoded words decoded
// (RFC 2047), on one line. Words of one charset that follow one another are
// decoded as one, because some programs cut characters between them. Other bytes
// that are not ASCII are taken for UTF-8 or windows-1252.
func decodeWords(value string) string {
	var w words
	for rest := value; rest != ""; {
		before, after, found := strings.Cut(rest, "=?")
		if !found {
			w.raw(rest)
			break
		}
		name, word, tail, ok := encodedWord(after)
		if !ok {
			w.raw(before + "=?")
			rest = after
			continue
		}
		if len(w.held) == 0 || strings.Trim(before, " \t\r\n") != "" {
			w.raw(before)
		}
		if name != w.charset {
			w.flush()
		}
		w.charset, w.held = name, append(w.held, word...)
		rest = tail
	}
	w.flush()
	return plain.Line(w.out.String())
}

// words is a text in the making, with the bytes of encoded words that may go on.
type words struct {
	out     strings.Builder
	charset string
	held    []byte
}

func (w *words) flush() {
	if len(w.held) > 0 {
		w.out.WriteString(decodeText(w.charset, w.held))
	}
	w.held = nil
}

func (w *words) raw(text string) {
	w.flush()
	w.out.WriteString(charset.UTF8([]byte(text)))
}

// maxWord is the longest encoded word in bytes that is read: RFC 2047 allows
// 75, and some programs write a whole field as one.
const maxWord = 64 << 10

// encodedWord decodes the word that text begins with, without its "=?".
func encodedWord(text string) (charset string, word []byte, rest string, ok bool) {
	charset, after, ok := strings.Cut(text[:min(len(text), maxWord)], "?")
	if !ok || len(charset) > maxLabel || len(after) < 2 || after[1] != '?' {
		return "", nil, "", false
	}
	encoding := after[0]
	content, _, ok := strings.Cut(after[2:], "?=")
	if !ok {
		return "", nil, "", false
	}
	rest = text[len(charset)+len("?Q?")+len(content)+len("?="):]
	charset, _, _ = strings.Cut(strings.ToLower(charset), "*") // its language: RFC 2231, section 5
	switch encoding {
	case 'B', 'b':
		word = decodeBase64(content)
	case 'Q', 'q':
		word = appendUnescaped(nil, []byte(strings.ReplaceAll(content, "_", " ")), '=')
	default:
		return "", nil, "", false
	}
	return charset, word, rest, true
}

// decodeBase64 decodes as much as is right.
func decodeBase64(text string) []byte {
	text = strings.Map(func(c rune) rune {
		if c < 0x80 && isBase64(byte(c)) {
			return c
		}
		return -1
	}, text)
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	out, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return out
}

func isBase64(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/'
}
