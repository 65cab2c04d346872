package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

// errTruncated ends the mending at the end of a cut text.
var errTruncated = errors.New("truncated")

// A mender writes the value at pos of text as JSON.
type mender struct {
	text string
	pos  int
	out  []byte

	open  []byte // the closing characters of the objects and arrays around pos
	nodes int    // number of them that are objects in an array

	// Output that is whole: out up to safe, after closing what was open there.
	safe     int
	safeOpen []byte
}

// root mends the object or array at pos.
func (m *mender) root() error {
	err := m.value(false)
	if err == nil {
		if len(m.out) <= 2 {
			return errNoJSON // braces in prose
		}
		return nil
	}
	if !errors.Is(err, errTruncated) {
		return err
	}
	if m.safe == 0 {
		return errNoJSON
	}
	m.out = m.out[:m.safe]
	for i := len(m.safeOpen) - 1; i >= 0; i-- {
		m.out = append(m.out, m.safeOpen[i])
	}
	return nil
}

// whole records that the output so far is whole. Parts of an object in an array
// are not, except for objects in arrays of its own.
func (m *mender) whole() {
	m.safe = len(m.out)
	m.safeOpen = append(m.safeOpen[:0], m.open...)
}

// value mends a value. In an array, an object is an element that is kept whole
// or not at all.
func (m *mender) value(element bool) error {
	c, err := m.next()
	if err != nil {
		return err
	}
	switch {
	case c == '{':
		return m.object(element)
	case c == '[':
		return m.array()
	case c == '"' || c == '\'':
		return m.quoted(c)
	case c == '-' || c == '+' || c == '.' || '0' <= c && c <= '9':
		return m.number()
	case isWordStart(c):
		return m.word()
	}
	return errNoJSON
}

// next skips white space and comments, and returns the next character.
func (m *mender) next() (byte, error) {
	for m.pos < len(m.text) {
		rest := m.text[m.pos:]
		switch {
		case strings.IndexByte(" \t\r\n\v\f", rest[0]) >= 0:
			m.pos++
		case strings.HasPrefix(rest, "//"):
			m.skipPast("\n")
		case strings.HasPrefix(rest, "/*"):
			m.skipPast("*/")
		default:
			return rest[0], nil
		}
	}
	return 0, errTruncated
}

func (m *mender) skipPast(end string) {
	i := strings.Index(m.text[m.pos:], end)
	if i < 0 {
		m.pos = len(m.text)
		return
	}
	m.pos += i + len(end)
}

func (m *mender) enter(opener, closer byte) error {
	if len(m.open) >= maxAnswerDepth {
		return fmt.Errorf("an answer nested more than %d deep: %w", maxAnswerDepth, citekit.ErrTooLarge)
	}
	m.pos++
	m.out = append(m.out, opener)
	m.open = append(m.open, closer)
	return nil
}

func (m *mender) leave() {
	last := len(m.open) - 1
	m.out = append(m.out, m.open[last])
	m.open = m.open[:last]
}

func (m *mender) object(element bool) error {
	if err := m.enter('{', '}'); err != nil {
		return err
	}
	if element {
		m.nodes++
	}
	for first := true; ; {
		more, err := m.more()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if !first {
			m.out = append(m.out, ',')
		}
		first = false
		if err := m.member(); err != nil {
			return err
		}
		if m.nodes == 0 {
			m.whole()
		}
	}
	m.leave()
	if element {
		m.nodes--
	}
	return nil
}

func (m *mender) member() error {
	if err := m.key(); err != nil {
		return err
	}
	m.out = append(m.out, ':')
	c, err := m.next()
	if err != nil {
		return err
	}
	if c != ':' && c != '=' {
		return errNoJSON
	}
	m.pos++
	c, err = m.next()
	if err != nil {
		return err
	}
	if c == ',' || c == '}' || c == ']' {
		m.out = append(m.out, "null"...)
		return nil
	}
	return m.value(false)
}

// key mends a key, which may lack quotes.
func (m *mender) key() error {
	c, err := m.next()
	switch {
	case err != nil:
		return err
	case c == '"' || c == '\'':
		return m.quoted(c)
	case !isWordStart(c):
		return errNoJSON
	}
	word, err := m.scanWord()
	m.out = strconv.AppendQuote(m.out, word)
	return err
}

func (m *mender) array() error {
	if err := m.enter('[', ']'); err != nil {
		return err
	}
	for first := true; ; {
		more, err := m.more()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if !first {
			m.out = append(m.out, ',')
		}
		first = false
		object := m.text[m.pos] == '{'
		if err := m.value(true); err != nil {
			return err
		}
		if object || m.nodes == 0 {
			m.whole()
		}
	}
	m.leave()
	return nil
}

// more skips commas and reports whether another member or element follows
// before the end of the object or array. The end of a surrounding object or
// array also ends this one; an end that fits none is skipped.
func (m *mender) more() (bool, error) {
	for {
		c, err := m.next()
		if err != nil {
			return false, err
		}
		last := len(m.open) - 1
		switch {
		case c == ',' || c == ';':
			m.pos++
		case c == m.open[last]:
			m.pos++
			return false, nil
		case c != '}' && c != ']':
			return true, nil
		case bytes.IndexByte(m.open[:last], c) >= 0:
			return false, nil
		default:
			m.pos++
		}
	}
}

// quoted mends a string. Its end is a quote of the same kind.
func (m *mender) quoted(quote byte) error {
	m.out = append(m.out, '"')
	for m.pos++; m.pos < len(m.text); m.pos++ {
		switch c := m.text[m.pos]; {
		case c == quote:
			m.pos++
			m.out = append(m.out, '"')
			return nil
		case c == '\\':
			m.escape()
		case c == '"':
			m.out = append(m.out, '\\', '"')
		case c < 0x20:
			m.out = appendControl(m.out, c)
		default:
			m.out = append(m.out, c)
		}
	}
	return errTruncated
}

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(out, `\n`...)
	case '\t':
		return append(out, `\t`...)
	case '\r':
		return append(out, `\r`...)
	}
	return fmt.Appendf(out, `\u%04x`, c)
}

// escape mends the escape at pos, and ends at its last character. A backslash
// that escapes nothing is dropped.
func (m *mender) escape() {
	rest := m.text[m.pos+1:]
	switch {
	case rest == "":
	case strings.IndexByte(`"\/bfnrt`, rest[0]) >= 0:
		m.out = append(m.out, '\\', rest[0])
		m.pos++
	case rest[0] == 'u' && len(rest) > 4 && isHex(rest[1:5]):
		m.out = append(m.out, m.text[m.pos:m.pos+6]...)
		m.pos += 5
	case rest[0] == '\'':
		m.out = append(m.out, '\'')
		m.pos++
	}
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// number mends a number. A number at the end of the text may not be whole.
func (m *mender) number() error {
	end := m.pos
	for end < len(m.text) && strings.IndexByte("+-.0123456789eE_", m.text[end]) >= 0 {
		end++
	}
	if end == len(m.text) {
		return errTruncated
	}
	literal := m.text[m.pos:end]
	m.pos = end
	if isWordStart(m.text[end]) { // -Infinity, 12px
		_, err := m.scanWord()
		m.out = append(m.out, "null"...)
		return err
	}
	if json.Valid([]byte(literal)) {
		m.out = append(m.out, literal...)
		return nil
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(literal, "_", ""), 64)
	if err != nil || math.IsInf(v, 0) {
		m.out = append(m.out, "null"...)
		return nil
	}
	m.out = strconv.AppendFloat(m.out, v, 'f', -1, 64)
	return nil
}

// word mends a literal: the words for true and false in any case, and null for
// all others, such as NaN, None and undefined.
func (m *mender) word() error {
	word, err := m.scanWord()
	if err != nil {
		return err
	}
	switch strings.ToLower(word) {
	case "true", "false":
		m.out = append(m.out, strings.ToLower(word)...)
	case "null", "none", "nil", "nan", "infinity", "inf", "undefined":
		m.out = append(m.out, "null"...)
	default:
		return errNoJSON
	}
	return nil
}

func (m *mender) scanWord() (string, error) {
	start := m.pos
	for m.pos < len(m.text) && (isWordStart(m.text[m.pos]) || m.text[m.pos] == '-' || '0' <= m.text[m.pos] && m.text[m.pos] <= '9') {
		m.pos++
	}
	if m.pos == len(m.text) {
		return "", errTruncated
	}
	return m.text[start:m.pos], nil
}

func isWordStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}
