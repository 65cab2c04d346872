package mp4

import (
	"context"
	"io"
	"iter"
	"strings"

	"github.com/citekit/citekit/internal/charset"
)

// A TextTrack is a track of subtitles.
type TextTrack struct {
	Language string // ISO 639-2 code or BCP 47 tag; empty if not known

	track *track
	size  int64
}

// A Cue is a text with the time it is shown.
type Cue struct {
	Start, End float64 // seconds on the timeline of the movie
	Text       string
}

const (
	maxCues   = 500_000
	maxText   = 16 << 20 // bytes of the text of a track
	maxSample = 64 << 10 // bytes of a text sample

	maxTextSamples = 2_000_000 // examined, including empty ones
	maxTextWork    = 128 << 20 // bytes of text samples that are read, and sizes that are added up
)

// WebVTT reports whether the texts are WebVTT cues, with tags and character
// references, and not plain text.
func (s *TextTrack) WebVTT() bool { return s.track.Codec == "wvtt" }

// Cues reads the texts from r, the file that the words were read from. If there
// are very many or very long texts, it returns the first ones. The error is
// ctx.Err() once ctx is done. Texts that cannot be read are left out.
func (s *TextTrack) Cues(ctx context.Context, r io.ReaderAt) ([]Cue, error) {
	var cues []Cue
	total := 0
	for sample := range s.track.samples(r, s.size) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text := sampleText
		if s.WebVTT() {
			text = webVTTText
		}
		c := Cue{Start: sample.start, End: sample.end, Text: text(sample.data)}
		if total += len(c.Text); total > maxText || len(cues) == maxCues {
			break
		}
		if c.Text != "" {
			cues = append(cues, c)
		}
	}
	return cues, nil
}

// webVTTText returns the payloads of the cues of a sample (ISO/IEC 14496-30,
// section 6.6).
func webVTTText(b []byte) string {
	var lines []string
	for x := range boxes(b) {
		if x.kind != "vttc" {
			continue
		}
		if payload, ok := find(x.data, "payl"); ok {
			lines = append(lines, charset.UTF8(payload))
		}
	}
	return strings.Join(lines, "\n")
}

// A textSample is the text that a text track shows for a while.
type textSample struct {
	start, end float64 // seconds
	data       []byte
}

// samples yields the samples of a text track with the times at which its edit
// list shows them. It stops at the first sample outside the file, and after
// very many samples.
func (t *track) samples(r io.ReaderAt, size int64) iter.Seq[textSample] {
	return func(yield func(textSample) bool) {
		at, left := placer{table: t.table, left: maxTextWork}, maxTextSamples
		for _, s := range t.segments {
			for i := t.table.at(s.media); i < t.table.n && left > 0; i++ {
				left--
				start := t.table.pts(i)
				end := max(start, t.table.dts(i+1)+t.table.shift(i))
				if start >= s.end {
					break
				}
				if end <= s.media {
					continue
				}
				data, ok := at.read(r, size, i)
				if !ok || !yield(textSample{s.seconds(start, t.Timescale), s.seconds(end, t.Timescale), data}) {
					return
				}
			}
		}
	}
}

// seconds converts a media time, clamped to the segment, to seconds.
func (s segment) seconds(media int64, timescale uint32) float64 {
	return s.at + float64(min(max(media, s.media), s.end)-s.media)/float64(timescale)
}

// A placer finds samples requested in ascending order. It avoids adding up the
// sizes of all earlier samples in the chunk for each one.
type placer struct {
	table *table
	next  int   // sample index
	off   int64 // offset of that sample, if it is in chunk
	chunk int
	left  int64 // rest of maxTextWork: samples may overlap, and be far into a chunk
}

// read reads a sample, up to the maximum size of a text.
func (p *placer) read(r io.ReaderAt, size int64, i int) ([]byte, bool) {
	chunk, first, _, _ := p.table.chunkOf(i)
	if i != p.next || chunk != p.chunk || i == first {
		if chunk >= p.table.offsets.len() || p.table.offsets.of(chunk) > uint64(size) {
			return nil, false
		}
		if p.left -= int64(i - first); p.left < 0 {
			return nil, false
		}
		p.chunk, p.off = chunk, int64(p.table.offsets.of(chunk))+p.table.sizes.sum(first, i)
	}
	length := p.table.sizes.sum(i, i+1)
	kept := min(length, maxSample)
	if p.left -= kept; p.left < 0 || p.off > size-length {
		return nil, false
	}
	b := make([]byte, kept)
	if k, _ := r.ReadAt(b, p.off); k < len(b) {
		return nil, false
	}
	p.next, p.off = i+1, p.off+length
	return b, true
}
