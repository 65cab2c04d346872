package image

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"
	"time"

	"github.com/citekit/citekit/modality/image/internal/exif"
)

// jpegCards reads the segments before the pixels of a JPEG: Exif and XMP in
// APP1, IPTC in APP13.
func jpegCards(in *input, c *cards) {
	const exifName, xmpName, photoshopName = "Exif\x00\x00", "http://ns.adobe.com/xap/1.0/\x00", "Photoshop 3.0\x00"
	var resources []byte // those of Photoshop may continue in the next segment
	eachSegment(in, func(marker byte, offset, size int64) {
		if marker != 0xe1 && marker != 0xed {
			return
		}
		b := in.read(offset, size)
		switch {
		case marker == 0xe1 && bytes.HasPrefix(b, []byte(exifName)):
			c.addExifBlock(b)
		case marker == 0xe1 && bytes.HasPrefix(b, []byte(xmpName)):
			c.addXMP(b[len(xmpName):])
		case marker == 0xed && bytes.HasPrefix(b, []byte(photoshopName)) && len(resources) < maxMetadata:
			resources = append(resources, b[len(photoshopName):]...)
		}
	})
	c.addResources(resources)
}

// eachSegment visits the segments of a JPEG up to the pixels (T.81, section
// B.1.1.4).
func eachSegment(in *input, visit func(marker byte, offset, size int64)) {
	const maxSegments = 1 << 14
	offset := int64(2)
	var head [4]byte
	for range maxSegments {
		if in.full(head[:], offset) != nil || head[0] != 0xff {
			return
		}
		if head[1] == 0xff { // a fill byte
			offset++
			continue
		}
		size := int64(binary.BigEndian.Uint16(head[2:])) - 2
		if head[1] == 0xda || head[1] == 0xd9 || size < 0 {
			return
		}
		visit(head[1], offset+4, size)
		offset += 4 + size
	}
}

// pngCards reads the chunks of a PNG: eXIf, and texts (PNG, section 11.3.3).
func pngCards(in *input, c *cards) {
	texts := 0
	eachChunk(in, func(chunk pngChunk) (bool, error) {
		switch chunk.kind {
		case "eXIf":
			c.addExifBlock(in.read(chunk.offset, chunk.size))
		case "tEXt", "zTXt", "iTXt":
			if texts++; texts <= maxTexts {
				c.addText(chunk.kind, in.read(chunk.offset, chunk.size))
			}
		}
		return true, in.ctx.Err()
	})
}

const maxTexts = 200

// addText reads a text chunk. The keywords are those defined by PNG, and the
// one defined by XMP.
func (c *cards) addText(kind string, data []byte) {
	keyword, rest, ok := bytes.Cut(data, []byte{0})
	if !ok || !c.spend(len(data)) {
		return
	}
	switch string(keyword) {
	case "Raw profile type exif", "Raw profile type APP1":
		if c.exif == (card{}) && c.spend(maxExif) {
			c.addExifBlock(rawProfile(data, kind == "zTXt"))
		}
	case "XML:com.adobe.xmp":
		if c.xmp == (card{}) {
			c.addXMP([]byte(chunkText(kind, rest, maxMetadata)))
		}
	case "Title":
		setOnce(&c.text.title, chunkText(kind, rest, maxCardText))
	case "Author":
		setOnce(&c.text.authors, chunkText(kind, rest, maxCardText))
	case "Description":
		setOnce(&c.text.description, chunkText(kind, rest, maxCardText))
	case "Creation Time":
		setOnce(&c.text.date, creationTime(chunkText(kind, rest, maxCardText)))
	}
}

func setOnce(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// chunkText returns the text of a chunk after its keyword, up to max bytes if
// it is compressed.
func chunkText(kind string, b []byte, max int64) string {
	deflated := kind == "zTXt"
	if kind == "iTXt" {
		if len(b) < 2 {
			return ""
		}
		deflated = b[0] == 1
		_, b, _ = bytes.Cut(b[2:], []byte{0}) // the language
		_, b, _ = bytes.Cut(b, []byte{0})     // the keyword, translated
	} else if deflated {
		b = bytes.TrimPrefix(b, []byte{0}) // the method
	}
	if deflated {
		z, err := zlib.NewReader(bytes.NewReader(b))
		if err != nil {
			return ""
		}
		b, _ = io.ReadAll(io.LimitReader(z, max))
	}
	if kind != "iTXt" {
		return exif.Latin1(b)
	}
	return string(b)
}

// creationTime returns the time in a PNG in ISO 8601, or "" if it is neither in
// that form nor in the one that PNG recommends (RFC 1123).
func creationTime(text string) string {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC1123Z, time.RFC1123, "2 Jan 2006 15:04:05 -0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	if t, err := time.Parse("2006:01:02 15:04:05", text); err == nil && t.Year() > 0 {
		return t.Format("2006-01-02T15:04:05")
	}
	return isoDate(text)
}

// webpCards reads the chunks EXIF and XMP of a WebP (RFC 9649, section
// 2.7.1.5).
func webpCards(in *input, c *cards) {
	eachRIFF(in, 12, in.src.Size(), func(chunk riffChunk) (bool, error) {
		switch chunk.kind {
		case "EXIF":
			c.addExifBlock(in.read(chunk.offset, chunk.size))
		case "XMP ":
			c.addXMP(in.read(chunk.offset, chunk.size))
		}
		return true, in.ctx.Err()
	})
}

// Tags of a TIFF that hold metadata of other forms.
const (
	tagXMP  = 700
	tagIPTC = 33723
)

// tiffCards reads the first directory of a TIFF.
func tiffCards(in *input, c *cards) {
	c.addExif(in)
	d, err := readDirectory(in)
	if err != nil {
		return
	}
	c.addXMP(d.block(tagXMP))
	c.addIPTC(d.block(tagIPTC))
}

// block returns the bytes of a value, which programs write as bytes or as
// numbers of four bytes.
func (d *directory) block(tag uint16) []byte {
	e, ok := d.entries[tag]
	if !ok {
		return nil
	}
	size := int64(d.order.Uint32(e[4:]))
	if d.order.Uint16(e[2:]) == 4 {
		size *= 4
	}
	if size <= 4 {
		return nil
	}
	return d.in.read(int64(d.order.Uint32(e[8:])), size)
}
