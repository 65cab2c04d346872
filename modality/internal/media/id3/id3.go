// Package id3 reads the text of the ID3v2 tag at the start of a file: title,
// artist, date, and chapters (id3.org, ID3v2.2 to ID3v2.4 and the Chapter Frame
// Addendum).
//
// A tag may be wrong: each size is checked against the size of the tag, and
// that against the file. The readable part of a damaged tag is returned.
// Pictures are skipped.
package id3

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"strings"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// Limits on what is read.
const (
	MaxChapters = 20_000
	MaxDepth    = 16       // tables of contents within each other
	maxTag      = 16 << 20 // largest size, in bytes, of a tag that must be read whole
	maxFrame    = 1 << 20  // largest size, in bytes, of a frame that is read; a chapter may have a picture
	maxFrames   = 100_000
)

// Read reads the tag at the start of a file of size bytes. A file without one
// has empty Tags. Chapters are those of the tag, or else the tracks of the cue
// sheet of a disc that was stored as one file. Errors are those of r.
func Read(r io.ReaderAt, size int64) (metadata.Tags, error) {
	head, err := metadata.ReadAt(r, size, 0, 10)
	if err != nil || len(head) < 10 || string(head[:3]) != "ID3" || head[3] < 2 || head[3] > 4 {
		return metadata.Tags{}, err
	}
	version, flags := int(head[3]), head[5]
	length := min(synchsafe(head[6:]), size-10)
	var tag io.ReaderAt = io.NewSectionReader(r, 10, length)
	if flags&0x80 != 0 && version < 4 { // the whole tag is unsynchronised
		if length > maxTag {
			return metadata.Tags{}, nil
		}
		b, err := metadata.ReadAt(tag, length, 0, length)
		if err != nil {
			return metadata.Tags{}, err
		}
		b = synchronise(b)
		tag, length = bytes.NewReader(b), int64(len(b))
	}
	p := parser{r: tag, end: length, version: version}
	if flags&0x40 != 0 && version > 2 {
		if err := p.skipExtended(); err != nil {
			return metadata.Tags{}, err
		}
	}
	if err := p.frames(); err != nil {
		return metadata.Tags{}, err
	}
	return p.tags(), nil
}

// synchsafe reads an integer of seven bits a byte (ID3v2.4, section 6.2).
func synchsafe(b []byte) (v int64) {
	for _, c := range b[:4] {
		v = v<<7 | int64(c&0x7f)
	}
	return v
}

// synchronise undoes unsynchronisation: it removes the zero after each 0xFF.
func synchronise(b []byte) []byte { return bytes.ReplaceAll(b, []byte{0xff, 0}, []byte{0xff}) }

// A parser reads the frames of a tag.
type parser struct {
	r       io.ReaderAt
	at, end int64
	version int

	text     map[string]string // of text frames, by their id in ID3v2.4
	chapters map[string]chapter
	order    []string // ids of chapters in file order
	contents map[string]contents
	root     string // id of the top contents
	sheet    string // a cue sheet
}

// skipExtended skips the extended header.
func (p *parser) skipExtended() error {
	b, err := metadata.ReadAt(p.r, p.end, 0, 4)
	if err != nil || len(b) < 4 {
		return err
	}
	if p.version == 4 {
		p.at = synchsafe(b)
	} else {
		p.at = 4 + int64(binary.BigEndian.Uint32(b))
	}
	return nil
}

// A frame is a frame of a tag.
type frame struct {
	id   string // of four letters
	data []byte
}

// frames reads all frames up to the padding.
func (p *parser) frames() error {
	p.text, p.chapters, p.contents = make(map[string]string), make(map[string]chapter), make(map[string]contents)
	width := int64(headerSize(p.version))
	for range maxFrames {
		if p.at < 0 || p.at+width > p.end {
			return nil
		}
		head, err := metadata.ReadAt(p.r, p.end, p.at, width)
		if err != nil || int64(len(head)) < width || head[0] == 0 {
			return err
		}
		id, size, flags := p.header(head)
		body := p.at + width
		if size > p.end-body {
			return nil
		}
		p.at = body + size
		if !wanted(id) || size > maxFrame && id != "CHAP" {
			continue
		}
		data, err := metadata.ReadAt(p.r, p.end, body, min(size, maxFrame))
		if err != nil {
			return err
		}
		if data, ok := plain(data, flags, p.version); ok {
			p.take(frame{id, data})
		}
	}
	return nil
}

func headerSize(version int) int {
	if version == 2 {
		return 6
	}
	return 10
}

// header reads the header of a frame.
func (p *parser) header(b []byte) (id string, size int64, flags uint16) {
	switch p.version {
	case 2:
		return id22(string(b[:3])), int64(b[3])<<16 | int64(b[4])<<8 | int64(b[5]), 0
	case 3:
		return string(b[:4]), int64(binary.BigEndian.Uint32(b[4:])), binary.BigEndian.Uint16(b[8:])
	}
	size = synchsafe(b[4:])
	if raw := int64(binary.BigEndian.Uint32(b[4:])); raw != size && !p.fits(size) && p.fits(raw) {
		size = raw // as some programs write it, against the standard
	}
	return string(b[:4]), size, binary.BigEndian.Uint16(b[8:])
}

// fits reports whether another frame, padding or the end follows a frame of
// this size.
func (p *parser) fits(size int64) bool {
	next := p.at + 10 + size
	if next == p.end {
		return true
	}
	b, err := metadata.ReadAt(p.r, p.end, next, 4)
	return err == nil && len(b) > 0 && (b[0] == 0 || len(b) == 4 && isID(b))
}

func isID(b []byte) bool {
	for _, c := range b {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// id22 returns the ID3v2.4 id for the id of an ID3v2.2 frame.
func id22(id string) string {
	switch id {
	case "TT2":
		return "TIT2"
	case "TP1":
		return "TPE1"
	case "TYE":
		return "TYER"
	case "TAL":
		return "TALB"
	case "TCO":
		return "TCON"
	case "TXX":
		return "TXXX"
	}
	return ""
}

func wanted(id string) bool {
	switch id {
	case "TIT2", "TPE1", "TDRC", "TYER", "TALB", "TCON", "TXXX", "CHAP", "CTOC":
		return true
	}
	return false
}

// plain undoes the changes to a frame that its flags report. It returns false
// for compressed and encrypted frames.
func plain(b []byte, flags uint16, version int) ([]byte, bool) {
	if version == 3 {
		if flags&0xc0 != 0 {
			return nil, false
		}
		if flags&0x20 != 0 { // grouping
			return b[min(1, len(b)):], true
		}
		return b, true
	}
	if flags&0x0c != 0 {
		return nil, false
	}
	if flags&0x40 != 0 { // grouping
		b = b[min(1, len(b)):]
	}
	if flags&0x01 != 0 { // length
		b = b[min(4, len(b)):]
	}
	if flags&0x02 != 0 {
		b = synchronise(b)
	}
	return b, true
}

// take keeps the content of a frame.
func (p *parser) take(f frame) {
	switch f.id {
	case "CHAP":
		p.takeChapter(f.data)
	case "CTOC":
		p.takeContents(f.data)
	case "TXXX":
		if name, value, _ := strings.Cut(decoded(f.data), "\x00"); strings.EqualFold(name, "CUESHEET") && p.sheet == "" {
			p.sheet, _, _ = strings.Cut(strings.TrimPrefix(value, "\ufeff"), "\x00")
		}
	default:
		if p.text[f.id] == "" {
			p.text[f.id] = text(f.data)
		}
	}
}

func (p *parser) tags() metadata.Tags {
	t := metadata.Tags{
		Title: p.text["TIT2"], Artist: p.text["TPE1"], Date: cmp.Or(p.text["TDRC"], p.text["TYER"]),
		Album: p.text["TALB"], Genre: genre(p.text["TCON"]), Chapters: seconds(p.outline()),
	}
	if len(t.Chapters) == 0 {
		t.Chapters = metadata.Disc(nil, 0, p.sheet)
	}
	return t
}

// genre returns a genre in words. Before version 2.4, a number in parentheses
// before the words may stand for a genre.
func genre(s string) string {
	for strings.HasPrefix(s, "(") && strings.Contains(s, ")") {
		_, s, _ = strings.Cut(s, ")")
	}
	if strings.Trim(s, "0123456789") == "" {
		return ""
	}
	return s
}

// text reads the content of a text frame: the first of its strings.
func text(b []byte) string {
	s, _, _ := strings.Cut(decoded(b), "\x00")
	return s
}

// decoded returns the whole text of a text frame.
func decoded(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	switch b[0] {
	case 0:
		return charset.Latin1(b[1:])
	case 1:
		return charset.UTF16(b[1:], binary.LittleEndian)
	case 2:
		return charset.UTF16(b[1:], binary.BigEndian)
	case 3:
		return charset.UTF8(b[1:])
	}
	return ""
}
