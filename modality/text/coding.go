package text

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/citekit/citekit"
)

// maxWidth is the longest code unit in bytes.
const maxWidth = 4

// A textEncoding describes how the bytes of a source form lines and characters.
type textEncoding struct {
	charset string
	guessed bool             // the charset is not declared
	mark    int              // length of the byte order mark; 0 if there is none
	width   int              // bytes of a code unit: 1, 2 or 4
	order   binary.ByteOrder // of units of more than one byte
	cr      bool             // a CR alone also ends a line
}

// errChanged reports that a block has fewer line ends than it had.
var errChanged = fmt.Errorf("the source changed while it was being read: %w", citekit.ErrStale)

// unit returns the first code unit of buf.
func (c textEncoding) unit(buf []byte) uint32 {
	switch c.width {
	case 1:
		return uint32(buf[0])
	case 2:
		return uint32(c.order.Uint16(buf))
	}
	return c.order.Uint32(buf)
}

// nextEnd returns the offset after the next line end in buf that begins at or
// after from and before stop, or -1. From is a multiple of the width. The bytes
// after stop only decide whether a CR belongs to a CRLF.
func (c textEncoding) nextEnd(buf []byte, from, stop int) int {
	for i := from; i < stop; i += c.width {
		if !c.cr {
			skip := bytes.IndexByte(buf[i:stop], '\n')
			if skip < 0 {
				return -1
			}
			i += skip - skip%c.width
		}
		if i+c.width <= len(buf) && c.isEnd(buf[i:]) {
			return i + c.width
		}
	}
	return -1
}

// isEnd reports whether buf begins with the last unit of a line end.
func (c textEncoding) isEnd(buf []byte) bool {
	switch c.unit(buf) {
	case '\n':
		return true
	case '\r':
		next := buf[c.width:]
		return c.cr && (len(next) < c.width || c.unit(next) != '\n')
	}
	return false
}

// countEnds returns the number of line ends that begin before stop.
func (c textEncoding) countEnds(buf []byte, stop int) int {
	if c.width == 1 {
		n := bytes.Count(buf[:stop], []byte("\n"))
		if c.cr {
			pairs := bytes.Count(buf[:min(stop+1, len(buf))], []byte("\r\n"))
			n += bytes.Count(buf[:stop], []byte("\r")) - pairs
		}
		return n
	}
	n := 0
	for i := c.nextEnd(buf, 0, stop); i >= 0; i = c.nextEnd(buf, i, stop) {
		n++
	}
	return n
}

// nthEnd returns the offset after the n-th line end before stop, or -1.
func (c textEncoding) nthEnd(buf []byte, stop, n int) int {
	i := 0
	for ; n > 0 && i >= 0; n-- {
		i = c.nextEnd(buf, i, stop)
	}
	return i
}

// endsLine reports whether buf, the last bytes of a source, ends with a line
// end. Its beginning is aligned to the width.
func (c textEncoding) endsLine(buf []byte) bool {
	n := len(buf)
	return n >= c.width && n%c.width == 0 && c.isEnd(buf[n-c.width:])
}
