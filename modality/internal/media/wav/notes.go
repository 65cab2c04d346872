package wav

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/charset"
)

// Notes are the textual content of a WAV file.
type Notes struct {
	Title, Artist, Date    string // from the INFO list
	Album, Genre, Keywords string
	Cues                   []Cue // in time order
}

// A Cue is a marked place or range.
type Cue struct {
	Start  float64 // seconds
	Length float64 // seconds; 0 for a point
	Label  string
}

const (
	maxCues = 20_000
	maxList = 4 << 20 // bytes of a list that are read
)

// ReadNotes reads the labels and cue points of a WAV file of the given size, before and
// after the sound. It skips what is damaged. Errors are those of r.
func ReadNotes(r io.ReaderAt, size int64) (*Notes, error) {
	n := &noteReader{r: r, size: size, dataSize: -1, labels: make(map[uint32]string), lengths: make(map[uint32]uint32)}
	at := int64(12)
	for range maxChunks {
		head, err := n.read(at, 8)
		if err != nil || len(head) < 8 {
			return n.notes(), err
		}
		length := int64(binary.LittleEndian.Uint32(head[4:]))
		if length == unknownSize {
			if n.dataSize < 0 {
				break // the start of the next one is unknown
			}
			length = n.dataSize
		}
		if err := n.chunk(string(head[:4]), at+8, length); err != nil {
			return nil, err
		}
		at += 8 + length + length%2
	}
	return n.notes(), nil
}

type noteReader struct {
	r        io.ReaderAt
	size     int64
	dataSize int64 // from the ds64 chunk; -1 if there is none
	rate     uint32
	found    Notes
	points   []point
	labels   map[uint32]string // by cue
	lengths  map[uint32]uint32 // in frames, by cue
}

// A point is a cue point.
type point struct{ id, frame uint32 }

// read returns count bytes at an offset, or fewer at the end of the file.
func (n *noteReader) read(at, count int64) ([]byte, error) {
	count = min(count, n.size-at)
	if at < 0 || count <= 0 {
		return nil, nil
	}
	b := make([]byte, count)
	k, err := n.r.ReadAt(b, at)
	if err == io.EOF {
		err = nil
	}
	return b[:k], err
}

func (n *noteReader) chunk(id string, body, length int64) error {
	switch id {
	case "ds64", "fmt ", "cue ", "LIST":
	default:
		return nil
	}
	if length > maxList {
		return nil
	}
	b, err := n.read(body, length)
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
func (n *noteReader) list(kind string, b []byte) {
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

func (n *noteReader) label(id string, b []byte) {
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

func (n *noteReader) info(id string, b []byte) {
	switch id {
	case "INAM":
		n.found.Title = text(b)
	case "IART":
		n.found.Artist = text(b)
	case "ICRD":
		n.found.Date = text(b)
	case "IPRD":
		n.found.Album = text(b)
	case "IGNR":
		n.found.Genre = text(b)
	case "IKEY":
		n.found.Keywords = text(b)
	}
}

func text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return charset.UTF8([]byte(s))
}

func (n *noteReader) notes() *Notes {
	if n.rate == 0 {
		return &n.found
	}
	for _, p := range n.points {
		n.found.Cues = append(n.found.Cues, Cue{
			Start:  float64(p.frame) / float64(n.rate),
			Length: float64(n.lengths[p.id]) / float64(n.rate),
			Label:  n.labels[p.id],
		})
	}
	slices.SortStableFunc(n.found.Cues, func(a, b Cue) int { return cmp.Compare(a.Start, b.Start) })
	return &n.found
}
