package mp4

import (
	"bytes"
	"math"
)

// encode returns everything in the clip's file before the media: file type,
// movie box, and the header of the media box.
func (c *cut) encode(perPart [][]*chunk, order []*chunk, media int64) []byte {
	ftyp := c.movie.fileType
	if ftyp == nil {
		ftyp = []byte("\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  ")
	}
	mdat := int64(8)
	if media > math.MaxUint32-8 {
		mdat = 16
	}
	e := &encoder{cut: c, fileType: ftyp, offsets: make([][]int64, len(perPart)), chunks: perPart}
	place := func(base int64) {
		for k := range e.offsets {
			e.offsets[k] = e.offsets[k][:0]
		}
		for _, x := range order {
			e.offsets[x.part] = append(e.offsets[x.part], base)
			base += x.size
		}
	}
	place(0)
	length := int64(len(e.movie()))
	if length+mdat+media > math.MaxUint32 {
		e.wide = true
		length = int64(len(e.movie()))
	}
	place(length + mdat)
	b := e.movie()
	if mdat == 16 {
		b = append(be.AppendUint32(b, 1), "mdat"...)
		return be.AppendUint64(b, uint64(media+mdat))
	}
	return append(be.AppendUint32(b, uint32(media+mdat)), "mdat"...)
}

// encoder writes the part of a clip before its media.
type encoder struct {
	*cut
	b        []byte
	fileType []byte // whole box
	chunks   [][]*chunk
	offsets  [][]int64 // of chunks in the clip, by part
	wide     bool      // co64
}

// box writes a box; content writes its content.
func (e *encoder) box(kind string, content func()) {
	at := len(e.b)
	e.b = append(append(e.b, 0, 0, 0, 0), kind...)
	content()
	be.PutUint32(e.b[at:], uint32(len(e.b)-at))
}

// full writes a box that begins with a version and flags.
func (e *encoder) full(kind string, version byte, content func()) {
	e.box(kind, func() {
		e.b = append(e.b, version, 0, 0, 0)
		content()
	})
}

func (e *encoder) raw(b []byte)    { e.b = append(e.b, b...) }
func (e *encoder) u32(v uint32)    { e.b = be.AppendUint32(e.b, v) }
func (e *encoder) u64(v uint64)    { e.b = be.AppendUint64(e.b, v) }
func (e *encoder) patch(at, n int) { be.PutUint32(e.b[at:], uint32(n)) }

// word writes a number in the width of a box version.
func (e *encoder) word(version byte, v uint64) {
	if version == 1 {
		e.u64(v)
	} else {
		e.u32(uint32(v))
	}
}

func (e *encoder) dates(version byte, d dates) {
	e.word(version, d.created)
	e.word(version, d.modified)
}

// versionFor returns the box version whose fields can hold all numbers.
func versionFor(numbers ...uint64) byte {
	for _, v := range numbers {
		if v > math.MaxInt32 { // some readers take the fields as signed
			return 1
		}
	}
	return 0
}

// movie writes the file type and the movie box.
func (e *encoder) movie() []byte {
	e.b = append(e.b[:0], e.fileType...)
	e.box("moov", func() {
		e.movieHeader()
		for k, p := range e.parts {
			e.track(k, p)
		}
	})
	return e.b
}

func (e *encoder) movieHeader() {
	h := &e.cut.movie.header
	duration := uint64(0)
	for _, p := range e.parts {
		duration = max(duration, e.lengthOf(p))
	}
	version := h.versionFor(duration)
	e.full("mvhd", version, func() {
		e.dates(version, h.dates)
		e.u32(uint32(e.timescale))
		e.word(version, duration)
		e.raw(h.rest)
		e.u32(h.next)
	})
}

// versionFor is the function versionFor for a duration and the dates. Dates have
// filled the unsigned fields since 1972.
func (d dates) versionFor(duration uint64) byte {
	if d.created > math.MaxUint32 || d.modified > math.MaxUint32 {
		return 1
	}
	return versionFor(duration)
}

func (e *encoder) track(k int, p *part) {
	e.box("trak", func() {
		e.trackHeader(p)
		e.edits(p)
		e.references(p)
		e.raw(p.aperture)
		if len(p.names) > 0 {
			e.box("udta", func() { e.raw(bytes.Join(p.names, nil)) })
		}
		e.box("mdia", func() {
			e.mediaHeader(p)
			e.raw(p.hdlr)
			for _, b := range p.extra {
				e.raw(b)
			}
			e.box("minf", func() {
				for _, b := range p.minf {
					e.raw(b)
				}
				e.box("stbl", func() { e.samples(k, p) })
			})
		})
	})
}

func (e *encoder) trackHeader(p *part) {
	h, duration := &p.header, e.lengthOf(p)
	version := h.versionFor(duration)
	e.box("tkhd", func() {
		e.b = append(append(e.b, version), h.flags...)
		e.dates(version, h.dates)
		e.u32(h.id)
		e.u32(0)
		e.word(version, duration)
		e.raw(h.rest)
	})
}

// references writes the track references whose targets are in the clip.
func (e *encoder) references(p *part) {
	var kept []reference
	for _, ref := range p.refs {
		for _, other := range e.parts {
			if other.ID == ref.id {
				kept = append(kept, ref)
				break
			}
		}
	}
	if len(kept) == 0 {
		return
	}
	e.box("tref", func() {
		for _, ref := range kept {
			e.box(ref.kind, func() { e.u32(ref.id) })
		}
	})
}

func (e *encoder) mediaHeader(p *part) {
	h, duration := &p.media, uint64(p.mediaLength()*p.scale)
	version := h.versionFor(duration)
	e.full("mdhd", version, func() {
		e.dates(version, h.dates)
		e.u32(h.timescale * uint32(p.scale))
		e.word(version, duration)
		e.raw(h.language)
	})
}

// mediaLength returns the sum of the sample durations of a part.
func (p *part) mediaLength() int64 {
	end := p.table.dts(p.stop)
	if p.to >= 0 {
		end = p.to
	}
	return end - p.base()
}

// edit is an entry of an edit list, in ticks of the clip and of the media.
type edit struct {
	length uint64
	media  int64 // -1 if nothing shows
}

// editsOf returns the edit list of a part, with empty edits where the track
// begins late or pauses.
func (e *encoder) editsOf(p *part) []edit {
	var edits []edit
	at := int64(0)
	for _, s := range p.shows {
		begin := int64(math.Round(s.at * float64(e.timescale)))
		if begin > at {
			edits = append(edits, edit{uint64(begin - at), -1})
			at = begin
		}
		length := e.rescale(s.end-s.media, p)
		edits = append(edits, edit{uint64(length), (s.media - p.base() + p.lead) * p.scale})
		at += length
	}
	return edits
}

// rescale converts media ticks to clip ticks, exactly if the timescale allows
// it.
func (e *encoder) rescale(ticks int64, p *part) int64 {
	ts := int64(p.Timescale) * p.scale
	ticks *= p.scale
	if e.timescale%ts == 0 && ticks <= math.MaxInt64/(e.timescale/ts) {
		return ticks * (e.timescale / ts)
	}
	return int64(math.Round(float64(ticks) * float64(e.timescale) / float64(ts)))
}

// lengthOf returns the length of a part in clip ticks.
func (e *encoder) lengthOf(p *part) (n uint64) {
	for _, x := range e.editsOf(p) {
		n += x.length
	}
	return n
}

func (e *encoder) edits(p *part) {
	edits := e.editsOf(p)
	version := byte(0)
	for _, x := range edits {
		version = max(version, versionFor(x.length, uint64(max(0, x.media))))
	}
	e.box("edts", func() {
		e.full("elst", version, func() {
			e.u32(uint32(len(edits)))
			for _, x := range edits {
				e.word(version, x.length)
				e.word(version, uint64(x.media))
				e.u32(1 << 16)
			}
		})
	})
}
