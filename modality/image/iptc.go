package image

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	"github.com/citekit/citekit/modality/image/internal/exif"
)

// addResources reads the image resources of Photoshop, in which a JPEG stores
// its IPTC records.
func (c *cards) addResources(b []byte) {
	const signature, iptcResource = "8BIM", 0x0404
	for len(b) >= 12 && string(b[:4]) == signature {
		id := binary.BigEndian.Uint16(b[4:])
		name := int(b[6]) + 1
		name += name & 1 // padded to an even length
		if len(b) < 6+name+4 {
			return
		}
		size := int64(binary.BigEndian.Uint32(b[6+name:]))
		b = b[6+name+4:]
		if size > int64(len(b)) {
			return
		}
		if id == iptcResource {
			c.addIPTC(b[:size])
			return
		}
		b = b[min(size+size&1, int64(len(b))):]
	}
}

// The IPTC data sets that are read (Information Interchange Model 4.2, sections
// 5 and 6).
const (
	iptcCharset     = 1<<8 | 90
	iptcTitle       = 2<<8 | 5
	iptcKeywords    = 2<<8 | 25 // one for each keyword
	iptcDate        = 2<<8 | 55
	iptcTime        = 2<<8 | 60
	iptcByline      = 2<<8 | 80 // one for each author
	iptcHeadline    = 2<<8 | 105
	iptcDescription = 2<<8 | 120
)

// addIPTC reads IPTC records.
func (c *cards) addIPTC(b []byte) {
	const utf8Escape = "\x1b%G"
	const maxEach = 50
	sets := make(map[int][][]byte)
	for len(b) >= 5 && b[0] == 0x1c {
		id := int(b[1])<<8 | int(b[2])
		size := int(binary.BigEndian.Uint16(b[3:]))
		if size > len(b)-5 { // an extended length would be larger than any text here
			break
		}
		if len(sets[id]) < maxEach {
			sets[id] = append(sets[id], b[5:5+size])
		}
		b = b[5+size:]
	}
	encoded := sets[iptcCharset]
	isUTF8 := len(encoded) > 0 && bytes.Equal(encoded[0], []byte(utf8Escape))
	texts := func(id int) []string {
		var list []string
		for _, set := range sets[id] {
			if isUTF8 {
				list = append(list, string(set))
			} else {
				list = append(list, exif.Latin1(set))
			}
		}
		return list
	}
	text := func(id int) string {
		if list := texts(id); len(list) > 0 {
			return list[0]
		}
		return ""
	}
	c.iptc.authors = strings.Join(texts(iptcByline), ";")
	c.iptc.keywords = strings.Join(texts(iptcKeywords), ";")
	c.iptc.title = text(iptcTitle)
	if c.iptc.title == "" {
		c.iptc.title = text(iptcHeadline)
	}
	c.iptc.description = text(iptcDescription)
	c.iptc.date = iptcTimeOf(text(iptcDate), text(iptcTime))
}

// iptcTimeOf returns the date, and the time if clock has one, in ISO 8601.
func iptcTimeOf(date, clock string) string {
	if t, err := time.Parse("20060102150405-0700", date+clock); err == nil && t.Year() > 0 {
		return t.Format("2006-01-02T15:04:05-07:00")
	}
	if t, err := time.Parse("20060102", date); err == nil && t.Year() > 0 {
		return t.Format(time.DateOnly)
	}
	return ""
}
