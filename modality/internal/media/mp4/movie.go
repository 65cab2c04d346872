package mp4

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Limits on input.
const (
	MaxMovieBox = 48 << 20 // bytes of the movie box (moov): nearly a day of film
	MaxSamples  = 20 << 20 // frames or subtitles of a track
	MaxTracks   = 64       // tracks of a movie

	maxTopLevel = 10000 // boxes before the movie box
	maxFileType = 4096  // bytes of the file type box
)

// A Movie is the index of a file: its tracks and the positions of their
// samples. It does not keep the file open and is safe for concurrent use.
type Movie struct {
	size      int64 // of the file
	fileType  []byte
	header    movieHeader
	tracks    []*track
	duration  float64
	short     bool // some samples are not in the file
	allocated int64
	source    io.ReaderAt // of samples; nil to believe the tables, see [Movie.Reading]
}

// Open reads the index of a file of size bytes: the headers of its top-level
// boxes and the movie box, but no media.
//
// Errors match [ErrFormat] if r is not a movie file, [ErrFragmented] or
// [errors.ErrUnsupported] if this package cannot cut the movie, [ErrDamaged],
// and [ErrTooLarge].
func Open(r io.ReaderAt, size int64) (*Movie, error) {
	m := &Movie{size: size}
	moov, err := m.scan(r)
	if err != nil {
		return nil, err
	}
	if err := m.parse(moov); err != nil {
		return nil, err
	}
	m.allocated = int64(len(moov)) + 4096
	for _, t := range m.tracks {
		m.allocated += t.table.cost()
	}
	return m, nil
}

// Cost returns the approximate memory of the Movie in bytes.
func (m *Movie) Cost() int64 { return m.allocated }

// Duration returns the length of the movie in seconds: up to the end of the
// last frame or sound that its tables and edit lists show and that is in the
// file. Durations in headers do not count.
func (m *Movie) Duration() float64 { return m.duration }

// Short reports whether the file was cut short: its tables list samples that
// are not in it. Such samples are ignored.
func (m *Movie) Short() bool { return m.short }

// Tracks returns the tracks that a clip may hold, in file order.
func (m *Movie) Tracks() []Track {
	tracks := make([]Track, len(m.tracks))
	for i, t := range m.tracks {
		tracks[i] = t.Track
	}
	return tracks
}

// scan walks the top-level boxes and returns the content of the movie box.
func (m *Movie) scan(r io.ReaderAt) ([]byte, error) {
	var header [16]byte
	for at, n := int64(0), 0; ; n++ {
		if n == maxTopLevel {
			return nil, damaged("no movie box among the first %d boxes", n)
		}
		kind, length, content, err := boxHeader(r, at, m.size, &header)
		if n == 0 && (err != nil || !opensFile(kind)) {
			return nil, ErrFormat
		}
		if errors.Is(err, io.EOF) {
			return nil, damaged("no movie box (moov): the file may be cut short")
		}
		if err != nil {
			return nil, err
		}
		switch kind {
		case "moof":
			return nil, ErrFragmented
		case "ftyp":
			if m.fileType == nil && length <= maxFileType {
				if m.fileType, err = read(r, at, length); err != nil {
					return nil, err
				}
			}
		case "moov":
			if length > MaxMovieBox {
				return nil, tooLarge("movie box of %d bytes; at most %d", length, MaxMovieBox)
			}
			return read(r, at+content, length-content)
		}
		at += length
	}
}

// opensFile reports whether a file may begin with a box of this kind: the file
// type, or a box of QuickTime files that predate file types.
func opensFile(kind string) bool {
	switch kind {
	case "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot":
		return true
	}
	return false
}

// boxHeader reads the header of the box at offset at: its kind, its length, and
// the offset of the content in the box. The error is io.EOF if no box is left.
func boxHeader(r io.ReaderAt, at, size int64, buf *[16]byte) (kind string, length, content int64, err error) {
	if size-at < 8 {
		return "", 0, 0, io.EOF
	}
	n := min(16, size-at)
	if k, err := r.ReadAt(buf[:n], at); int64(k) < n {
		return "", 0, 0, readError(err)
	}
	kind = string(buf[4:8])
	length, content = int64(be.Uint32(buf[:])), 8
	switch {
	case length == 0:
		length = size - at
	case length == 1 && n == 16:
		length, content = int64(min(be.Uint64(buf[8:]), math.MaxInt64)), 16
	}
	if length < content {
		return kind, 0, 0, damaged("box of %d bytes at %d", length, at)
	}
	if length > size-at && kind != "mdat" {
		return kind, 0, 0, damaged("%s box of %d bytes at %d, where %d are left", printable(kind), length, at, size-at)
	}
	return kind, min(length, size-at), content, nil
}

// read returns n bytes at an offset. The caller has checked n.
func read(r io.ReaderAt, at, n int64) ([]byte, error) {
	b := make([]byte, n)
	if k, err := r.ReadAt(b, at); int64(k) < n {
		return nil, readError(err)
	}
	return b, nil
}

// readError converts the error of a short read.
func readError(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the file is shorter than it was: %w", ErrDamaged, io.ErrUnexpectedEOF)
	}
	return err
}

// printable returns a four-character code fit for a message.
func printable(kind string) string {
	for _, c := range []byte(kind) {
		if c < ' ' || c > '~' {
			return fmt.Sprintf("%x", kind)
		}
	}
	return kind
}

// parse reads the content of the movie box.
func (m *Movie) parse(moov []byte) error {
	if err := checkBoxes(moov); err != nil {
		return err
	}
	if _, ok := find(moov, "cmov"); ok {
		return unsupported("compressed movie box")
	}
	if _, ok := find(moov, "rmra"); ok {
		return unsupported("movie that only refers to other files")
	}
	if _, ok := find(moov, "mvex"); ok {
		return ErrFragmented
	}
	mvhd, _ := find(moov, "mvhd")
	if err := m.header.parse(mvhd); err != nil {
		return err
	}
	if err := m.parseTracks(moov); err != nil {
		return err
	}
	for _, t := range m.tracks {
		if t.Kind != Subtitle {
			m.duration = max(m.duration, t.End)
		}
	}
	if m.duration == 0 && m.short {
		return damaged("the file is cut short: nothing of what its header lists is in its %d bytes", m.size)
	}
	if m.duration == 0 {
		return damaged("no track shows or sounds anything")
	}
	return nil
}

// parseTracks keeps the tracks whose media a clip may hold.
func (m *Movie) parseTracks(moov []byte) error {
	var traks []box
	for x := range boxes(moov) {
		if x.kind != "trak" {
			continue
		}
		if len(traks) == MaxTracks {
			return tooLarge("more than %d tracks", MaxTracks)
		}
		traks = append(traks, x)
	}
	chapters := map[uint32]bool{}
	for _, x := range traks {
		for ref := range references(x.data) {
			if ref.kind == "chap" {
				chapters[ref.id] = true
			}
		}
	}
	for i, x := range traks {
		t, err := m.parseTrack(x.data, chapters)
		if err != nil {
			return fmt.Errorf("track %d: %w", i+1, err)
		}
		if t != nil {
			m.tracks = append(m.tracks, t)
		}
	}
	return nil
}
