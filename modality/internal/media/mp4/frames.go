package mp4

// maxLooked bounds the frames examined to find one that begins in a range.
const maxLooked = 1 << 16

// Holds reports whether a frame of the first video track begins in seconds
// [start, end) or, for a movie without video, whether there is sound in it.
// If no frame begins there, before is the start of the last frame that begins at
// or before start; ok is false if there is none.
func (m *Movie) Holds(start, end float64) (holds bool, before float64, ok bool) {
	for _, t := range m.tracks {
		if t.Kind != Video {
			continue
		}
		if t.hasFrame(start, end) {
			return true, 0, false
		}
		before, ok = t.frameBefore(start)
		return false, before, ok
	}
	for _, t := range m.tracks {
		for _, s := range t.segments {
			last := t.seconds(s, s.end)
			if t.Kind == Audio && min(end, last)-max(start, s.at) > 1/float64(t.Timescale) {
				return true, 0, false
			}
		}
	}
	return false, 0, false
}

func (t *track) hasFrame(start, end float64) bool {
	for _, s := range t.segments {
		lo, hi := max(s.media, t.ceil(s, start)), min(s.end, t.ceil(s, end))
		if lo >= hi {
			continue
		}
		i, stop := t.table.from(lo-t.table.maxShift), t.table.from(hi-t.table.minShift)
		for stop = min(stop, i+maxLooked); i < stop; i++ {
			if pts := t.table.pts(i); pts >= lo && pts < hi {
				return true
			}
		}
	}
	return false
}

// frameBefore returns the start of the last frame that begins at or before
// when.
func (t *track) frameBefore(when float64) (float64, bool) {
	for k := len(t.segments) - 1; k >= 0; k-- {
		s := t.segments[k]
		limit := min(t.ceil(s, when+2*tolerance), s.end) // exclusive
		best, found := int64(0), false
		i := t.table.from(limit-t.table.minShift) - 1
		for stop := max(i-maxLooked, -1); i > stop; i-- {
			pts := t.table.pts(i)
			if pts < limit && pts >= s.media && (!found || pts > best) {
				best, found = pts, true
			}
			if found && t.table.dts(i)+t.table.maxShift < best {
				break
			}
		}
		if found {
			return t.seconds(s, best), true
		}
	}
	return 0, false
}
