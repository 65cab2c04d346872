package mp4

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// ErrSuspect reports samples that do not look like the codec of their track.
// Only a decoder can tell whether they are damaged.
var ErrSuspect = fmt.Errorf("%w: samples that look damaged", ErrDamaged)

const (
	maxChecked   = 8 // samples checked in each track of a clip
	checkedBytes = 256 << 10
)

// A checked is a sample of a clip whose first bytes are checked.
type checked struct {
	track *track
	index int
	off   int64 // offset in the source
	len   int64
}

// sampled returns some samples of a part: the first, the last and some between.
func (p *part) sampled() []checked {
	if p.Kind == Subtitle || p.packed {
		return nil
	}
	var all []checked
	n := p.stop - p.first
	for k := range min(n, maxChecked) {
		i := p.first
		if n > 1 {
			i += k * (n - 1) / (min(n, maxChecked) - 1)
		}
		if off, size, ok := p.locate(i); ok {
			all = append(all, checked{p.track, i, off, size})
		}
	}
	return all
}

// reopen parses the header of the finished clip and checks that its tables list the samples
// put into them, and refer only to bytes in the clip.
func (c *Clip) reopen(parts []*part) error {
	m := &Movie{size: c.size}
	moov, err := m.scan(headerOf{bytes.NewReader(c.header), c.size})
	if err == nil {
		err = m.parse(moov)
	}
	if err != nil {
		return fmt.Errorf("the clip cannot be read back: %w", err)
	}
	if len(m.tracks) != len(parts) {
		return fmt.Errorf("the clip cannot be read back: %d tracks of %d: %w", len(m.tracks), len(parts), ErrDamaged)
	}
	for k, t := range m.tracks {
		if n := parts[k].stop - parts[k].first; t.table.n != n {
			return fmt.Errorf("the clip cannot be read back: %d samples of %d: %w", t.table.n, n, ErrDamaged)
		}
		chunk, begin, end, _ := t.table.chunkOf(t.table.n - 1)
		if last := int64(t.table.offsets.of(chunk)) + t.table.sizes.sum(begin, end); last > c.size {
			return fmt.Errorf("the clip cannot be read back: its samples reach to byte %d of %d: %w", last, c.size, ErrDamaged)
		}
	}
	return nil
}

// headerOf is a file that has only its header.
type headerOf struct {
	*bytes.Reader
	size int64
}

// Check checks the first and last samples of each track of the clip, and some
// between. It reads them from r, the source that the movie was opened from. An
// error matches [ErrSuspect] if a sample does not look like its codec, or comes
// from r. Sound of most codecs has no recognisable mark; it is only checked not
// to be all zeros.
func (c *Clip) Check(r io.ReaderAt) error {
	for _, s := range c.checked {
		n := min(s.len, checkedBytes)
		b := make([]byte, n)
		if k, err := r.ReadAt(b, s.off); int64(k) < n {
			return readError(err)
		}
		if why := s.suspect(b); why != "" {
			return fmt.Errorf("%w: sample %d of track %d %s", ErrSuspect, s.index+1, s.track.ID, why)
		}
	}
	return nil
}

// suspect returns what is wrong with a sample that begins with b, or "".
func (s checked) suspect(b []byte) string {
	whole := int64(len(b)) == s.len
	switch {
	case s.len == 0:
		return "is empty"
	case len(b) > 8 && len(bytes.Trim(b, "\x00")) == 0:
		return "is all zeros"
	}
	ok := true
	switch s.track.Codec {
	case "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "dvh1", "dvhe":
		ok = isUnits(b, s.track.unitLength(), whole)
	case "vp09":
		ok = isVP9(b)
	case "av01":
		ok = isAV1(b, whole)
	case "mp4v":
		ok = bytes.Contains(b[:min(len(b), 64)], []byte{0, 0, 1})
	case ".mp3", "mp3 ":
		ok = len(b) > 2 && b[0] == 0xff && b[1]&0xe0 == 0xe0
	case "ac-3", "ec-3":
		ok = bytes.HasPrefix(b, []byte{0x0b, 0x77})
	case "jpeg", "mjpa", "mjpb":
		ok = bytes.HasPrefix(b, []byte{0xff, 0xd8})
	}
	if !ok {
		return "is none of " + s.track.Codec
	}
	return ""
}

// isAVC reports whether the samples are H.264.
func (t *track) isAVC() bool {
	return slices.Contains([]string{"avc1", "avc2", "avc3", "avc4"}, t.Codec)
}

// unitLength returns the width in bytes of the lengths of the units of H.264 or HEVC.
// It is stored in the configuration box of the first sample entry. The result is 0 if
// that box is missing.
func (t *track) unitLength() int {
	kind, at := "hvcC", 21
	if t.isAVC() {
		kind, at = "avcC", 4
	}
	if config := t.config(kind); len(config) > at {
		return int(config[at]&3) + 1
	}
	return 0
}

// config returns a box of the first sample entry of a video, or nil.
func (t *track) config(kind string) []byte {
	const entryHead = 78
	for x := range boxes(t.stsd[16:]) {
		if len(x.data) < entryHead {
			return nil
		}
		config, _ := find(x.data[entryHead:], kind)
		return config
	}
	return nil
}

// isUnits reports whether b begins with NAL units (ISO/IEC 14496-15), each
// preceded by its length. whole means that the sample ends where b does.
func isUnits(b []byte, width int, whole bool) bool {
	if width == 0 {
		return true // unknown
	}
	for len(b) > width {
		n := number(b[:width])
		b = b[width:]
		if n > uint64(len(b)) {
			return !whole
		}
		if n > 0 && b[0]&0x80 != 0 {
			return false
		}
		b = b[n:]
	}
	return len(b) == 0 || !whole
}

// isVP9 reports whether b begins with a VP9 frame (VP9 bitstream specification,
// section 6.2).
func isVP9(b []byte) bool {
	if len(b) == 0 || b[0]>>6 != 2 {
		return false
	}
	rest, width := b[0]<<2, 6 // after the marker
	if rest>>6 == 3 {
		width-- // profile 3 has a reserved bit
		rest <<= 1
	}
	rest <<= 2
	if shown := rest>>7 == 1; shown || rest>>6&1 == 1 || width < 6 {
		return true // a repeated frame, or one that depends on others
	}
	return len(b) >= 4 && b[1] == 0x49 && b[2] == 0x83 && b[3] == 0x42
}

// isAV1 reports whether b begins with AV1 units (AV1 bitstream specification,
// section 5.3). whole means that the sample ends where b does.
func isAV1(b []byte, whole bool) bool {
	for len(b) > 0 {
		head := b[0]
		if head&0x81 != 0 || head>>3&15 == 0 {
			return false
		}
		b = b[1:]
		if head&4 != 0 && len(b) > 0 {
			b = b[1:]
		}
		if head&2 == 0 {
			return true // the last unit, which runs to the end
		}
		n, shift := uint64(0), 0
		for len(b) > 0 && shift < 56 {
			c := b[0]
			b = b[1:]
			n |= uint64(c&0x7f) << shift
			shift += 7
			if c < 0x80 {
				break
			}
		}
		if n > uint64(len(b)) {
			return !whole
		}
		b = b[n:]
	}
	return true
}
