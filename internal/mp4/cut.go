package mp4

import (
	"fmt"
	"math"
)

// A Mode says where a clip begins.
type Mode int

const (
	// Exact clips show exactly the frames that begin in the range and the
	// sound of the range. What a decoder needs before them is in the clip
	// but hidden by its edit lists.
	Exact Mode = iota

	// Copy clips begin with the sync sample at or before the start, so
	// that they hide no pictures before it, at most those few that follow
	// it in the file and show before it. Without video they begin with a
	// packet of sound.
	Copy
)

// tolerance is how far, in seconds, a time may be from a frame's and still
// name it: half of the last of six decimals.
const tolerance = 0.5e-6

// A Clip is a cut that has been worked out but not written. It holds no
// media and is safe for concurrent use.
type Clip struct {
	header     []byte
	spans      []span
	size       int64
	start, end float64
	tracks     []Track
	checked    []checked
}

// Size returns the bytes of the clip's file.
func (c *Clip) Size() int64 { return c.size }

// Start returns the second of the movie at which the clip begins: where it
// was asked to, or before that in mode Copy.
func (c *Clip) Start() float64 { return c.start }

// End returns the second of the movie at which the clip ends: where it was
// asked to, or the end of the movie if that is earlier.
func (c *Clip) End() float64 { return c.end }

// Tracks returns the tracks of the movie that have something in the clip.
func (c *Clip) Tracks() []Track { return append([]Track(nil), c.tracks...) }

// Cut works out the clip of seconds [start, end). A range that ends after
// the movie is cut to its end, as [Clip.End] tells.
//
// Errors match [ErrRange], [ErrEmpty], and [ErrDamaged] if a wanted sample
// is not in the file.
func (m *Movie) Cut(start, end float64, mode Mode) (*Clip, error) {
	if !(start >= 0 && end > start && start < m.duration) {
		if m.short {
			return nil, fmt.Errorf("%w: [%g, %g) of %g seconds that are there of a file that is cut short", ErrRange, start, end, m.duration)
		}
		return nil, fmt.Errorf("%w: [%g, %g) of %g seconds", ErrRange, start, end, m.duration)
	}
	end = min(end, m.duration)
	if mode == Copy {
		start = m.copyStart(start)
	}
	c := &cut{movie: m, start: start, end: end, timescale: m.clipTimescale()}
	if err := c.choose(); err != nil {
		return nil, err
	}
	return c.build()
}

// SyncBefore returns the time of the last sync sample of the first video
// track that shows at or before second t, and false if there is none: a
// movie without video, or before its first sync sample.
func (m *Movie) SyncBefore(t float64) (float64, bool) {
	for _, x := range m.tracks {
		if x.Kind == Video {
			return x.syncBefore(t)
		}
	}
	return 0, false
}

// copyStart returns where a Copy clip begins that was asked to at start.
func (m *Movie) copyStart(start float64) float64 {
	for _, t := range m.tracks {
		if t.Kind != Video {
			continue
		}
		if sync, ok := t.syncBefore(start); ok {
			return sync
		}
		return start
	}
	for _, t := range m.tracks {
		if t.Kind == Audio {
			return t.packetBefore(start)
		}
	}
	return start
}

// syncBefore returns the time of the last sync sample shown at or before t.
func (t *track) syncBefore(when float64) (float64, bool) {
	for k := len(t.segments) - 1; k >= 0; k-- {
		s := t.segments[k]
		limit := min(t.ceil(s, when+2*tolerance), s.end) // exclusive
		if limit <= s.media {
			continue
		}
		i, ok := t.table.syncAt(t.table.from(limit-t.table.minShift) - 1)
		for ok {
			if pts := t.table.pts(i); pts < limit {
				if pts < s.media {
					break
				}
				return t.seconds(s, pts), true
			}
			i, ok = t.table.syncAt(i - 1)
		}
	}
	return 0, false
}

// packetBefore returns the beginning of the packet that sounds at a time.
func (t *track) packetBefore(when float64) float64 {
	if t.packed {
		return when
	}
	for _, s := range t.segments {
		if media := t.nearest(s, when); media >= s.media && media < s.end {
			return t.seconds(s, max(s.media, t.table.dts(t.table.at(media))))
		}
	}
	return when
}

// seconds returns the movie time at which a segment shows a media time.
func (t *track) seconds(s segment, media int64) float64 {
	return s.at + float64(media-s.media)/float64(t.Timescale)
}

// ticks returns the media time that a segment shows at a movie time.
func (t *track) ticks(s segment, when float64) float64 {
	return float64(s.media) + (when-s.at)*float64(t.Timescale)
}

// ceil returns the first media tick at or after a movie time.
func (t *track) ceil(s segment, when float64) int64 {
	return clampTicks(math.Ceil(t.ticks(s, when-tolerance)))
}

// nearest returns the media tick nearest to a movie time.
func (t *track) nearest(s segment, when float64) int64 {
	return clampTicks(math.Round(t.ticks(s, when)))
}

func clampTicks(x float64) int64 {
	return int64(max(-maxTicks, min(x, 2*maxTicks)))
}

// clipTimescale returns a movie timescale in which the media times of all
// tracks are whole, or at least come back whole when rounded.
func (m *Movie) clipTimescale() int64 {
	const most = 1e9 // readers keep it in 32 bits with a sign
	common, largest := int64(1), int64(1)
	for _, t := range m.tracks {
		ts := int64(t.Timescale) * t.scale
		largest = max(largest, ts)
		if common <= most {
			common = common / gcd(common, ts) * ts
		}
	}
	if common <= most {
		return common
	}
	return largest
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
