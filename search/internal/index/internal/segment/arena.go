package segment

// An arena holds many byte strings that grow in turns. Each is a chain of chunks that
// double in size, so nothing is copied and little space is wasted.
type arena struct {
	pages [][]byte
	used  int // bytes used in the last page
}

const (
	pageBits   = 16
	pageSize   = 1 << pageBits
	firstChunk = 16
	lastChunk  = 2048
	linkSize   = 4 // bytes at the end of a chunk that hold the place of the next
)

// A chain is one byte string of an arena. The zero chain is empty.
type chain struct {
	first, at uint32
	free      uint32 // bytes left in the current chunk
	chunk     uint32 // size of the current chunk
}

// chunk returns the place of a new chunk.
func (a *arena) chunk(size uint32) uint32 {
	if len(a.pages) == 0 || a.used+int(size) > pageSize {
		a.pages = append(a.pages, make([]byte, pageSize))
		a.used = 0
	}
	at := uint32(len(a.pages)-1)<<pageBits | uint32(a.used)
	a.used += int(size)
	return at
}

func (a *arena) bytes(at uint32) []byte { return a.pages[at>>pageBits][at&(pageSize-1):] }

// append appends a byte to a chain.
func (a *arena) append(c *chain, b byte) {
	if c.free == 0 {
		a.grow(c)
	}
	a.bytes(c.at)[0] = b
	c.at++
	c.free--
}

func (a *arena) grow(c *chain) {
	size := uint32(firstChunk)
	if c.chunk > 0 {
		size = min(2*c.chunk, lastChunk)
	}
	at := a.chunk(size)
	if c.chunk == 0 {
		c.first = at
	} else {
		little.PutUint32(a.bytes(c.at), at)
	}
	c.at, c.chunk, c.free = at, size, size-linkSize
}

// appendUvarint appends a number of up to 64 bits, seven bits to a byte.
func (a *arena) appendUvarint(c *chain, v uint64) {
	for v >= 0x80 {
		a.append(c, byte(v)|0x80)
		v >>= 7
	}
	a.append(c, byte(v))
}

// copyTo appends a chain to data.
func (a *arena) copyTo(data []byte, c *chain) []byte {
	if c.chunk == 0 {
		return data
	}
	for at, size := c.first, uint32(firstChunk); ; size = min(2*size, lastChunk) {
		chunk := a.bytes(at)
		if size == c.chunk && c.at-at <= size-linkSize && c.at >= at {
			return append(data, chunk[:c.at-at]...)
		}
		data = append(data, chunk[:size-linkSize]...)
		at = little.Uint32(chunk[size-linkSize:])
	}
}
