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

	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// Limits of reading.
const (
	MaxChapters = 1000 // CHAPTER000 to CHAPTER999
	maxPacket   = 16 << 20
	maxComments = 10_000
	maxComment  = 64 << 10 // bytes; longer ones are pictures
)

// FLAC reads the comments of a FLAC file of size bytes, with its stream marker at an
// offset. It returns empty Tags if there are none. Errors are those of r.
func FLAC(r io.ReaderAt, size, offset int64) (metadata.Tags, error) {
	marker, err := metadata.ReadAt(r, size, offset, 4)
	if err != nil || string(marker) != "fLaC" {
		return metadata.Tags{}, err
	}
	blocks, err := readBlocks(r, size, offset+4)
	if err != nil {
		return metadata.Tags{}, err
	}
	return tagsOf(comments(blocks[vorbisComment]), blocks[cueSheet], sampleRate(blocks[streamInfo])), nil
}

// tagsOf makes tags of comments. Chapters are those in the comments, or else the tracks
// of a disc, of which a FLAC file has a block in samples of a rate.
func tagsOf(comments map[string]string, disc []byte, rate int) metadata.Tags {
	t := metadata.Named(comments)
	if t.Chapters = chapters(comments); len(t.Chapters) == 0 {
		t.Chapters = metadata.Disc(disc, rate, comments["CUESHEET"])
	}
	return t
}

// sampleRate returns the samples per second in a STREAMINFO block (RFC 9639, section
// 8.2), or 0.
func sampleRate(b []byte) int {
	if len(b) < 13 {
		return 0
	}
	return int(b[10])<<12 | int(b[11])<<4 | int(b[12])>>4
}

// Types of metadata blocks (RFC 9639, section 8.1).
const (
	streamInfo    = 0
	vorbisComment = 4
	cueSheet      = 5
)

// readBlocks reads the first metadata block of each textual type, from an offset on.
func readBlocks(r io.ReaderAt, size, at int64) (map[byte][]byte, error) {
	found := make(map[byte][]byte)
	for range 128 {
		head, err := metadata.ReadAt(r, size, at, 4)
		if err != nil || len(head) < 4 {
			return found, err
		}
		length := int64(head[1])<<16 | int64(head[2])<<8 | int64(head[3])
		kind := head[0] & 0x7f
		if known := kind == streamInfo || kind == vorbisComment || kind == cueSheet; known && found[kind] == nil {
			if found[kind], err = metadata.ReadAt(r, size, at+4, length); err != nil {
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

// comments reads a comment header (Vorbis I, section 5): the first value of each name,
// in upper case.
func comments(b []byte) map[string]string {
	values := make(map[string]string)
	_, b = field(b) // vendor
	if len(b) < 4 {
		return values
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
		if _, twice := values[key]; !twice {
			values[key] = string(value)
		}
	}
	return values
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
func chapters(tags map[string]string) []metadata.Chapter {
	var found []metadata.Chapter
	for name, value := range tags {
		number, ok := strings.CutPrefix(name, "CHAPTER")
		if !ok || !isNumber(number) {
			continue
		}
		if start, ok := clock(value); ok {
			found = append(found, metadata.Chapter{Start: float64(start) / 1000, Title: tags[name+"NAME"]})
		}
	}
	slices.SortFunc(found, func(a, b metadata.Chapter) int {
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
