package mp4

import (
	"math"
	"strings"
)

// dates are when a header was made and changed, as it has them.
type dates struct{ created, modified uint64 }

// parse reads what the headers of movies, tracks and media begin with: a version, flags,
// dates, a number, some bytes that are not used, and a duration. It returns the rest, and
// false if there is no whole header of a known version.
func (d *dates) parse(b []byte, unused int) (value uint32, rest []byte, ok bool) {
	if len(b) == 0 || b[0] > 1 {
		return 0, nil, false
	}
	width := 4 + 4*int(b[0]) // of dates and durations
	n := 4 + 2*width + 4 + unused + width
	if len(b) < n {
		return 0, nil, false
	}
	for i, date := range []*uint64{&d.created, &d.modified} {
		*date = number(b[4+i*width:][:width])
	}
	return be.Uint32(b[4+2*width:]), b[n:], true
}

// movieHeader is mvhd (8.2.2).
type movieHeader struct {
	dates
	timescale uint32
	rest      []byte // rate, volume, matrix, ...: 76 bytes
	next      uint32
}

func (h *movieHeader) parse(b []byte) error {
	value, rest, ok := h.dates.parse(b, 0)
	if !ok || len(rest) < 80 {
		return damaged("no movie header (mvhd)")
	}
	h.timescale, h.rest, h.next = value, rest[:76], be.Uint32(rest[76:])
	if h.timescale == 0 {
		return damaged("movie timescale of zero")
	}
	return nil
}

// trackHeader is tkhd (8.3.2).
type trackHeader struct {
	dates
	flags []byte // 3 bytes
	id    uint32
	rest  []byte // layer, group, volume, matrix, size: 60 bytes
}

func (h *trackHeader) parse(b []byte) error {
	value, rest, ok := h.dates.parse(b, 4)
	if !ok || len(rest) < 60 {
		return damaged("no track header (tkhd)")
	}
	h.flags, h.id, h.rest = b[1:4], value, rest[:60]
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
	dates
	timescale uint32
	language  []byte // includes the pre_defined field: 4 bytes
}

func (h *mediaHeader) parse(b []byte) error {
	value, rest, ok := h.dates.parse(b, 0)
	if !ok || len(rest) < 4 {
		return damaged("no media header (mdhd)")
	}
	h.timescale, h.language = value, rest[:4]
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
