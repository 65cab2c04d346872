package mp4

import "math"

// segment is a part of a track's media that its edit list shows: media ticks
// [media, end), starting at second at of the movie.
type segment struct {
	at         float64
	media, end int64
}

// maxEdits bounds the edits of a track.
const maxEdits = 1 << 12

// parseEdits reads elst (8.6.6). An empty elst means the whole media from 0.
func (t *track) parseEdits(elst []byte, timescale uint32) error {
	end := t.table.mediaEnd()
	if elst == nil {
		t.segments = []segment{{0, 0, end}}
		return nil
	}
	size := 12
	if len(elst) > 0 && elst[0] == 1 {
		size = 20
	}
	entries, ok := list(elst, size)
	if !ok {
		return damaged("edit list (elst) cut short")
	}
	if len(entries) == 0 {
		t.segments = []segment{{0, 0, end}}
		return nil
	}
	if len(entries)/size > maxEdits {
		return tooLarge("%d edits in a track; at most %d", len(entries)/size, maxEdits)
	}
	at := uint64(0) // movie ticks
	for ; len(entries) > 0; entries = entries[size:] {
		length, media, rate := parseEdit(entries, size)
		if media < -1 || media > maxTicks || length > maxTicks || at > maxTicks {
			return damaged("edit of %d ticks at media time %d", length, media)
		}
		if media >= 0 {
			if rate != 1<<16 {
				return unsupported("edit that plays at another speed")
			}
			t.addSegment(at, length, media, end, timescale)
		}
		at += length
	}
	return nil
}

func parseEdit(b []byte, size int) (length uint64, media int64, rate uint32) {
	if size == 20 {
		return be.Uint64(b), int64(be.Uint64(b[8:])), be.Uint32(b[16:])
	}
	return uint64(be.Uint32(b)), int64(int32(be.Uint32(b[4:]))), be.Uint32(b[8:])
}

// addSegment adds the part of an edit that has media. A length of 0 means up to
// the end of the media.
func (t *track) addSegment(at, length uint64, media, end int64, timescale uint32) {
	stop := end
	if length > 0 {
		ticks := math.Round(float64(length) * float64(t.Timescale) / float64(timescale))
		stop = int64(min(float64(end), float64(media)+ticks))
	}
	if stop > media {
		t.segments = append(t.segments, segment{float64(at) / float64(timescale), media, stop})
	}
}

// mediaEnd returns the composition time at which the last sample ends. A sample
// lasts at least one tick: many files end with a sample of duration 0, which is
// shown nevertheless.
func (t *table) mediaEnd() int64 {
	end, run := int64(0), 0
	for k := range max(1, len(t.shifts)) {
		last, shift := t.n-1, int64(0)
		if k < len(t.shifts) {
			shift = int64(t.shifts[k].shift)
		}
		if k+1 < len(t.shifts) {
			last = int(t.shifts[k+1].first) - 1
		}
		for run+1 < len(t.times) && int(t.times[run+1].first) <= last {
			run++
		}
		r := t.times[run]
		dts := r.dts + int64(last-int(r.first))*int64(r.delta)
		end = max(end, dts+int64(max(1, r.delta))+shift)
	}
	return end
}

// cost returns the approximate memory of the runs in bytes. The rest of the
// table is part of the movie box.
func (t *table) cost() int64 {
	return int64(cap(t.times))*16 + int64(cap(t.shifts))*8 + int64(cap(t.chunks))*32
}
