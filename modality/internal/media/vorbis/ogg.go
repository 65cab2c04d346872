package vorbis

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/citekit/citekit/modality/internal/media/metadata"
)

const (
	pageHeader = 27
	maxStreams = 32
	maxPages   = 10_000 // pages that are examined
)

// An oggStream is one logical stream of a file.
type oggStream struct {
	packets int    // number of complete packets
	held    []byte // the incomplete packet
}

// Ogg reads the comments of an Ogg file of size bytes: those of the first stream that
// has any. Errors are those of r.
func Ogg(r io.ReaderAt, size int64) (metadata.Tags, error) {
	streams := make(map[uint32]*oggStream)
	held, at := 0, int64(0)
	for range maxPages {
		p, err := readPage(r, size, at)
		if err != nil || p == nil {
			return metadata.Tags{}, err
		}
		at += int64(p.header + len(p.body))
		s := streams[p.serial]
		if s == nil {
			if len(streams) == maxStreams {
				return metadata.Tags{}, nil
			}
			s = &oggStream{}
			streams[p.serial] = s
		}
		if s.packets > 1 {
			if allRead(streams) {
				return metadata.Tags{}, nil
			}
			continue
		}
		if held += len(p.body); held > maxPacket {
			return metadata.Tags{}, nil
		}
		if packet := s.add(p); packet != nil {
			return tagsOf(comments(packet), nil, 0), nil
		}
	}
	return metadata.Tags{}, nil
}

// allRead reports whether every stream has passed the headers that may hold comments.
// All streams begin before any continues (RFC 3533, section 4).
func allRead(streams map[uint32]*oggStream) bool {
	for _, s := range streams {
		if s.packets < 2 {
			return false
		}
	}
	return true
}

// A page is a page of an Ogg file (RFC 3533, section 6).
type page struct {
	serial   uint32
	header   int // bytes
	segments []byte
	body     []byte
}

// readPage reads the page at an offset, or returns nil if there is none.
func readPage(r io.ReaderAt, size, at int64) (*page, error) {
	head, err := metadata.ReadAt(r, size, at, pageHeader+255)
	if err != nil || len(head) < pageHeader || string(head[:4]) != "OggS" {
		return nil, err
	}
	n := int(head[26])
	if len(head) < pageHeader+n {
		return nil, nil
	}
	p := &page{serial: binary.LittleEndian.Uint32(head[14:]), header: pageHeader + n, segments: head[pageHeader : pageHeader+n]}
	length := 0
	for _, s := range p.segments {
		length += int(s)
	}
	p.body, err = metadata.ReadAt(r, size, at+int64(p.header), int64(length))
	if len(p.body) < length {
		return nil, err
	}
	return p, err
}

// add adds a page to the stream and returns its comments if they are now complete: its
// second packet without the signature.
func (s *oggStream) add(p *page) []byte {
	body := p.body
	for _, n := range p.segments {
		s.held = append(s.held, body[:n]...)
		body = body[n:]
		if n == 255 {
			continue
		}
		s.packets++
		packet := s.held
		s.held = nil
		if s.packets == 2 {
			return commentHeader(packet)
		}
	}
	return nil
}

// commentHeader returns the comment header in a packet, or nil.
func commentHeader(packet []byte) []byte {
	for _, sign := range []string{"\x03vorbis", "OpusTags", "\x81theora", "\x81kate\x00\x00\x00"} {
		if rest, ok := bytes.CutPrefix(packet, []byte(sign)); ok {
			return rest
		}
	}
	if len(packet) > 4 && packet[0]&0x7f == 4 && int(packet[1])<<16|int(packet[2])<<8|int(packet[3]) == len(packet)-4 {
		return packet[4:] // FLAC (RFC 9639, section 10.1)
	}
	if vendor, rest := field(packet); rest != nil && utf8Text(vendor) {
		return packet // Speex
	}
	return nil
}

func utf8Text(b []byte) bool { return len(b) > 0 && bytes.IndexByte(b, 0) < 0 }
