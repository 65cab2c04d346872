package mail

import (
	"bytes"
	"strings"
)

// skip reads up to the next line that ends what is open.
func (p *parser) skip() error {
	for !p.done && p.stop() < 0 {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// stop returns the number of the open multipart that the current line is a
// delimiter of, or -1.
func (p *parser) stop() int {
	if len(p.stops) == 0 || !p.cur.begins || !bytes.HasPrefix(p.cur.text, []byte("--")) {
		return -1
	}
	for i := len(p.stops) - 1; i >= 0; i-- {
		if is, _ := isDelimiter(p.cur.text, p.stops[i]); is {
			return i
		}
	}
	return -1
}

// isDelimiter reports whether a line is a delimiter of a boundary, and whether
// it closes the multipart. Blanks at its end do not count, nor does it matter
// whether those at the end of the boundary are there.
func isDelimiter(text []byte, boundary string) (is, closes bool) {
	rest, ok := bytes.CutPrefix(text, []byte("--"+boundary))
	if !ok {
		rest, ok = bytes.CutPrefix(text, []byte("--"+strings.TrimRight(boundary, " \t")))
	}
	rest = bytes.TrimRight(rest, " \t\r\n")
	closes = string(rest) == "--"
	return ok && (closes || len(rest) == 0), closes
}

// closes reports whether the current line, a delimiter of a multipart, is its
// last.
func (p *parser) closes(boundary string) bool {
	_, closes := isDelimiter(p.cur.text, boundary)
	return closes
}

// multipart reads parts up to the delimiter that closes them, and what follows
// it.
func (p *parser) multipart(e *entity, boundary string, depth int) error {
	fallback := "text/plain"
	if e.kind == "multipart/digest" {
		fallback = "message/rfc822"
	}
	level := len(p.stops)
	p.stops = append(p.stops, boundary)
	defer func() { p.stops = p.stops[:level] }()
	if err := p.skip(); err != nil {
		return err
	}
	for !p.done && p.stop() == level {
		closes := p.closes(boundary)
		if closes && len(e.parts) == 0 {
			e.closed = p.cur.off
		}
		if err := p.advance(); err != nil {
			return err
		}
		if closes {
			break
		}
		if !p.done && p.stop() == level {
			continue // nothing stands between two delimiters
		}
		part := &entity{sealed: e.kind == "multipart/encrypted" && len(e.parts) == 1}
		e.parts = append(e.parts, part)
		if err := p.entity(part, fallback, depth+1); err != nil {
			return err
		}
	}
	p.stops = p.stops[:level]
	return p.skip()
}
