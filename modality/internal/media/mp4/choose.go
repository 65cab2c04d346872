package mp4

import (
	"fmt"
	"io"
	"math"
)

// cut is a clip under construction.
type cut struct {
	movie      *Movie
	start, end float64
	timescale  int64 // of the clip
	parts      []*part
	scanned    int // frames examined
	pieces     int // runs of source bytes so far
}

// maxScanned bounds the frames examined. Without it, edits that repeat a film
// could multiply them.
const maxScanned = 4 * MaxSamples

// part is what a clip contains of one track: samples [first, end), and the
// edits that show the wanted part of them.
type part struct {
	*track
	first, stop int
	shows       []show
	from, to    int64 // subtitles: media times that the first and last sample are cut to; else -1
	lead        int64 // media ticks added to every composition offset
	wrong       bool  // the source lists samples as sync samples that are none
	syncs       []int // the sync samples, if it does
	shown       int   // pictures that begin in the range
	note        span  // unit of an earlier sample, put before the first one; no bytes if none
}

// show is one edit of a clip. It shows media ticks [media, end) of the source
// from a given second of the clip on.
type show struct {
	at         float64
	media, end int64
}

// choose selects the samples of every track.
func (c *cut) choose() error {
	for _, t := range c.movie.tracks {
		p := &part{track: t, first: t.table.n, from: -1, to: -1}
		for _, s := range t.segments {
			if err := c.chooseFrom(p, s); err != nil {
				return fmt.Errorf("track %d: %w", t.ID, err)
			}
		}
		if len(p.shows) > 0 {
			if err := p.finish(c.movie.source); err != nil {
				return fmt.Errorf("track %d: %w", t.ID, err)
			}
			c.parts = append(c.parts, p)
		}
	}
	for _, p := range c.parts {
		if p.Kind != Subtitle {
			return c.checkVideo()
		}
	}
	return fmt.Errorf("%w [%g, %g)", ErrEmpty, c.start, c.end)
}

// checkVideo returns an error for a clip that lost its picture because no frame
// begins in the range although one is shown for most of it.
func (c *cut) checkVideo() error {
	for _, p := range c.parts {
		if p.Kind == Video {
			return nil
		}
	}
	for _, t := range c.movie.tracks {
		if t.Kind == Video && min(t.End, c.end)-max(t.Start, c.start) > (c.end-c.start)/2 {
			return fmt.Errorf("%w [%g, %g): the frame shown there begins before it", ErrEmpty, c.start, c.end)
		}
	}
	return nil
}

// chooseFrom adds to a part what a segment shows in the range.
func (c *cut) chooseFrom(p *part, s segment) error {
	switch p.Kind {
	case Video:
		return c.chooseFrames(p, s)
	case Audio:
		return c.choosePackets(p, s)
	case Subtitle:
		c.chooseCues(p, s)
	}
	return nil
}

// chooseFrames adds the frames that begin in the range, starting at the sync
// sample that the first of them needs.
func (c *cut) chooseFrames(p *part, s segment) error {
	lo := max(s.media, p.ceil(s, c.start))
	hi := min(s.end, p.ceil(s, c.end))
	first, last, earliest := -1, -1, int64(math.MaxInt64)
	c.scanned += p.table.frames(lo, hi, func(i int, pts int64) {
		p.shown++
		if first < 0 {
			first = i
		}
		last, earliest = i, min(earliest, pts)
	})
	if c.scanned > maxScanned {
		return tooLarge("edits show more than %d frames", maxScanned)
	}
	if first < 0 {
		return nil
	}
	begin, wrong := p.decodeFrom(c.movie.source, first, earliest)
	p.first, p.wrong = min(p.first, begin), p.wrong || wrong
	p.stop = max(p.stop, last+1)
	p.show(c, s, earliest, hi)
	return nil
}

// decodeFrom returns the sync sample to decode from. first is the first wanted
// frame in decode order, and earliest the composition time of the first one
// shown. After a sync sample there may be frames that are shown before it and
// depend on earlier samples (an open group of pictures), so a sync sample shown
// after earliest does not qualify. Wrong means that the table lists samples as
// sync samples that are none.
func (t *track) decodeFrom(r io.ReaderAt, first int, earliest int64) (begin int, wrong bool) {
	for i, ok := t.beginAt(r, first, &wrong); ok; i, ok = t.beginAt(r, i-1, &wrong) {
		if t.table.pts(i) <= earliest {
			return i, wrong
		}
	}
	return 0, wrong
}

// choosePackets adds the packets that sound in the range, and the packets
// before them that the decoder needs.
func (c *cut) choosePackets(p *part, s segment) error {
	if len(p.table.shifts) > 1 {
		return unsupported("sound with varying composition offsets")
	}
	lo := max(s.media, p.nearest(s, c.start))
	hi := min(s.end, p.nearest(s, c.end))
	if lo >= hi {
		return nil
	}
	shift := p.table.shift(0)
	first := p.table.at(lo - shift)
	stop := p.table.from(hi - shift)
	if p.table.pts(first) >= hi || stop <= first {
		return nil
	}
	lo = max(lo, p.table.pts(first))
	first = p.prerollFor(first)
	if p.table.sizes.packet > 1 {
		first, stop = p.table.wholePackets(first, stop)
	}
	p.first, p.stop = min(p.first, first), max(p.stop, stop)
	p.show(c, s, lo, hi)
	return nil
}

// prerollFor returns the packet to decode from so that packet i is correct.
func (t *track) prerollFor(i int) int {
	if t.packed {
		return i
	}
	i = max(0, i-t.preroll.packets)
	if t.preroll.seconds > 0 {
		i = t.table.at(t.table.dts(i) - int64(t.preroll.seconds*float64(t.Timescale)))
	}
	if sync, ok := t.table.syncAt(i); ok {
		return sync
	}
	return 0
}

// wholePackets widens a range of samples to whole packets.
func (t *table) wholePackets(first, stop int) (int, int) {
	_, begin, _, _ := t.chunkOf(first)
	first -= (first - begin) % t.sizes.packet
	_, begin, end, _ := t.chunkOf(stop - 1)
	if over := (stop - begin) % t.sizes.packet; over > 0 {
		stop = min(end, stop+t.sizes.packet-over)
	}
	return first, stop
}

// chooseCues adds the subtitles shown in the range. Unlike frames they last
// seconds, so the first and last are cut to the range.
func (c *cut) chooseCues(p *part, s segment) {
	lo := max(s.media, p.nearest(s, c.start))
	hi := min(s.end, p.nearest(s, c.end))
	if lo >= hi || p.table.shifts != nil {
		return
	}
	first, stop := p.table.at(lo), p.table.from(hi)
	if stop <= first || p.table.dts(first) >= hi {
		return
	}
	lo = max(lo, p.table.dts(first))
	if len(p.shows) == 0 {
		p.from = lo
	}
	p.to = hi
	p.first, p.stop = min(p.first, first), max(p.stop, stop)
	p.show(c, s, lo, hi)
}

// show adds an edit of media ticks [lo, hi).
func (p *part) show(c *cut, s segment, lo, hi int64) {
	at := p.seconds(s, lo) - c.start
	if at < 2*tolerance {
		at = 0
	}
	p.shows = append(p.shows, show{at, lo, hi})
}

// finish settles what depends on all edits of a part. The first sample gets the
// note that its decoder needs. It cuts cues only if a
// single edit shows them, because another edit may show the same cues whole.
// Media time begins at the first sample, and no edit may begin before it. It
// makes composition offsets positive. This changes nothing visible, but all
// players read positive offsets alike.
func (p *part) finish(r io.ReaderAt) error {
	p.note = p.noteFor(r, p.first)
	if r != nil && p.Kind == Video && (p.wrong || p.table.allSync) {
		examined := 0
		p.syncs, examined = p.trueSyncs(r, p.first, p.stop)
		p.wrong = p.wrong || len(p.syncs) < examined
	}
	if len(p.shows) > 1 {
		p.from, p.to = -1, -1
	}
	p.lead = -p.table.minShift
	for _, s := range p.shows {
		p.lead = max(p.lead, p.base()-s.media)
	}
	if longest := (p.table.maxShift + p.lead) * p.scale; longest > math.MaxInt32 {
		return damaged("composition offsets of %d ticks", longest)
	}
	return nil
}

// base returns the source media time of the clip's media time 0.
func (p *part) base() int64 {
	if p.from >= 0 {
		return p.from
	}
	return p.table.dts(p.first)
}
