package wav

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/internal/media/metadata"
)

const (
	maxCues = 20_000
	maxList = 4 << 20 // bytes of a list that are read
)

// ReadTags reads the INFO list of a WAV file of the given size, and its cue points, with
// their labels, as chapters in time order, before and after the sound. It skips what is
// damaged. Errors are those of r.
func ReadTags(r io.ReaderAt, size int64) (metadata.Tags, error) {
	n := &tagReader{r: r, size: size, dataSize: -1, labels: make(map[uint32]string), lengths: make(map[uint32]uint32)}
	at := int64(12)
	for range maxChunks {
		head, err := metadata.ReadAt(r, size, at, 8)
		if err != nil || len(head) < 8 {
			return n.tags(), err
		}
		length := int64(binary.LittleEndian.Uint32(head[4:]))
		if length == unknownSize {
			if n.dataSize < 0 {
				break // the start of the next one is unknown
			}
			length = n.dataSize
		}
		if err := n.chunk(string(head[:4]), at+8, length); err != nil {
			return metadata.Tags{}, err
		}
		at += 8 + length + length%2
	}
	return n.tags(), nil
}

type tagReader struct {
	r        io.ReaderAt
	size     int64
	dataSize int64 // from the ds64 chunk; -1 if there is none
	rate     uint32
	found    metadata.Tags
	points   []point
	labels   map[uint32]string // by cue
	lengths  map[uint32]uint32 // in frames, by cue
}

// A point is a cue point.
type point struct{ id, frame uint32 }

func (n *tagReader) chunk(id string, body, length int64) error {
	switch id {
	case "ds64", "fmt ", "cue ", "LIST":
	default:
		return nil
	}
	if length > maxList {
		return nil
	}
	b, err := metadata.ReadAt(n.r, n.size, body, length)
	if err != nil {
		return err
	}
	switch {
	case id == "ds64" && len(b) >= 16:
		if v := binary.LittleEndian.Uint64(b[8:]); v <= uint64(n.size) {
			n.dataSize = int64(v)
		}
	case id == "fmt " && len(b) >= 8:
		n.rate = binary.LittleEndian.Uint32(b[4:])
	case id == "cue " && len(b) >= 4:
		for b = b[4:]; len(b) >= 24 && len(n.points) < maxCues; b = b[24:] {
			n.points = append(n.points, point{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[20:])})
		}
	case id == "LIST" && len(b) >= 4:
		n.list(string(b[:4]), b[4:])
	}
	return nil
}

// list reads a list of labels or of information.
func (n *tagReader) list(kind string, b []byte) {
	for len(b) >= 8 {
		id, length := string(b[:4]), int64(binary.LittleEndian.Uint32(b[4:]))
		if length > int64(len(b)-8) {
			return
		}
		if kind == "adtl" {
			n.label(id, b[8:8+length])
		} else if kind == "INFO" {
			n.info(id, b[8:8+length])
		}
		b = b[min(8+length+length%2, int64(len(b))):]
	}
}

func (n *tagReader) label(id string, b []byte) {
	if len(b) < 4 || len(n.labels) == maxCues {
		return
	}
	cue := binary.LittleEndian.Uint32(b)
	switch {
	case id == "labl":
		n.labels[cue] = text(b[4:])
	case id == "note" && n.labels[cue] == "":
		n.labels[cue] = text(b[4:])
	case id == "ltxt" && len(b) >= 8:
		n.lengths[cue] = binary.LittleEndian.Uint32(b[4:])
		if len(b) > 20 && n.labels[cue] == "" {
			n.labels[cue] = text(b[20:])
		}
	}
}

func (n *tagReader) info(id string, b []byte) {
	t := &n.found
	field := map[string]*string{
		"INAM": &t.Title, "IART": &t.Artist, "ICRD": &t.Date, "IPRD": &t.Album, "IGNR": &t.Genre, "IKEY": &t.Keywords,
	}[id]
	if field != nil {
		*field = text(b)
	}
}

func text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return charset.UTF8([]byte(s))
}

func (n *tagReader) tags() metadata.Tags {
	if n.rate == 0 {
		return n.found
	}
	for _, p := range n.points {
		c := metadata.Chapter{Start: float64(p.frame) / float64(n.rate), Title: n.labels[p.id]}
		if length := float64(n.lengths[p.id]) / float64(n.rate); length > 0 {
			c.End = c.Start + length
		}
		n.found.Chapters = append(n.found.Chapters, c)
	}
	slices.SortStableFunc(n.found.Chapters, func(a, b metadata.Chapter) int { return cmp.Compare(a.Start, b.Start) })
	return n.found
}
