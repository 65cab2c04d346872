package exif

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Tags are the Exif metadata of a picture that are read. Missing and invalid
// values are zero.
type Tags struct {
	Title       string // XPTitle, as Windows writes it
	Description string // ImageDescription
	Make, Model string // of the camera
	Artist      string // or XPAuthor; several are separated by ";"
	Keywords    string // XPKeywords, separated by ";"

	// Date is when the picture was taken, else when it was digitized, in ISO
	// 8601, with its offset from UTC if that is known.
	Date string

	Place *Place // where it was taken, or nil
}

// A Place is a point on Earth, in degrees; north and east are positive.
type Place struct{ Latitude, Longitude float64 }

// The tags of the Exif specification that are read.
const (
	descriptionTag     = 0x10e
	orientationTag     = 0x112
	makeTag            = 0x10f
	modelTag           = 0x110
	artistTag          = 0x13b
	exifPointer        = 0x8769
	gpsPointer         = 0x8825
	dateOriginalTag    = 0x9003
	dateDigitizedTag   = 0x9004
	offsetOriginalTag  = 0x9011
	offsetDigitizedTag = 0x9012
	titleTag           = 0x9c9b
	authorTag          = 0x9c9d
	keywordsTag        = 0x9c9e

	latitudeRefTag  = 1
	latitudeTag     = 2
	longitudeRefTag = 3
	longitudeTag    = 4
)

// The types of values (TIFF 6.0, section 2; Exif 3.0, section 4.6.2).
const (
	byteType     = 1
	asciiType    = 2
	shortType    = 3
	longType     = 4
	rationalType = 5
	utf8Type     = 129
)

const (
	maxEntries = 1000
	maxText    = 64 << 10 // bytes of one value
)

// ReadTags reads the tags of an Exif block, or of a whole TIFF file, which has
// the same structure. It reads only the values that it returns.
func ReadTags(r io.ReaderAt) Tags {
	first := firstDirectory(r)
	photo := first.sub(exifPointer)
	t := Tags{
		Title:       first.wide(titleTag),
		Description: first.text(descriptionTag),
		Make:        first.text(makeTag),
		Model:       first.text(modelTag),
		Artist:      first.text(artistTag),
		Keywords:    first.wide(keywordsTag),
		Place:       first.sub(gpsPointer).place(),
	}
	if t.Artist == "" {
		t.Artist = first.wide(authorTag)
	}
	t.Date = isoTime(photo.text(dateOriginalTag), photo.text(offsetOriginalTag))
	if t.Date == "" {
		t.Date = isoTime(photo.text(dateDigitizedTag), photo.text(offsetDigitizedTag))
	}
	return t
}

// A directory is the entries of one image file directory, by their tags.
type directory struct {
	r       io.ReaderAt
	order   binary.ByteOrder
	entries map[uint16][]byte
}

// firstDirectory returns the first directory of a block, empty if there is none.
func firstDirectory(r io.ReaderAt) directory {
	var head [headerLen]byte
	n, _ := r.ReadAt(head[:], 0)
	order, ok := byteOrder(head[:n])
	if !ok {
		return directory{}
	}
	return readDirectory(r, order, int64(order.Uint32(head[4:])))
}

// readDirectory returns an empty directory if there is none at an offset.
func readDirectory(r io.ReaderAt, order binary.ByteOrder, at int64) directory {
	d := directory{r: r, order: order, entries: make(map[uint16][]byte)}
	var count [2]byte
	if at < headerLen {
		return d
	}
	if n, _ := r.ReadAt(count[:], at); n < len(count) {
		return d
	}
	raw := make([]byte, entryLen*min(int(order.Uint16(count[:])), maxEntries))
	n, _ := r.ReadAt(raw, at+2)
	for raw = raw[:n]; len(raw) >= entryLen; raw = raw[entryLen:] {
		tag := order.Uint16(raw)
		if _, ok := d.entries[tag]; !ok {
			d.entries[tag] = raw[:entryLen]
		}
	}
	return d
}

// sub returns the directory that a tag points to.
func (d directory) sub(pointer uint16) directory {
	b := d.value(pointer, 4, longType)
	if len(b) != 4 {
		return directory{}
	}
	return readDirectory(d.r, d.order, int64(d.order.Uint32(b)))
}

// value returns the bytes of a value that has one of the types, with elements
// of size bytes, or nil.
func (d directory) value(tag uint16, size int64, types ...uint16) []byte {
	entry, ok := d.entries[tag]
	if !ok {
		return nil
	}
	kind := d.order.Uint16(entry[2:])
	n := int64(d.order.Uint32(entry[4:])) * size
	if !slices.Contains(types, kind) || n > maxText {
		return nil
	}
	if n <= 4 {
		return entry[8 : 8+n]
	}
	b := make([]byte, n)
	if got, _ := d.r.ReadAt(b, int64(d.order.Uint32(entry[8:]))); int64(got) < n {
		return nil
	}
	return b
}

// text returns a text.
func (d directory) text(tag uint16) string {
	b, _, _ := bytes.Cut(d.value(tag, 1, asciiType, utf8Type), []byte{0})
	return strings.TrimSpace(Latin1(b))
}

// Latin1 decodes Latin-1, which old cameras wrote, but keeps UTF-8, which many
// programs write against the standards.
func Latin1(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// wide returns a text in UTF-16, little endian.
func (d directory) wide(tag uint16) string {
	b := d.value(tag, 1, byteType)
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		unit := binary.LittleEndian.Uint16(b)
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return strings.TrimSpace(string(utf16.Decode(units)))
}

func (d directory) place() *Place {
	latitude, north := d.degrees(latitudeTag), d.text(latitudeRefTag)
	longitude, east := d.degrees(longitudeTag), d.text(longitudeRefTag)
	if !(latitude <= 90) || !(longitude <= 180) {
		return nil
	}
	switch {
	case north == "S":
		latitude = -latitude
	case north != "N":
		return nil
	}
	switch {
	case east == "W":
		longitude = -longitude
	case east != "E":
		return nil
	}
	return &Place{Latitude: latitude, Longitude: longitude}
}

// degrees returns an angle given as degrees, minutes and seconds, to a
// centimetre on the ground, or NaN.
func (d directory) degrees(tag uint16) float64 {
	b := d.value(tag, 8, rationalType)
	if len(b) != 24 {
		return math.NaN()
	}
	sum, unit := 0.0, 1.0
	for ; len(b) > 0; b = b[8:] {
		n, of := d.order.Uint32(b), d.order.Uint32(b[4:])
		if of == 0 && n != 0 || of == 0 && unit == 1 {
			return math.NaN()
		}
		if n != 0 {
			sum += float64(n) / float64(of) / unit
		}
		unit *= 60
	}
	return math.Round(sum*1e7) / 1e7
}

// isoTime returns an Exif time in ISO 8601, with an offset from UTC such as
// "+02:00" if that is valid. It returns "" if the time is invalid.
func isoTime(text, offset string) string {
	t, err := time.Parse("2006:01:02 15:04:05", text)
	if err != nil || t.Year() == 0 {
		return ""
	}
	iso := t.Format("2006-01-02T15:04:05")
	if _, err := time.Parse("-07:00", offset); err == nil {
		iso += offset
	}
	return iso
}
