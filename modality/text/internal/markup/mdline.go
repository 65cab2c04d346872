package markup

// A cursor is a position in a line of Markdown. A tab counts as the spaces up
// to the next column that is a multiple of four, and may be passed in parts
// (CommonMark 2.2).
type cursor struct {
	line []byte
	base int // offset of the line in the source

	offset int // bytes passed
	column int // columns passed

	next       int // offset of the first byte that is not space
	nextColumn int
}

// skipSpace finds the first byte at or after the cursor that is not space. It
// does not pass the space.
func (c *cursor) skipSpace() {
	c.next, c.nextColumn = c.offset, c.column
	for c.next < len(c.line) {
		switch c.line[c.next] {
		case ' ':
			c.nextColumn++
		case '\t':
			c.nextColumn += 4 - c.nextColumn%4
		default:
			return
		}
		c.next++
	}
}

// indent returns the columns of space that skipSpace found.
func (c *cursor) indent() int { return c.nextColumn - c.column }

// blank reports whether skipSpace found nothing but space.
func (c *cursor) blank() bool { return c.next >= len(c.line) }

// rest returns the line from the first byte that is not space.
func (c *cursor) rest() []byte { return c.line[c.next:] }

// at returns the offset of rest in the source.
func (c *cursor) at() int { return c.base + c.next }

func (c *cursor) peek() byte {
	if c.blank() {
		return 0
	}
	return c.line[c.next]
}

// passSpace moves past the space that skipSpace found.
func (c *cursor) passSpace() { c.offset, c.column = c.next, c.nextColumn }

// advance moves forward by columns.
func (c *cursor) advance(columns int) {
	for ; columns > 0 && c.offset < len(c.line); columns-- {
		if c.line[c.offset] != '\t' {
			c.offset++
			c.column++
			continue
		}
		c.column++
		if c.column%4 == 0 {
			c.offset++
		}
	}
}

// passQuoteMark moves past ">" and one column of space after it.
func (c *cursor) passQuoteMark() {
	c.passSpace()
	c.advance(1)
	if c.offset < len(c.line) && (c.line[c.offset] == ' ' || c.line[c.offset] == '\t') {
		c.advance(1)
	}
}
