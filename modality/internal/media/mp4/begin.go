package mp4

import (
	"bytes"
	"io"
	"iter"
	"strconv"
)

// maxWalked bounds the samples before a range that are examined for one with
// which decoding can begin.
const maxWalked = 1 << 14

// Reading returns a movie that also reads samples of r, the source that m was
// opened from, so that a clip begins where decoding can begin, whatever the
// table of sync samples says. It shares the index of m.
func (m *Movie) Reading(r io.ReaderAt) *Movie {
	reading := *m
	reading.source = r
	return &reading
}

// beginAt returns the last sample at or before sample i with which decoding
// can begin, and false if there is none. Without a source it believes the table
// of sync samples. It sets wrong if that lists a sample which is none.
func (t *track) beginAt(r io.ReaderAt, i int, wrong *bool) (int, bool) {
	i, ok := t.table.syncAt(i)
	for range maxWalked {
		if !ok || r == nil || t.begins(r, i) {
			return i, ok
		}
		*wrong = true
		i, ok = t.table.syncAt(i - 1)
	}
	return 0, false
}

// trueSyncs returns those of the samples in [first, stop) with which decoding
// can begin, and how many samples it examined.
func (t *track) trueSyncs(r io.ReaderAt, first, stop int) (syncs []int, examined int) {
	stop = min(stop, first+maxWalked)
	syncs = []int{first}
	for i := first + 1; i < stop; i++ {
		if at, ok := t.table.syncAt(i); ok && at == i && t.begins(r, i) {
			syncs = append(syncs, i)
		}
	}
	return syncs, stop - first
}

// begins reports whether a sample has a picture that needs no other. Files may
// list other ones as sync samples, or have no list, which means all. A sample
// that cannot be read counts as one, and so does an unknown codec.
func (t *track) begins(r io.ReaderAt, i int) bool {
	const head = 4 << 10
	off, size, ok := t.locate(i)
	switch t.Codec {
	case "avc1", "avc2", "avc3", "avc4":
		kind, intra := t.picture(r, i)
		return kind == 0 || kind == refresh || intra
	case "hvc1", "hev1", "dvh1", "dvhe":
		for u := range t.units(r, i) {
			if kind := u.head[0] >> 1 & 63; kind < 32 {
				return kind >= 16 && kind < 24
			}
		}
		return true
	case "vp09", "mp4v":
	default:
		return true
	}
	if !ok {
		return true
	}
	b := make([]byte, min(size, head))
	if n, err := r.ReadAt(b, off); n < len(b) && err != nil {
		return true
	}
	if t.Codec == "vp09" {
		return isKeyVP9(b)
	}
	return isIntraMPEG(b)
}

// refresh is the type of the units of a picture after which no picture needs one
// before it (ITU-T H.264, 7.4.1.2.4: IDR).
const refresh = 5

// picture returns the unit type of the first slice of an H.264 sample, 0 if
// none was found, and whether it needs no other picture.
func (t *track) picture(r io.ReaderAt, i int) (kind byte, intra bool) {
	for u := range t.units(r, i) {
		switch kind := u.head[0] & 31; kind {
		case refresh:
			return kind, true
		case 1, 2:
			return kind, isIntraSlice(u.head[1:])
		}
	}
	return 0, false
}

// doubtful reports whether samples from first on might need more of those
// before it than is known: an H.264 picture that needs no other may be followed
// by some that do, and a note may not be all.
func (p *part) doubtful(r io.ReaderAt) bool {
	if !p.isAVC() || r == nil || p.first == 0 {
		return false
	}
	kind, _ := p.picture(r, p.first)
	return p.note.len > 0 || kind != refresh
}

// isIntraSlice reports whether a slice header (ITU-T H.264, 7.3.3) is of a
// slice of type I or SI.
func isIntraSlice(b []byte) bool {
	at := 0
	bit := func() int {
		if at/8 >= len(b) {
			return 1
		}
		v := b[at/8] >> (7 - at%8) & 1
		at++
		return int(v)
	}
	number := func() int { // Exp-Golomb
		zeros := 0
		for bit() == 0 {
			zeros++
		}
		v := 1
		for range min(zeros, 30) {
			v = v<<1 | bit()
		}
		return v - 1
	}
	number() // the first macroblock
	kind := number() % 5
	return kind == 2 || kind == 4
}

// isKeyVP9 reports whether b begins with a key frame (VP9 bitstream
// specification, section 6.2).
func isKeyVP9(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	rest := b[0] << 2
	if rest>>6 == 3 {
		rest <<= 1 // profile 3 has a reserved bit
	}
	return rest>>5&1 == 0 && rest>>4&1 == 0
}

// isIntraMPEG reports whether the first picture in b is an I picture of MPEG-4
// (ISO/IEC 14496-2, 6.2.5), MPEG-2 or MPEG-1 (ISO/IEC 13818-2, 6.2.3).
func isIntraMPEG(b []byte) bool {
	for i := 0; i+6 <= len(b); i++ {
		if b[i] != 0 || b[i+1] != 0 || b[i+2] != 1 {
			continue
		}
		switch b[i+3] {
		case 0xb6:
			return b[i+4]>>6 == 0
		case 0:
			return b[i+5]>>3&7 == 1
		}
	}
	return true
}

// locate returns where a sample is in the source; false if its chunk has too
// many samples to add up.
func (t *track) locate(i int) (off, size int64, ok bool) {
	chunk, begin, _, _ := t.table.chunkOf(i)
	if i-begin > maxTextWork {
		return 0, 0, false
	}
	off = int64(t.table.offsets.of(chunk)) + t.table.sizes.sum(begin, i)
	return off, t.table.sizes.sum(i, i+1), off >= 0
}

// A unit is a NAL unit of a sample: where it is in the source with its length,
// and how it begins.
type unit struct {
	span
	head []byte // at least one byte
}

// units yields the first NAL units of a sample.
func (t *track) units(r io.ReaderAt, i int) iter.Seq[unit] {
	const (
		maxUnits = 64
		maxHead  = 1 << 10
	)
	return func(yield func(unit) bool) {
		width := int64(t.unitLength())
		off, size, ok := t.locate(i)
		buf := make([]byte, 4+maxHead)
		for n := 0; n < maxUnits && ok && width > 0 && size > width; n++ {
			b := buf[:min(size, int64(len(buf)))]
			if k, err := r.ReadAt(b, off); k < len(b) && err != nil {
				return
			}
			length := int64(number(b[:width]))
			if length > size-width {
				return
			}
			head := b[width:min(int64(len(b)), width+length)]
			if length > 0 && !yield(unit{span{off, width + length}, head}) {
				return
			}
			off, size = off+width+length, size-width-length
		}
	}
}

// x264Note begins the unit in which the encoder x264 says which version it is:
// a message of user data (ITU-T H.264, D.1.7) with x264's UUID.
var (
	x264Note = []byte("\xdc\x45\xe9\xbd\xe6\xd9\x48\xb7\x96\x2c\xd8\x20\xd9\x23\xee\xef")
	x264Core = []byte("x264 - core ")
)

// Versions of x264 whose pictures decode rightly only by a decoder that knows
// the version, because it works around their bugs: any of oldX264 or earlier,
// and pictures in 4:4:4 of those before fixed444X264.
const (
	oldX264      = 33
	fixed444X264 = 151
	profile444   = 244 // High 4:4:4 Predictive
)

// noteFor returns the unit with the encoder's version that the decoder of
// sample first needs, and that only a sample before it has; no bytes if there
// is none.
func (t *track) noteFor(r io.ReaderAt, first int) span {
	if !t.mayNote() || r == nil || first == 0 {
		return span{}
	}
	if last, ok := t.lastNote(r, first); ok && t.isNeeded(last, first) {
		return last.unit
	}
	return span{}
}

// x264Version reads the version of x264 in a unit.
func x264Version(unit []byte) (version int, ok bool) {
	if unit[0]&31 != 6 || !bytes.Contains(unit[:min(len(unit), 64)], x264Note) {
		return 0, false
	}
	_, rest, _ := bytes.Cut(unit, x264Core)
	digits := 0
	for digits < min(len(rest), 6) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	version, err := strconv.Atoi(string(rest[:digits]))
	return version, err == nil
}

// profile returns profile_idc of H.264 from the first sample entry, or 0.
func (t *track) profile() int {
	if config := t.config("avcC"); len(config) > 1 {
		return int(config[1])
	}
	return 0
}

// NeedsNote reports whether pictures of the movie may decode wrongly if the
// first one was not decoded before, which tells the version of the encoder.
func (m *Movie) NeedsNote() bool {
	for _, t := range m.tracks {
		if t.Kind == Video && t.profile() == profile444 {
			return true
		}
	}
	return false
}
