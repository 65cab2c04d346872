package text

import (
	"bytes"

	"github.com/citekit/citekit/internal/lineform"
)

// A rowScanner finds where the rows of comma-separated values end, in the bytes
// of any charset.
type rowScanner struct {
	coding    textEncoding
	delimiter byte
	double    bool // characters of two bytes may end in a byte of ASCII
	switching bool // ISO 2022

	state   lineform.FieldState
	escaped bool // ASCII bytes are parts of characters, up to an escape or a line end
}

func newRowScanner(c textEncoding, delimiter byte) rowScanner {
	s := rowScanner{coding: c, delimiter: delimiter}
	switch c.charset {
	case "shift_jis", "big5", "gb18030":
		s.double = true
	case "iso-2022-jp", "iso-2022-kr":
		s.switching = true
	}
	return s
}

// otherChar stands for all characters that are not ASCII.
const otherChar = 0x80

// char returns the first character of buf and its length in bytes.
func (s *rowScanner) char(buf []byte) (c byte, size int) {
	switch {
	case s.coding.width > 1:
		if len(buf) < s.coding.width {
			return otherChar, len(buf)
		}
		if u := s.coding.unit(buf); u < otherChar {
			return byte(u), s.coding.width
		}
		return otherChar, s.coding.width
	case s.switching:
		return s.switched(buf), 1
	case s.double && buf[0] > otherChar && len(buf) > 1 && buf[1] >= 0x40 && !s.single(buf[0]):
		return otherChar, 2
	}
	return buf[0], 1
}

// single reports whether a byte is a whole character in Shift JIS.
func (s *rowScanner) single(b byte) bool {
	return s.coding.charset == "shift_jis" && (0xa1 <= b && b <= 0xdf || b > 0xfc)
}

// switched returns the first byte of buf if it is an ASCII character.
func (s *rowScanner) switched(buf []byte) byte {
	switch c := buf[0]; c {
	case '\n', '\r':
		s.escaped = false
		return c
	case shiftOut:
		s.escaped = true
	case shiftIn:
		s.escaped = false
	case '\x1b':
		for _, e := range escapes {
			if bytes.HasPrefix(buf, []byte(e.sequence)) {
				s.escaped = e.set != asciiSet
			}
		}
	default:
		if !s.escaped {
			return c
		}
	}
	return otherChar
}

// scan scans the characters of buf that begin before stop, up to the end of a
// row. It returns their length in bytes, and whether they end the row. The
// bytes after stop only decide where the last character ends, and whether a CR
// ends the row.
func (s *rowScanner) scan(buf []byte, stop int) (n int, ended bool) {
	if s.coding.width == 1 && !s.double && !s.switching && !s.coding.cr {
		return s.scanBytes(buf[:stop])
	}
	for n < stop {
		at := buf[n:]
		c, size := s.char(at)
		n += size
		if s.state != lineform.InQuotes && len(at) >= s.coding.width && s.coding.isEnd(at) {
			s.state, s.escaped = lineform.FieldStart, false
			return n, true
		}
		s.state = s.state.After(c, s.delimiter)
	}
	return n, false
}

// scanBytes is scan for charsets in which each byte is a character.
func (s *rowScanner) scanBytes(buf []byte) (n int, ended bool) {
	state, delimiter := s.state, s.delimiter
	for i := 0; i < len(buf); i++ {
		b := buf[i]
		switch {
		case state == lineform.InQuotes:
			skip := bytes.IndexByte(buf[i:], '"')
			if skip < 0 {
				s.state = state
				return len(buf), false
			}
			i += skip
			state = lineform.AfterQuote
		case b == '\n':
			s.state = lineform.FieldStart
			return i + 1, true
		default:
			state = state.After(b, delimiter)
		}
	}
	s.state = state
	return len(buf), false
}

// A field is the range of a field in the bytes of its row, including its
// quotes.
type field struct{ start, end int }

// fields divides a row into fields, without its line end.
func (s rowScanner) fields(row []byte) (all []field, end int) {
	s.state, s.escaped = lineform.FieldStart, false
	end = len(row)
	first := 0
	for i := 0; i < len(row); {
		c, size := s.char(row[i:])
		if s.state != lineform.InQuotes && (c == '\n' || c == '\r') && s.onlyEnd(row[i:]) {
			end = i
			break
		}
		if s.state = s.state.After(c, s.delimiter); s.state == lineform.FieldStart {
			all = append(all, field{first, i})
			first = i + size
		}
		i += size
	}
	return append(all, field{first, end}), end
}

// onlyEnd reports whether rest is only a line end.
func (s *rowScanner) onlyEnd(rest []byte) bool {
	w := s.coding.width
	if len(rest) > 2*w || len(rest)%w != 0 || !s.coding.isEnd(rest[len(rest)-w:]) {
		return false
	}
	return len(rest) == w || s.coding.unit(rest) == '\r' && s.coding.unit(rest[w:]) == '\n'
}

// encoded returns an ASCII character in the charset of the source.
func (s *rowScanner) encoded(c byte) []byte {
	unit := make([]byte, s.coding.width)
	switch s.coding.width {
	case 1:
		unit[0] = c
	case 2:
		s.coding.order.PutUint16(unit, uint16(c))
	default:
		s.coding.order.PutUint32(unit, uint32(c))
	}
	return unit
}
