package mp4

import (
	"math"
	"strings"
)

// movieHeader is mvhd (8.2.2).
type movieHeader struct {
	created, modified uint64
	timescale         uint32
	rest              []byte // rate, volume, matrix, ...: 76 bytes
	next              uint32
}

func (h *movieHeader) parse(b []byte) error {
	b, ok := h.times(b)
	if !ok || len(b) < 80 {
		return damaged("no movie header (mvhd)")
	}
	h.rest, h.next = b[:76], be.Uint32(b[76:])
	if h.timescale == 0 {
		return damaged("movie timescale of zero")
	}
	return nil
}

// times reads the version-dependent fields and returns the rest.
func (h *movieHeader) times(b []byte) (rest []byte, ok bool) {
	if len(b) >= 32 && b[0] == 1 {
		h.created, h.modified, h.timescale = be.Uint64(b[4:]), be.Uint64(b[12:]), be.Uint32(b[20:])
		return b[32:], true
	}
	if len(b) >= 20 && b[0] == 0 {
		h.created, h.modified, h.timescale = uint64(be.Uint32(b[4:])), uint64(be.Uint32(b[8:])), be.Uint32(b[12:])
		return b[20:], true
	}
	return nil, false
}

// trackHeader is tkhd (8.3.2).
type trackHeader struct {
	flags             []byte // 3 bytes
	created, modified uint64
	id                uint32
	rest              []byte // layer, group, volume, matrix, size: 60 bytes
}

func (h *trackHeader) parse(b []byte) error {
	switch {
	case len(b) >= 96 && b[0] == 1:
		h.created, h.modified, h.id = be.Uint64(b[4:]), be.Uint64(b[12:]), be.Uint32(b[20:])
		h.rest = b[36:96]
	case len(b) >= 84 && b[0] == 0:
		h.created, h.modified, h.id = uint64(be.Uint32(b[4:])), uint64(be.Uint32(b[8:])), be.Uint32(b[12:])
		h.rest = b[24:84]
	default:
		return damaged("no track header (tkhd)")
	}
	h.flags = b[1:4]
	return nil
}

// rotation returns the rotation in clockwise degrees, rounded to quarter turns.
func (h *trackHeader) rotation() int {
	m := h.rest[16:]
	a, b := int32(be.Uint32(m)), int32(be.Uint32(m[4:]))
	quarters := math.Round(math.Atan2(float64(b), float64(a)) / (math.Pi / 2))
	return (int(quarters) + 4) % 4 * 90
}

// mediaHeader is mdhd (8.4.2).
type mediaHeader struct {
	created, modified uint64
	timescale         uint32
	language          []byte // includes the pre_defined field: 4 bytes
}

func (h *mediaHeader) parse(b []byte) error {
	switch {
	case len(b) >= 36 && b[0] == 1:
		h.created, h.modified, h.timescale = be.Uint64(b[4:]), be.Uint64(b[12:]), be.Uint32(b[20:])
		h.language = b[32:36]
	case len(b) >= 24 && b[0] == 0:
		h.created, h.modified, h.timescale = uint64(be.Uint32(b[4:])), uint64(be.Uint32(b[8:])), be.Uint32(b[12:])
		h.language = b[20:24]
	default:
		return damaged("no media header (mdhd)")
	}
	if h.timescale == 0 || h.timescale > math.MaxInt32 {
		return damaged("media timescale of %d", h.timescale)
	}
	return nil
}

// languageCode unpacks three letters of five bits. It returns "" for Macintosh
// codes, below 0x400, and for "und".
func (h *mediaHeader) languageCode() string {
	v := be.Uint16(h.language)
	if v < 0x400 || v >= 0x8000 {
		return ""
	}
	s := string([]byte{byte(v>>10&31) + 0x60, byte(v>>5&31) + 0x60, byte(v&31) + 0x60})
	if s == "und" || !isTag(s) {
		return ""
	}
	return s
}

// languageTag reads the content of elng (8.4.6), or returns "" if it is not
// a language tag.
func languageTag(elng []byte) string {
	if len(elng) < 4 {
		return ""
	}
	tag, _, _ := strings.Cut(string(elng[4:min(len(elng), 40)]), "\x00")
	if !isTag(tag) {
		return ""
	}
	return tag
}

func isTag(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	}) < 0
}
