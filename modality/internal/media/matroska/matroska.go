// Package matroska reads the textual parts of Matroska and WebM files (RFC 9559): tags,
// chapters and text subtitles. It does not read sound and pictures.
//
// Files may lie. Sizes are checked against the size of the file. For a damaged file the
// readable part is returned, which may be empty.
package matroska

import (
	"io"
	"slices"

	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// Limits of reading.
const (
	MaxChapters = 20_000    // chapters in a file
	MaxDepth    = 16        // levels of nested chapters
	MaxTracks   = 256       // tracks in a file
	MaxCues     = 500_000   // blocks in a subtitle track
	MaxText     = 16 << 20  // bytes of text in a subtitle track
	maxMaster   = 16 << 20  // bytes of chapters, tags or tracks
	maxRead     = 128 << 20 // bytes of all of these together
	maxSeeks    = 1 << 10   // places in seek heads
	maxTop      = 1 << 20   // elements at the top level
	maxElements = 100 << 20 // elements examined for subtitles
)

// Ids of elements (RFC 9559, section 5.1).
const (
	idEBML     = 0x1A45DFA3
	idSegment  = 0x18538067
	idSeekHead = 0x114D9B74
	idInfo     = 0x1549A966
	idTracks   = 0x1654AE6B
	idCluster  = 0x1F43B675
	idChapters = 0x1043A770
	idTags     = 0x1254C367
)

// A File is the textual content of a file. It holds nothing open, and several callers
// may share it.
type File struct {
	Tags     map[string]string  // of the whole file, by name in upper case
	Chapters []metadata.Chapter // on the clock of the file
	Tracks   []Track

	scale    uint64 // nanoseconds per tick
	clusters int64  // offset of the first cluster, or 0
}

// A parser reads a file.
type parser struct {
	*window
	file    *File
	segment int64          // offset of the content of the segment
	done    map[int64]bool // offsets already read
	seeks   []int64        // offsets in the seek heads
	master  map[uint32][]byte
	read    int // bytes read
}

// Open reads the textual parts of a file of size bytes. Errors are those of r.
func Open(r io.ReaderAt, size int64) (*File, error) {
	d := &parser{
		window: &window{r: r, size: size},
		file:   &File{Tags: make(map[string]string), scale: 1_000_000},
		done:   make(map[int64]bool),
		master: make(map[uint32][]byte),
	}
	head, ok, err := d.place(0)
	if err != nil || !ok || head.id != idEBML || head.open {
		return d.file, err
	}
	segment, ok, err := d.place(head.end)
	if err != nil || !ok || segment.id != idSegment {
		return d.file, err
	}
	d.segment = segment.content
	if err := d.walk(segment.end); err != nil {
		return nil, err
	}
	if err := d.follow(); err != nil {
		return nil, err
	}
	d.parse()
	return d.file, nil
}

// walk reads the elements of the segment up to the first cluster, and those after the
// clusters if no seek head gives their offsets.
func (d *parser) walk(end int64) error {
	at := d.segment
	for range maxTop {
		p, ok, err := d.place(at)
		if err != nil || !ok || at >= end {
			return err
		}
		if p.id == idCluster {
			if d.file.clusters == 0 {
				d.file.clusters = p.at
			}
			if len(d.seeks) > 0 {
				return nil
			}
		}
		if p.open {
			return nil
		}
		if err := d.take(p); err != nil {
			return err
		}
		at = p.end
	}
	return nil
}

// follow reads what the seek heads point to, including other seek heads.
func (d *parser) follow() error {
	for i := 0; i < len(d.seeks); i++ {
		p, ok, err := d.place(d.seeks[i])
		if err != nil {
			return err
		}
		if ok && !p.open {
			if err := d.take(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// take keeps the content of a textual element.
func (d *parser) take(p place) error {
	switch p.id {
	case idSeekHead, idInfo, idTracks, idChapters, idTags:
	default:
		return nil
	}
	if d.done[p.at] || d.read > maxRead {
		return nil
	}
	d.done[p.at] = true
	b, err := d.content(p, maxMaster)
	if err != nil {
		return err
	}
	d.read += len(b)
	if p.id == idSeekHead {
		d.seek(b)
		return nil
	}
	if len(d.master[p.id])+len(b) <= maxMaster {
		d.master[p.id] = append(d.master[p.id], b...)
	}
	return nil
}

// seek reads a seek head (RFC 9559, section 5.1.1).
func (d *parser) seek(b []byte) {
	for e := range elements(b) {
		if e.id != 0x4DBB {
			continue
		}
		for field := range elements(e.data) {
			if field.id != 0x53AC {
				continue
			}
			if at := integer(field.data); at < uint64(max(d.size-d.segment, 0)) && len(d.seeks) < maxSeeks {
				d.seeks = append(d.seeks, d.segment+int64(at))
			}
		}
	}
}

func (d *parser) parse() {
	f := d.file
	for e := range elements(d.master[idInfo]) {
		switch e.id {
		case 0x2AD7B1: // TimestampScale
			if v := integer(e.data); v > 0 && v < 1<<40 {
				f.scale = v
			}
		case 0x7BA9: // Title
			f.Tags["TITLE"] = text(e.data)
		}
	}
	f.parseTracks(d.master[idTracks])
	f.parseTags(d.master[idTags])
	f.Chapters = parseChapters(d.master[idChapters], f.Language())
}

// Language returns the language of the first audio track, or "" if unknown.
func (f *File) Language() string {
	i := slices.IndexFunc(f.Tracks, func(t Track) bool { return t.Type == Audio })
	if i < 0 {
		return ""
	}
	return f.Tracks[i].Language
}
