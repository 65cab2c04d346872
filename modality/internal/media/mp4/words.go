package mp4

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// Words is the text in a movie: tags, chapters and subtitles. It does not keep
// the file open.
type Words struct {
	metadata.Tags        // verbatim; chapters are on the timeline of the movie
	Language      string // of the first sound track, as in [Track]; empty if not known
	Subtitles     []*TextTrack
}

// MaxChapters bounds the chapters of a movie.
const MaxChapters = 20_000

// ReadWords reads the words of a file of size bytes. It reads only the movie
// box and the samples of chapters. It also reads the readable part of files
// that [Open] refuses, such as fragmented movies. Errors are as for Open, but
// only about the movie box.
func ReadWords(r io.ReaderAt, size int64) (*Words, error) {
	m := &Movie{size: size}
	moov, err := m.scan(r)
	if err != nil {
		return nil, err
	}
	mvhd, _ := find(moov, "mvhd")
	if err := m.header.parse(mvhd); err != nil {
		return nil, err
	}
	w := &Words{}
	w.parseTags(moov)
	w.parseTracks(r, m, moov)
	if len(w.Chapters) == 0 {
		chpl, _ := find(moov, "udta", "chpl")
		w.Chapters = neroChapters(chpl)
	}
	return w, nil
}

// parseTracks reads the chapter track and finds the subtitles. Damaged tracks
// are left out.
func (w *Words) parseTracks(r io.ReaderAt, m *Movie, moov []byte) {
	chapters := map[uint32]bool{}
	var order []uint32
	var traks [][]byte
	for x := range boxes(moov) {
		if x.kind != "trak" || len(traks) == MaxTracks {
			continue
		}
		traks = append(traks, x.data)
		if w.Language == "" {
			w.Language = soundLanguage(x.data)
		}
		for ref := range references(x.data) {
			if ref.kind == "chap" && !chapters[ref.id] && len(order) < maxReferences {
				chapters[ref.id] = true
				order = append(order, ref.id)
			}
		}
	}
	for _, id := range order {
		for _, trak := range traks {
			if len(w.Chapters) == 0 && trackID(trak) == id {
				w.Chapters = trackChapters(r, m, trak)
			}
		}
	}
	for _, trak := range traks {
		if chapters[trackID(trak)] {
			continue
		}
		if t := textTrack(m, trak); t != nil {
			w.Subtitles = append(w.Subtitles, &TextTrack{Language: t.Language, track: t, size: m.size})
		}
	}
}

// kindOfTrack returns the kind of a track, or "" if it is of no known one.
func kindOfTrack(trak []byte) Kind {
	hdlr, _ := find(trak, "mdia", "hdlr")
	if len(hdlr) < 12 {
		return ""
	}
	return kindOf(string(hdlr[8:12]))
}

// soundLanguage returns the language of a sound track.
func soundLanguage(trak []byte) string {
	mdhd, _ := find(trak, "mdia", "mdhd")
	var h mediaHeader
	if kindOfTrack(trak) != Audio || h.parse(mdhd) != nil {
		return ""
	}
	return h.languageCode()
}

func trackID(trak []byte) uint32 {
	var h trackHeader
	tkhd, _ := find(trak, "tkhd")
	if h.parse(tkhd) != nil {
		return 0
	}
	return h.id
}

// textTrack parses a track if it holds text.
func textTrack(m *Movie, trak []byte) *track {
	if kindOfTrack(trak) != Subtitle {
		return nil
	}
	t, err := m.parseTrack(trak, nil)
	if err != nil || t == nil {
		return nil
	}
	switch t.Codec {
	case "tx3g", "text", "wvtt":
		return t
	}
	return nil
}

// trackChapters reads a chapter track (QuickTime File Format, "Chapter Lists"):
// each sample is a title, shown as long as its chapter lasts. A sample without
// a title fills a gap, unless no sample has a title.
func trackChapters(r io.ReaderAt, m *Movie, trak []byte) []metadata.Chapter {
	t := textTrack(m, trak)
	if t == nil || t.table.n > MaxChapters {
		return nil
	}
	var all []metadata.Chapter
	total := 0
	for s := range t.samples(r, m.size) {
		c := metadata.Chapter{Start: s.start, End: s.end, Title: sampleText(s.data)}
		if total += len(c.Title); total > maxText || len(all) == MaxChapters {
			break
		}
		all = append(all, c)
	}
	untitled := func(c metadata.Chapter) bool { return c.Title == "" }
	if titled := slices.DeleteFunc(slices.Clone(all), untitled); len(titled) > 0 {
		return titled
	}
	return all
}

// sampleText returns the words of a text sample (3GPP TS 26.245, section 5.17):
// a length, text, and style boxes.
func sampleText(b []byte) string {
	if len(b) < 2 {
		return ""
	}
	n := min(int(be.Uint16(b)), len(b)-2)
	b = b[2 : 2+n]
	if n >= 2 && (b[0] == 0xfe && b[1] == 0xff || b[0] == 0xff && b[1] == 0xfe) {
		return charset.UTF16(b, binary.BigEndian)
	}
	return charset.UTF8(b)
}

// neroChapters reads the Nero chapter list: for each chapter a start in units
// of 100 nanoseconds and a title. Nero published no description of it. Version
// 0 has the count in one byte; later versions have it in four, but some
// programs fill only the last of them.
func neroChapters(b []byte) []metadata.Chapter {
	if len(b) < 9 {
		return nil
	}
	count, rest := uint32(b[4]), b[5:]
	if b[0] != 0 || count == 0 {
		count, rest = be.Uint32(b[5:]), b[9:]
	}
	var chapters []metadata.Chapter
	for ; count > 0 && len(rest) >= 9 && len(chapters) < MaxChapters; count-- {
		start, n := be.Uint64(rest), int(rest[8])
		if n > len(rest)-9 || start > maxTicks {
			break
		}
		chapters = append(chapters, metadata.Chapter{Start: float64(start) / 1e7, Title: charset.UTF8(rest[9 : 9+n])})
		rest = rest[9+n:]
	}
	slices.SortStableFunc(chapters, func(a, b metadata.Chapter) int { return cmp.Compare(a.Start, b.Start) })
	return chapters
}
