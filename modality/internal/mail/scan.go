package mail

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

const (
	windowBytes = 64 << 10 // of a source that are held while its lines are looked for
	maxWidth    = 4        // bytes of a code unit
)

// A lineEnds is how bytes make lines: as in package modality/text, a line ends
// with LF, and in texts that use a CR alone with that, too.
type lineEnds struct {
	width int              // bytes of a code unit: 1, 2 or 4
	order binary.ByteOrder // of a unit of more than one byte
	cr    bool             // a CR alone ends a line, too
}

var narrow = lineEnds{width: 1}

// codingOf returns how a text makes lines that begins with sample and is in a
// charset. All says that the sample is all of it.
func codingOf(charset string, sample []byte, all bool) lineEnds {
	c := narrow
	switch charset {
	case "utf-16le":
		c = lineEnds{width: 2, order: binary.LittleEndian}
	case "utf-16be":
		c = lineEnds{width: 2, order: binary.BigEndian}
	case "utf-32le":
		c = lineEnds{width: 4, order: binary.LittleEndian}
	case "utf-32be":
		c = lineEnds{width: 4, order: binary.BigEndian}
	}
	c.cr = c.usesCR(sample, all)
	return c
}

// usesCR reports whether a text has no LF alone and more CRs alone than CRLFs.
func (c lineEnds) usesCR(sample []byte, all bool) bool {
	alone, pairs, before := 0, 0, uint32(0)
	for ; len(sample) >= c.width; sample = sample[c.width:] {
		unit := c.unit(sample)
		switch {
		case unit == '\n' && before == '\r':
			pairs++
			alone--
		case unit == '\n':
			return false
		case unit == '\r':
			alone++
		}
		before = unit
	}
	if before == '\r' && !all {
		alone--
	}
	return alone > pairs
}

// unit returns the code unit that buf begins with.
func (c lineEnds) unit(buf []byte) uint32 {
	switch c.width {
	case 1:
		return uint32(buf[0])
	case 2:
		return uint32(c.order.Uint16(buf))
	}
	return c.order.Uint32(buf)
}

// lineEnd returns the offset after the first line end in buf, or 0 if it has
// none, or if what follows buf decides; all says that nothing follows.
func (c lineEnds) lineEnd(buf []byte, all bool) int {
	if c.width == 1 && !c.cr {
		return bytes.IndexByte(buf, '\n') + 1
	}
	for i := 0; i+c.width <= len(buf); i += c.width {
		switch unit := c.unit(buf[i:]); {
		case unit == '\n':
			return i + c.width
		case unit == '\r' && c.cr:
			next := buf[i+c.width:]
			if len(next) < c.width {
				if all {
					return len(buf)
				}
				return 0
			}
			if c.unit(next) == '\n' {
				i += c.width
			}
			return i + c.width
		}
	}
	return 0
}

// A line is a line of a source with its end, or a piece of one that is too long
// to be held.
type line struct {
	text   []byte // valid until the next call
	off    int64  // where it begins
	begins bool   // it is the beginning of its line
	ends   bool   // and the end of it
}

// A scanner reads lines.
type scanner struct {
	r      io.Reader
	coding lineEnds
	buf    []byte
	from   int   // in buf, of what was not given yet
	off    int64 // of that in the source
	ended  bool  // nothing follows buf
	within bool  // the line before has not ended
}

// newScanner returns a scanner of a reader that has about so many bytes.
func newScanner(r io.Reader, c lineEnds, size int64) *scanner {
	window := int64(windowBytes)
	if size >= 0 {
		window = min(window, size+maxWidth)
	}
	return &scanner{r: r, coding: c, buf: make([]byte, 0, window)}
}

// next returns the next line. The error is io.EOF after the last.
func (s *scanner) next() (line, error) {
	for {
		if n := s.coding.lineEnd(s.buf[s.from:], s.ended); n > 0 {
			return s.give(n, true), nil
		}
		switch held := len(s.buf) - s.from; {
		case s.ended && held == 0:
			return line{}, io.EOF
		case s.ended:
			return s.give(held, true), nil
		case held == cap(s.buf):
			return s.give(held-maxWidth, false), nil
		}
		if err := s.fill(); err != nil {
			return line{}, err
		}
	}
}

func (s *scanner) give(n int, ends bool) line {
	l := line{text: s.buf[s.from : s.from+n], off: s.off, begins: !s.within, ends: ends}
	s.from += n
	s.off += int64(n)
	s.within = !ends
	return l
}

// fill reads on until the buffer is full.
func (s *scanner) fill() error {
	s.buf = s.buf[:copy(s.buf, s.buf[s.from:])]
	s.from = 0
	n, err := io.ReadFull(s.r, s.buf[len(s.buf):cap(s.buf)])
	s.buf = s.buf[:len(s.buf)+n]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.ended, err = true, nil
	}
	return err
}

// isEnd reports whether an error is the end of what is read.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isBlank reports whether a line has nothing but its end.
func isBlank(text []byte) bool { return len(bytes.TrimRight(text, "\r\n")) == 0 }

// endLength returns the length of the line end that text ends with.
func endLength(text []byte) int {
	switch {
	case bytes.HasSuffix(text, []byte("\r\n")):
		return 2
	case bytes.HasSuffix(text, []byte("\n")), bytes.HasSuffix(text, []byte("\r")):
		return 1
	}
	return 0
}
