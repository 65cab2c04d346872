package mp4

import (
	"iter"
	"math"
)

// A Kind is the kind of samples in a track.
type Kind string

// The kinds of tracks that a clip may hold.
const (
	Video    Kind = "video"
	Audio    Kind = "audio"
	Subtitle Kind = "subtitle"
)

// A Track describes one track of a [Movie].
type Track struct {
	ID        uint32
	Kind      Kind
	Codec     string  // sample entry code, such as "avc1" or "mp4a"
	Width     int     // of the coded picture, before rotation; video only
	Height    int     //
	Rotation  int     // clockwise degrees to turn the picture: 0, 90, 180, 270
	Language  string  // ISO 639-2 code or BCP 47 tag; empty if not known
	Timescale uint32  // media ticks per second
	Samples   int     // frames or packets
	Start     float64 // seconds at which the first sample is shown
	End       float64 // seconds at which the last one ends
}

// track is a Track with the data needed to cut it.
type track struct {
	Track
	header   trackHeader
	media    mediaHeader
	table    *table
	segments []segment
	stsd     []byte // whole box
	hdlr     []byte // whole box
	minf     [][]byte
	extra    [][]byte // other boxes of mdia
	names    [][]byte // boxes of udta that name it
	aperture []byte   // whole box, or nil
	refs     []reference
	packed   bool  // every sample decodes alone: PCM
	scale    int64 // clip ticks per source tick
	preroll  prerollNeed
	notes    []note // all that there are
	noted    bool   // whether notes are known
}

// reference is one entry of a track reference box (8.3.3).
type reference struct {
	kind string
	id   uint32
}

// references yields the track references of a trak box.
func references(trak []byte) iter.Seq[reference] {
	return func(yield func(reference) bool) {
		tref, _ := find(trak, "tref")
		for x := range boxes(tref) {
			for ids := x.data; len(ids) >= 4; ids = ids[4:] {
				if !yield(reference{x.kind, be.Uint32(ids)}) {
					return
				}
			}
		}
	}
}

// maxReferences bounds the track references kept per track.
const maxReferences = 64

// parseTrack reads a trak box. It returns nil for tracks that clips drop.
func (m *Movie) parseTrack(trak []byte, chapters map[uint32]bool) (*track, error) {
	t := &track{}
	if err := checkBoxes(trak, "mdia", "minf", "stbl"); err != nil {
		return nil, err
	}
	tkhd, _ := find(trak, "tkhd")
	if err := t.header.parse(tkhd); err != nil {
		return nil, err
	}
	mdia, _ := find(trak, "mdia")
	hdlr, _ := find(mdia, "hdlr")
	if len(hdlr) < 12 {
		return nil, damaged("no media handler (hdlr)")
	}
	t.ID, t.Kind = t.header.id, kindOf(string(hdlr[8:12]))
	if t.Kind == "" || chapters[t.ID] {
		return nil, nil
	}
	mdhd, _ := find(mdia, "mdhd")
	if err := t.media.parse(mdhd); err != nil {
		return nil, err
	}
	t.Timescale = t.media.timescale
	t.collect(trak, mdia)
	if err := t.parseMedia(mdia); err != nil {
		return nil, err
	}
	if t.table.n == 0 {
		return nil, nil
	}
	if t.Kind != Audio && t.table.n > MaxSamples {
		return nil, tooLarge("%d samples; at most %d", t.table.n, MaxSamples)
	}
	if t.table.trim(m.size) {
		m.short = true
		if t.table.n == 0 {
			return nil, t.checkFirst(m.size)
		}
	}
	elst, _ := find(trak, "edts", "elst")
	if err := t.parseEdits(elst, m.header.timescale); err != nil {
		return nil, err
	}
	t.describe()
	return t, nil
}

// kindOf returns the kind for a handler type, or "" for tracks to drop.
func kindOf(handler string) Kind {
	switch handler {
	case "vide":
		return Video
	case "soun":
		return Audio
	case "text", "sbtl", "subt", "clcp":
		return Subtitle
	}
	return ""
}

// collect keeps the boxes that a clip copies unchanged.
func (t *track) collect(trak, mdia []byte) {
	for x := range boxes(mdia) {
		switch x.kind {
		case "hdlr":
			t.hdlr = x.raw
		case "elng":
			t.extra = append(t.extra, x.raw)
			t.Language = languageTag(x.data)
		}
	}
	for x := range boxes(trak) {
		if x.kind == "tapt" {
			t.aperture = x.raw
		}
	}
	udta, _ := find(trak, "udta")
	for x := range boxes(udta) {
		if (x.kind == "name" || x.kind == "kind") && len(t.names) < 16 {
			t.names = append(t.names, x.raw)
		}
	}
	for ref := range references(trak) {
		if ref.kind != "chap" && ref.kind != "tmcd" && len(t.refs) < maxReferences {
			t.refs = append(t.refs, ref)
		}
	}
}

// parseMedia reads minf: data references, descriptions and samples.
func (t *track) parseMedia(mdia []byte) error {
	minf, _ := find(mdia, "minf")
	for x := range boxes(minf) {
		if x.kind != "stbl" && len(x.raw) <= 4096 && len(t.minf) < 16 {
			t.minf = append(t.minf, x.raw)
		}
	}
	if err := checkReferences(minf); err != nil {
		return err
	}
	stbl, ok := find(minf, "stbl")
	if !ok {
		return damaged("no sample table (stbl)")
	}
	for x := range boxes(stbl) {
		if x.kind == "stsd" && t.stsd == nil {
			t.stsd = x.raw
		}
	}
	descriptions, err := t.parseDescriptions()
	if err != nil {
		return err
	}
	t.table, err = parseTable(stbl, descriptions, t.soundLayout())
	return err
}

// checkReferences refuses media in other files (8.7.2): otherwise the file
// could decide which other file is read.
func checkReferences(minf []byte) error {
	dref, ok := find(minf, "dinf", "dref")
	if !ok {
		return nil // old QuickTime: the media is in this file
	}
	if len(dref) < 8 {
		return damaged("data references (dref) cut short")
	}
	for x := range boxes(dref[8:]) {
		if len(x.data) < 4 || x.data[3]&1 == 0 {
			return unsupported("media in another file")
		}
	}
	return nil
}

// checkFirst refuses a track whose first chunk is outside the file although
// other chunks are inside: its table is wrong.
func (t *track) checkFirst(size int64) error {
	first := t.table.offsets.of(0)
	for i := range t.table.offsets.len() {
		if t.table.offsets.of(i) < uint64(size) && first > uint64(size) {
			return damaged("the first sample is at byte %d of %d", first, size)
		}
	}
	return nil
}

// describe sets the times and picture fields of the Track.
func (t *track) describe() {
	t.Samples = t.table.n
	t.scale = t.finer()
	t.Rotation = t.header.rotation()
	if t.Language == "" {
		t.Language = t.media.languageCode()
	}
	t.Start = math.Inf(1)
	for _, s := range t.segments {
		t.Start = min(t.Start, s.at)
		t.End = max(t.End, s.at+float64(s.end-s.media)/float64(t.Timescale))
	}
	if len(t.segments) == 0 {
		t.Start = 0
	}
}

// finer returns by which factor clip ticks are finer than source ticks. Some
// films count time in frames, and players round the time of a clip's first
// frame to such ticks.
func (t *track) finer() int64 {
	const enough = 10000 // ticks per second
	scale := (enough + int64(t.Timescale) - 1) / int64(t.Timescale)
	longest := max(t.table.maxShift-t.table.minShift, -t.table.minShift)
	for _, r := range t.table.times {
		longest = max(longest, int64(r.delta))
	}
	if t.Kind != Video || longest > math.MaxInt32/4/scale {
		return 1
	}
	return scale
}
