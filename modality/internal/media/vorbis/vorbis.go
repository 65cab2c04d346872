// Package vorbis reads Vorbis comments: in Ogg files (RFC 3533) with Vorbis, Opus,
// FLAC, Speex or Theora, and in FLAC files (RFC 9639, section 8.6). They hold tags and,
// by convention, chapters or a cue sheet. FLAC files also have a block for a cue sheet
// (section 8.7).
//
// Files may lie: each length is checked against the bytes present. A damaged file gives
// what was read before the damage.
package vorbis

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of reading.
const (
	MaxChapters = 1000 // CHAPTER000 to CHAPTER999
	maxPacket   = 16 << 20
	maxComments = 10_000
	maxComment  = 64 << 10 // bytes; longer ones are pictures
)

// Comments are the metadata of a file.
type Comments struct {
	Tags     map[string]string // first value of each, by name in upper case
	Chapters []Chapter         // in time order
	Tracks   []Track           // of a cue sheet, in time order
}

// A Chapter ends where the next one begins.
type Chapter struct {
	Start int64 // milliseconds
	Title string
}

// A file is a reader and its size.
type file struct {
	r    io.ReaderAt
	size int64
}

// bytes returns n bytes at an offset, or fewer at the end of the file.
func (f file) bytes(at, n int64) ([]byte, error) {
	n = min(n, f.size-at)
	if n <= 0 {
		return nil, nil
	}
	b := make([]byte, n)
	k, err := f.r.ReadAt(b, at)
	if err == io.EOF {
		err = nil
	}
	return b[:k], err
}

// FLAC reads the comments of a FLAC file of size bytes, with its stream marker at an
// offset. It returns empty Comments if there are none. Errors are those of r.
func FLAC(r io.ReaderAt, size, offset int64) (*Comments, error) {
	f := file{r, size}
	marker, err := f.bytes(offset, 4)
	if err != nil || string(marker) != "fLaC" {
		return &Comments{}, err
	}
	blocks, err := f.blocks(offset + 4)
	if err != nil {
		return nil, err
	}
	c := &Comments{}
	if blocks[vorbisComment] != nil {
		c = parse(blocks[vorbisComment])
	}
	if block := binarySheet(blocks[cueSheet], sampleRate(blocks[streamInfo])); len(block.tracks) > 0 {
		c.Tracks = tracksOf(block, textSheet(c.Tags["CUESHEET"]))
	}
	return c, nil
}

// Types of metadata blocks (RFC 9639, section 8.1).
const (
	streamInfo    = 0
	vorbisComment = 4
	cueSheet      = 5
)

// blocks reads the first metadata block of each textual type, from an offset on.
func (f file) blocks(at int64) (map[byte][]byte, error) {
	found := make(map[byte][]byte)
	for range 128 {
		head, err := f.bytes(at, 4)
		if err != nil || len(head) < 4 {
			return found, err
		}
		length := int64(head[1])<<16 | int64(head[2])<<8 | int64(head[3])
		kind := head[0] & 0x7f
		if known := kind == streamInfo || kind == vorbisComment || kind == cueSheet; known && found[kind] == nil {
			if found[kind], err = f.bytes(at+4, length); err != nil {
				return nil, err
			}
		}
		if head[0]&0x80 != 0 {
			break
		}
		at += 4 + length
	}
	return found, nil
}

// parse reads a comment header (Vorbis I, section 5).
func parse(b []byte) *Comments {
	c := &Comments{Tags: make(map[string]string)}
	_, b = field(b) // vendor
	if len(b) < 4 {
		return c
	}
	count := binary.LittleEndian.Uint32(b)
	b = b[4:]
	for range min(count, maxComments) {
		var comment []byte
		if comment, b = field(b); b == nil {
			break
		}
		name, value, ok := bytes.Cut(comment, []byte("="))
		if !ok || len(comment) > maxComment || !utf8.Valid(comment) {
			continue
		}
		key := strings.ToUpper(string(name))
		if _, twice := c.Tags[key]; !twice {
			c.Tags[key] = string(value)
		}
	}
	c.Chapters = chapters(c.Tags)
	c.Tracks = Sheet(c.Tags["CUESHEET"])
	return c
}

// field reads a string that is preceded by its length. Rest is nil if the string is
// truncated.
func field(b []byte) (content, rest []byte) {
	if len(b) < 4 {
		return nil, nil
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if uint64(n) > uint64(len(b)) {
		return nil, nil
	}
	return b[:n], b[n:]
}

// chapters reads the comments CHAPTERxxx, which hold a time, and CHAPTERxxxNAME.
func chapters(tags map[string]string) []Chapter {
	var found []Chapter
	for name, value := range tags {
		number, ok := strings.CutPrefix(name, "CHAPTER")
		if !ok || !isNumber(number) {
			continue
		}
		if start, ok := clock(value); ok {
			found = append(found, Chapter{Start: start, Title: tags[name+"NAME"]})
		}
	}
	slices.SortFunc(found, func(a, b Chapter) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Title, b.Title))
	})
	return found[:min(len(found), MaxChapters)]
}

func isNumber(s string) bool {
	return len(s) >= 2 && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}

// clock reads a time such as 01:02:03.456, in milliseconds.
func clock(s string) (int64, bool) {
	parts := strings.Split(strings.TrimSpace(s), ":")
	if len(parts) != 3 {
		return 0, false
	}
	seconds, fraction, _ := strings.Cut(parts[2], ".")
	fraction = (fraction + "000")[:3]
	var total int64
	for i, part := range []string{parts[0], parts[1], seconds, fraction} {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return 0, false
		}
		unit := int64(60)
		if i == 3 {
			unit = 1000
		}
		total = total*unit + int64(n)
	}
	return total, true
}
