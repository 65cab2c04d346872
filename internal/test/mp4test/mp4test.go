// Package mp4test makes small MP4 and QuickTime files without an encoder,
// for tests, examples and benchmarks.
package mp4test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
)

// A Movie describes a file to make.
type Movie struct {
	Brand     string // major brand: "qt  ", "isom", "M4A "; empty for "isom"
	Timescale uint32 // of the movie; zero means 1000
	Tracks    []Track
	MediaLast bool   // movie box before the media
	Wide      bool   // 64-bit chunk offsets
	Extra     []byte // boxes to add to the movie box
}

// A Track is a track of a [Movie].
type Track struct {
	ID        uint32 // zero means its position, counted from 1
	Handler   string // "vide", "soun", "text"
	Codec     string // code of the sample entry
	Entry     []byte // content of the sample entry
	Timescale uint32
	Width     int
	Height    int
	Matrix    [9]uint32 // zero means no rotation
	Language  string    // three letters; empty means "und"
	Samples   []Sample
	PerChunk  int // samples in a chunk; zero means one
	Edits     []Edit
	Refs      map[string]uint32 // track references
	Table     []byte            // boxes to add to the sample table
}

// A Sample is one sample, or a run of equally long ones.
type Sample struct {
	Data     []byte
	Duration uint32 // of one sample, in media ticks
	Shift    int32  // composition offset
	Sync     bool
	Count    int // samples in Data; zero means one
}

func (s Sample) count() int { return max(1, s.Count) }

// An Edit is an entry of an edit list.
type Edit struct {
	Length uint64 // in ticks of the movie
	Media  int64  // in media ticks; -1 shows nothing
	Rate   uint32 // 16.16; zero means 1
}

// Bytes returns the file.
func (m Movie) Bytes() []byte {
	ftyp := Box("ftyp", brand(m.Brand), u32(512), brand(m.Brand))
	media, offsets := m.interleave()
	mdat := Box("mdat", media)
	base := len(ftyp) + 8
	if !m.MediaLast {
		return slices.Concat(ftyp, mdat, m.moov(offsets, base))
	}
	base += len(m.moov(offsets, 0))
	return slices.Concat(ftyp, m.moov(offsets, base), mdat)
}

func brand(s string) []byte { return []byte(cmp.Or(s, "isom")) }

// interleave returns the media in time order, and the offset of each chunk in
// it, by track.
func (m Movie) interleave() (media []byte, offsets [][]int) {
	type chunk struct {
		track, index int
		time         float64
		data         []byte
	}
	var chunks []chunk
	offsets = make([][]int, len(m.Tracks))
	for k, t := range m.Tracks {
		time := 0.0
		for i, group := range t.chunks() {
			c := chunk{track: k, index: i, time: time}
			for _, s := range group {
				c.data = append(c.data, s.Data...)
				time += float64(s.Duration) * float64(s.count()) / float64(t.Timescale)
			}
			chunks = append(chunks, c)
		}
	}
	slices.SortStableFunc(chunks, func(a, b chunk) int { return cmp.Compare(a.time, b.time) })
	for _, c := range chunks {
		offsets[c.track] = append(offsets[c.track], len(media))
		media = append(media, c.data...)
	}
	return media, offsets
}

// chunks groups the samples.
func (t Track) chunks() [][]Sample {
	return slices.Collect(slices.Chunk(t.Samples, max(1, t.PerChunk)))
}

func (m Movie) moov(offsets [][]int, base int) []byte {
	scale := cmp.Or(m.Timescale, 1000)
	var traks [][]byte
	duration := uint32(0)
	for k, t := range m.Tracks {
		length := uint32(float64(t.length()) * float64(scale) / float64(t.Timescale))
		duration = max(duration, length)
		traks = append(traks, t.trak(uint32(k+1), length, offsets[k], base, m.Wide))
	}
	mvhd := Full("mvhd", 0, u32(0, 0, scale, duration), u32(1<<16), u16(1<<8, 0), u32(0, 0),
		u32(unity[:]...), make([]byte, 24), u32(uint32(len(m.Tracks)+1)))
	return Box("moov", mvhd, slices.Concat(traks...), m.Extra)
}

// unity is the identity matrix.
var unity = [9]uint32{1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30}

// length returns the length of the media in ticks.
func (t Track) length() (n uint64) {
	for _, s := range t.Samples {
		n += uint64(s.Duration) * uint64(s.count())
	}
	return n
}

func (t Track) trak(id, length uint32, offsets []int, base int, wide bool) []byte {
	id = cmp.Or(t.ID, id)
	matrix := t.Matrix
	if matrix == [9]uint32{} {
		matrix = unity
	}
	volume := uint16(0)
	if t.Handler == "soun" {
		volume = 1 << 8
	}
	tkhd := Box("tkhd", []byte{0, 0, 0, 3}, u32(0, 0, id, 0, length), u32(0, 0), u16(0, 0, volume, 0),
		u32(matrix[:]...), u32(uint32(t.Width)<<16, uint32(t.Height)<<16))
	hdlr := Full("hdlr", 0, u32(0), []byte(t.Handler), make([]byte, 13))
	mdhd := Full("mdhd", 0, u32(0, 0, t.Timescale, uint32(t.length())), u16(language(t.Language), 0))
	dinf := Box("dinf", Full("dref", 0, u32(1), Box("url ", []byte{0, 0, 0, 1})))
	head := Full("nmhd", 0)
	switch t.Handler {
	case "vide":
		head = Box("vmhd", []byte{0, 0, 0, 1}, make([]byte, 8))
	case "soun":
		head = Full("smhd", 0, make([]byte, 4))
	}
	minf := Box("minf", head, dinf, t.stbl(offsets, base, wide))
	return Box("trak", tkhd, t.edts(), t.tref(), Box("mdia", mdhd, hdlr, minf))
}

func language(s string) (v uint16) {
	for _, c := range cmp.Or(s, "und") {
		v = v<<5 | uint16(c-0x60)&31
	}
	return v
}

func (t Track) edts() []byte {
	if t.Edits == nil {
		return nil
	}
	var entries []byte
	for _, e := range t.Edits {
		entries = binary.BigEndian.AppendUint64(entries, e.Length)
		entries = binary.BigEndian.AppendUint64(entries, uint64(e.Media))
		entries = binary.BigEndian.AppendUint32(entries, cmp.Or(e.Rate, 1<<16))
	}
	return Box("edts", Full("elst", 1, u32(uint32(len(t.Edits))), entries))
}

func (t Track) tref() []byte {
	var refs []byte
	for _, kind := range slices.Sorted(maps.Keys(t.Refs)) {
		refs = append(refs, Box(kind, u32(t.Refs[kind]))...)
	}
	if refs == nil {
		return nil
	}
	return Box("tref", refs)
}

func (t Track) stbl(offsets []int, base int, wide bool) []byte {
	entry := Box(t.Codec, t.Entry)
	var stss, stsc, stco []byte
	var times, shifts runs
	number, syncs := 0, 0
	for _, s := range t.Samples {
		times.add(s.count(), s.Duration)
		shifts.add(s.count(), uint32(s.Shift))
		for range s.count() {
			if number++; s.Sync {
				stss = append(stss, u32(uint32(number))...)
				syncs++
			}
		}
	}
	boxes := [][]byte{Full("stsd", 0, u32(1), entry), Full("stts", 0, times.bytes())}
	if len(shifts) > 1 || len(shifts) == 1 && shifts[0].value != 0 {
		boxes = append(boxes, Full("ctts", 1, shifts.bytes()))
	}
	if syncs < number {
		boxes = append(boxes, Full("stss", 0, u32(uint32(syncs)), stss))
	}
	for i, group := range t.chunks() {
		n := 0
		for _, s := range group {
			n += s.count()
		}
		stsc = append(stsc, u32(uint32(i+1), uint32(n), 1)...)
	}
	for _, off := range offsets {
		if wide {
			stco = binary.BigEndian.AppendUint64(stco, uint64(base+off))
		} else {
			stco = append(stco, u32(uint32(base+off))...)
		}
	}
	kind := "stco"
	if wide {
		kind = "co64"
	}
	n := uint32(len(offsets))
	boxes = append(boxes, Full("stsc", 0, u32(n), stsc), t.stsz(number), Full(kind, 0, u32(n), stco), t.Table)
	return Box("stbl", boxes...)
}

// runs is a run-length encoded table.
type runs []struct{ count, value uint32 }

func (r *runs) add(count int, value uint32) {
	if k := len(*r) - 1; k >= 0 && (*r)[k].value == value {
		(*r)[k].count += uint32(count)
		return
	}
	*r = append(*r, struct{ count, value uint32 }{uint32(count), value})
}

func (r runs) bytes() []byte {
	b := u32(uint32(len(r)))
	for _, x := range r {
		b = append(b, u32(x.count, x.value)...)
	}
	return b
}

func (t Track) stsz(number int) []byte {
	var sizes []byte
	uniform := uint32(0)
	same := true
	for _, s := range t.Samples {
		size := uint32(len(s.Data) / s.count())
		uniform = cmp.Or(uniform, size)
		same = same && size == uniform
	}
	if same && uniform > 0 {
		return Full("stsz", 0, u32(uniform, uint32(number)))
	}
	for _, s := range t.Samples {
		for range s.count() {
			sizes = append(sizes, u32(uint32(len(s.Data)/s.count()))...)
		}
	}
	return Full("stsz", 0, u32(0, uint32(number)), sizes)
}

// Box returns a box of the contents, for [Movie.Extra], [Track.Table] and other boxes.
func Box(kind string, contents ...[]byte) []byte {
	content := bytes.Join(contents, nil)
	return append(append(u32(uint32(8+len(content))), kind...), content...)
}

// Full returns a box that begins with a version and no flags.
func Full(kind string, version byte, contents ...[]byte) []byte {
	return Box(kind, append([][]byte{{version, 0, 0, 0}}, contents...)...)
}

func u16(values ...uint16) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

func u32(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}
