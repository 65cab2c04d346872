package mp4

import (
	"cmp"
	"slices"
)

// Limits on a clip.
const (
	maxChunks    = 4 << 20 // chunks
	maxPieces    = 6 << 20 // runs of source bytes, 50 bytes of memory each
	chunkSeconds = 0.5     // length of a chunk, which is the unit of interleaving
)

// span is a run of bytes of the source.
type span struct{ off, len int64 }

// chunk is a chunk of a clip: samples with the same description, in pieces of
// the source.
type chunk struct {
	part    int
	samples int
	desc    uint32
	time    float64 // seconds of the clip
	size    int64
	pieces  []span
}

// build plans the chunks and encodes the header.
func (c *cut) build() (*Clip, error) {
	perPart := make([][]*chunk, len(c.parts))
	var order []*chunk
	var media int64
	for k, p := range c.parts {
		chunks, err := c.chunksOf(k, p)
		if err != nil {
			return nil, err
		}
		for _, x := range chunks {
			media += x.size
		}
		perPart[k] = chunks
		order = append(order, chunks...)
	}
	if media == 0 {
		return nil, damaged("samples of no bytes")
	}
	if media > c.movie.size {
		return nil, damaged("samples of %d bytes in a file of %d", media, c.movie.size)
	}
	slices.SortStableFunc(order, func(a, b *chunk) int { return cmp.Compare(a.time, b.time) })
	clip := &Clip{start: c.start, end: c.end, spans: join(order)}
	clip.header = c.encode(perPart, order, media)
	clip.size = int64(len(clip.header)) + media
	for _, p := range c.parts {
		clip.tracks = append(clip.tracks, p.Track)
		clip.checked = append(clip.checked, p.sampled()...)
		if p.Kind == Video {
			clip.pictures, clip.shown = clip.pictures+p.stop-p.first, clip.shown+p.shown
			clip.doubtful = clip.doubtful || p.doubtful(c.movie.source)
		}
	}
	return clip, clip.reopen(c.parts)
}

// join moves the pieces out of the chunks, and joins adjacent ones.
func join(order []*chunk) []span {
	n := 0
	for _, x := range order {
		n += len(x.pieces)
	}
	spans := make([]span, 0, n)
	for _, x := range order {
		for _, s := range x.pieces {
			spans = appendSpan(spans, s)
		}
		x.pieces = nil
	}
	return slices.Clip(spans)
}

// appendSpan adds a span, joined to the last one if it directly follows it.
func appendSpan(spans []span, s span) []span {
	if s.len == 0 {
		return spans
	}
	if k := len(spans) - 1; k >= 0 && spans[k].off+spans[k].len == s.off {
		spans[k].len += s.len
		return spans
	}
	return append(spans, s)
}

// chunksOf groups the samples of a part into chunks of about chunkSeconds. It
// joins shorter chunks of the source and splits longer ones.
func (c *cut) chunksOf(k int, p *part) ([]*chunk, error) {
	var chunks []*chunk
	var last *chunk
	t := p.table
	length := max(1, int64(chunkSeconds*float64(p.Timescale)))
	ends := int64(0) // media time at which the current chunk is full
	for i := p.first; i < p.stop; {
		n, begin, end, desc := t.chunkOf(i)
		off := t.offsets.of(n)
		if off > uint64(c.movie.size) {
			return nil, damaged("sample %d is at byte %d of %d", i+1, off, c.movie.size)
		}
		at := int64(off) + t.sizes.sum(begin, i)
		for end = min(end, p.stop); i < end; {
			dts := t.dts(i)
			if last == nil || last.desc != desc || dts >= ends {
				if len(chunks) == maxChunks {
					return nil, tooLarge("more than %d chunks in a clip", maxChunks)
				}
				last = &chunk{part: k, desc: desc, time: p.clipTime(dts)}
				chunks = append(chunks, last)
				ends = dts + length
			}
			to := min(end, max(i+1, t.from(ends)))
			to = t.wholeWithin(begin, i, to, end)
			size := t.sizes.sum(i, to)
			if size > c.movie.size-at {
				return nil, damaged("samples %d-%d reach to byte %d of %d: the file is cut short", i+1, to, at+size, c.movie.size)
			}
			last.samples += to - i
			before := len(last.pieces)
			if i == p.first {
				last.size += p.note.len
				last.pieces = appendSpan(last.pieces, p.note)
			}
			last.size += size
			last.pieces = appendSpan(last.pieces, span{at, size})
			if c.pieces += len(last.pieces) - before; c.pieces > maxPieces {
				return nil, tooLarge("a clip of more than %d pieces of the file", maxPieces)
			}
			i, at = to, at+size
		}
	}
	return chunks, nil
}

// wholeWithin moves the end of samples [i, to) of a chunk to the end of a
// packet.
func (t *table) wholeWithin(begin, i, to, end int) int {
	if over := (to - begin) % t.sizes.packet; over > 0 {
		to = min(end, to+t.sizes.packet-over)
	}
	return max(to, i+1)
}

// clipTime returns the approximate clip time of a media time of the source.
func (p *part) clipTime(media int64) float64 {
	s := p.shows[0]
	return s.at + float64(media-s.media)/float64(p.Timescale)
}
