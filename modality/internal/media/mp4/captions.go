package mp4

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"slices"
	"strings"
)

// Captions are subtitles to add to a movie. Their cues may overlap.
type Captions struct {
	Language string // ISO 639-2 code or BCP 47 tag; empty if not known
	Name     string // may be empty
	Cues     []Cue
}

const (
	captionTimescale = 10_000 // ticks per second
	maxCaption       = math.MaxUint16
)

// Within returns the cues shown in seconds [start, end), ordered by start.
func (c Captions) Within(start, end float64) Captions {
	var cues []Cue
	for _, cue := range c.Cues {
		if cue.Start < end && cue.End > start {
			cues = append(cues, cue)
		}
	}
	slices.SortStableFunc(cues, func(a, b Cue) int { return cmp.Compare(a.Start, b.Start) })
	c.Cues = cues
	return c
}

// A Captioned is a movie with added subtitles, which are not in its file.
type Captioned struct {
	*Movie
	size int64 // of the file
	text []byte
}

// Reader returns the reader that clips of the movie are read from: the file r
// followed by the subtitles.
func (c *Captioned) Reader(r io.ReaderAt) io.ReaderAt {
	return &appended{file: r, size: c.size, text: bytes.NewReader(c.text)}
}

// appended is a file with text after it.
type appended struct {
	file io.ReaderAt
	size int64
	text *bytes.Reader
}

func (a *appended) ReadAt(p []byte, off int64) (n int, err error) {
	if off < a.size {
		n, err = a.file.ReadAt(p[:min(int64(len(p)), a.size-off)], off)
		if n == len(p) || err != nil && err != io.EOF || off+int64(n) < a.size {
			return n, err
		}
	}
	k, err := a.text.ReadAt(p[n:], off+int64(n)-a.size)
	return n + k, err
}

// Caption returns the movie with added subtitles. The samples of a track cannot
// overlap, so where cues overlap, each sample shows the lines of all current
// cues, in order of their start. The result shares the index of m. An error
// matches [ErrTooLarge] if the subtitles do not fit into a text track.
func (m *Movie) Caption(tracks []Captions) (*Captioned, error) {
	more := *m
	more.tracks = slices.Clone(m.tracks)
	c := &Captioned{Movie: &more, size: m.size}
	for i, captions := range tracks {
		if len(captions.Cues) == 0 || len(more.tracks) == MaxTracks {
			continue
		}
		samples, err := sweep(captions.Cues)
		if err != nil {
			return nil, err
		}
		t := captionTrack(&more, captions, samples, m.size+int64(len(c.text)))
		t.ID = uint32(max(m.lastID(), 0) + i + 1)
		t.header.id = t.ID
		for _, s := range samples {
			c.text = append(be.AppendUint16(c.text, uint16(len(s.text))), s.text...)
		}
		more.tracks = append(more.tracks, t)
		more.header.next = max(more.header.next, t.ID+1)
	}
	more.size += int64(len(c.text))
	return c, nil
}

func (m *Movie) lastID() (last int) {
	for _, t := range m.tracks {
		last = max(last, int(t.ID))
	}
	return last
}

// A caption is the text that a track shows for a while, perhaps empty.
type caption struct {
	ticks int64
	text  string
}

// sweep makes consecutive captions, starting at 0, from cues ordered by start.
func sweep(cues []Cue) ([]caption, error) {
	var all []caption
	var on []Cue // ordered by start
	total, now := 0, int64(0)
	show := func(until int64) error {
		for now < until {
			ticks := min(until-now, math.MaxInt32)
			text := joined(on)
			if len(text) > maxCaption {
				return tooLarge("subtitles of %d bytes at once; at most %d", len(text), maxCaption)
			}
			if total += len(text) + 2; total > maxText {
				return tooLarge("overlapping subtitles of more than %d bytes", maxText)
			}
			all, now = append(all, caption{ticks, text}), now+ticks
		}
		return nil
	}
	for next := 0; next < len(cues) || len(on) > 0; {
		until := int64(math.MaxInt64)
		for _, c := range on {
			until = min(until, c.lastTick())
		}
		if next < len(cues) {
			until = min(until, captionTick(cues[next].Start))
		}
		if err := show(until); err != nil {
			return nil, err
		}
		on = slices.DeleteFunc(on, func(c Cue) bool { return c.lastTick() <= now })
		for next < len(cues) && captionTick(cues[next].Start) <= now {
			on, next = append(on, cues[next]), next+1
		}
		if len(on) > maxTogether {
			return nil, tooLarge("more than %d subtitles at once", maxTogether)
		}
	}
	return all, nil
}

// maxTogether bounds the cues shown at the same time.
const maxTogether = 1000

// captionTick converts a time to ticks, clamped to the valid range.
func captionTick(seconds float64) int64 {
	return int64(math.Round(min(max(seconds, 0), 1e9) * captionTimescale))
}

// lastTick is the tick at which a cue ends: at least one tick after its start.
func (c Cue) lastTick() int64 { return max(captionTick(c.End), captionTick(c.Start)+1) }

func joined(cues []Cue) string {
	texts := make([]string, len(cues))
	for i, c := range cues {
		texts[i] = c.Text
	}
	return strings.Join(texts, "\n")
}

// captionTrack makes a track of consecutive samples stored from offset at on.
func captionTrack(m *Movie, c Captions, samples []caption, at int64) *track {
	t := &track{Track: Track{Kind: Subtitle, Codec: "tx3g", Timescale: captionTimescale, Samples: len(samples)}, scale: 1}
	t.table = &table{
		n: len(samples), allSync: true,
		sizes:   sizes{packet: 1, bits: 32},
		chunks:  []chunkRun{{0, 0, len(samples), 1}},
		offsets: offsets{entries: be.AppendUint64(nil, uint64(at)), wide: true},
	}
	for i, s := range samples {
		t.table.sizes.entries = be.AppendUint32(t.table.sizes.entries, uint32(len(s.text)+2))
		t.table.times = append(t.table.times, timeRun{int32(i), int32(s.ticks), t.table.duration})
		t.table.duration += s.ticks
	}
	t.segments = []segment{{0, 0, t.table.duration}}
	t.End = float64(t.table.duration) / captionTimescale
	t.describeCaptions(m, c)
	return t
}

// describeCaptions sets the descriptive boxes of a text track (3GPP TS 26.245,
// section 5.16): white text at the bottom of the picture.
func (t *track) describeCaptions(m *Movie, c Captions) {
	var width, height int
	enabled := byte(3)
	for _, other := range m.tracks {
		if other.Kind == Video && width == 0 {
			width, height = other.Width, other.Height
		}
		if other.Kind == Subtitle {
			enabled = 2
		}
	}
	t.header.flags = []byte{0, 0, enabled}
	const unit = 1 << 16
	rest := make([]byte, 0, 60)
	rest = be.AppendUint64(rest, 0)
	rest = be.AppendUint64(rest, 3<<32) // layer 0, alternate group 3
	for _, v := range []uint32{unit, 0, 0, 0, unit, 0, 0, 0, 1 << 30, uint32(width) << 16, uint32(height) << 16} {
		rest = be.AppendUint32(rest, v)
	}
	t.header.rest = rest
	t.media = mediaHeader{timescale: captionTimescale, language: be.AppendUint16(nil, packLanguage(c.Language))}
	t.media.language = append(t.media.language, 0, 0)
	if t.Language = c.Language; t.Language != "" && isTag(t.Language) && len(t.Language) < 40 {
		t.extra = [][]byte{wrap("elng", []byte("\x00\x00\x00\x00"+t.Language+"\x00"))}
	}
	if c.Name != "" && len(c.Name) < maxName {
		t.names = [][]byte{wrap("name", []byte(c.Name))}
	}
	t.hdlr = wrap("hdlr", []byte("\x00\x00\x00\x00\x00\x00\x00\x00sbtl\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00SubtitleHandler\x00"))
	t.minf = [][]byte{
		wrap("nmhd", make([]byte, 4)),
		wrap("dinf", wrap("dref", append([]byte{0, 0, 0, 0, 0, 0, 0, 1}, wrap("url ", []byte{0, 0, 0, 1})...))),
	}
	entry := []byte("\x00\x00\x00\x00\x00\x00\x00\x01" + // data reference 1
		"\x00\x00\x00\x00\x01\xff\x00\x00\x00\x00" + // centred, at the bottom, transparent background
		"\x00\x00\x00\x00\x00\x00\x00\x00" + // over the whole picture
		"\x00\x00\x00\x00\x00\x01\x00\x10\xff\xff\xff\xff") // font 1, size 16
	entry = append(entry, wrap("ftab", []byte("\x00\x01\x00\x01\x05Arial"))...)
	t.stsd = wrap("stsd", append([]byte{0, 0, 0, 0, 0, 0, 0, 1}, wrap("tx3g", entry)...))
}

// maxName bounds the name of a track, in bytes.
const maxName = 1 << 10

// wrap returns a box.
func wrap(kind string, content []byte) []byte {
	return append(append(be.AppendUint32(nil, uint32(8+len(content))), kind...), content...)
}

// packLanguage packs three letters into five bits each. It returns "und" unless
// code is an ISO 639-2 code.
func packLanguage(code string) uint16 {
	if len(code) != 3 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "" {
		code = "und"
	}
	return uint16(code[0]-0x60)<<10 | uint16(code[1]-0x60)<<5 | uint16(code[2]-0x60)
}
