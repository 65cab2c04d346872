package mp4

import (
	"fmt"
	"io"
	"math"
)

// A Mode determines where a clip begins.
type Mode int

const (
	// Exact clips show exactly the frames that begin in the range and the sound
	// of the range. Samples that a decoder needs before them are in the clip,
	// hidden by its edit lists.
	Exact Mode = iota

	// Copy clips begin with the sync sample at or before the start, so they
	// hide no pictures, except the few that may follow it in the file but are
	// shown before it. Without video they begin with a packet of sound.
	Copy
)

// tolerance is how far, in seconds, a time may be from a frame's and still name
// that frame: half a unit of the sixth decimal.
const tolerance = 0.5e-6

// A Clip is a planned cut that has not been written yet. It holds no media and
// is safe for concurrent use.
type Clip struct {
	header     []byte
	spans      []span
	size       int64
	start, end float64
	tracks     []Track
	checked    []checked
	pictures   int
	shown      int
	doubtful   bool
}

// Size returns the size of the clip's file in bytes.
func (c *Clip) Size() int64 { return c.size }

// Start returns the second of the movie at which the clip begins: the requested
// start, or an earlier one in mode Copy.
func (c *Clip) Start() float64 { return c.start }

// End returns the second of the movie at which the clip ends: the requested
// end, or the end of the movie if that is earlier.
func (c *Clip) End() float64 { return c.end }

// Tracks returns the tracks of the movie that have samples in the clip.
func (c *Clip) Tracks() []Track { return append([]Track(nil), c.tracks...) }

// Pictures returns the number of pictures in the clip, hidden ones included.
func (c *Clip) Pictures() int { return c.pictures }

// Shown returns the number of pictures in the clip that it shows.
func (c *Clip) Shown() int { return c.shown }

// Doubtful reports whether pictures of the clip might need samples of the movie
// that are not in it. Only decoding can tell.
func (c *Clip) Doubtful() bool { return c.doubtful }

// Cut plans the clip of seconds [start, end). A range that ends after the movie
// is cut to its end; see [Clip.End].
//
// Errors match [ErrRange], [ErrEmpty], and [ErrDamaged] if a wanted sample is
// not in the file.
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

// SyncBefore returns the time of the last sync sample of the first video track
// shown at or before second t. It returns false if there is none: the movie has
// no video, or t is before its first sync sample.
func (m *Movie) SyncBefore(t float64) (float64, bool) {
	for _, x := range m.tracks {
		if x.Kind == Video {
			return x.syncBefore(m.source, t)
		}
	}
	return 0, false
}

// copyStart returns the actual start of a Copy clip requested at start.
func (m *Movie) copyStart(start float64) float64 {
	for _, t := range m.tracks {
		if t.Kind != Video {
			continue
		}
		if sync, ok := t.syncBefore(m.source, start); ok {
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
func (t *track) syncBefore(r io.ReaderAt, when float64) (float64, bool) {
	for k := len(t.segments) - 1; k >= 0; k-- {
		s := t.segments[k]
		limit := min(t.ceil(s, when+2*tolerance), s.end) // exclusive
		if limit <= s.media {
			continue
		}
		var wrong bool
		i, ok := t.beginAt(r, t.table.from(limit-t.table.minShift)-1, &wrong)
		for ok {
			if pts := t.table.pts(i); pts < limit {
				if pts < s.media {
					break
				}
				return t.seconds(s, pts), true
			}
			i, ok = t.beginAt(r, i-1, &wrong)
		}
	}
	return 0, false
}

// packetBefore returns the start of the packet that sounds at when.
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
// tracks are integers, or at least survive rounding.
func (m *Movie) clipTimescale() int64 {
	const most = 1e9 // readers store it as a signed 32-bit number
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
