package mp4

// trim drops the samples from the first whose bytes lie outside a file of the
// given size, and reports whether there were any. The header of a truncated
// file still lists the samples it once held.
func (t *table) trim(size int64) (cut bool) {
	n := t.present(size)
	if n == t.n {
		return false
	}
	t.duration = t.dts(n)
	t.n = n
	for len(t.times) > 0 && int(t.times[len(t.times)-1].first) >= n {
		t.times = t.times[:len(t.times)-1]
	}
	for len(t.shifts) > 0 && int(t.shifts[len(t.shifts)-1].first) >= n {
		t.shifts = t.shifts[:len(t.shifts)-1]
	}
	for len(t.chunks) > 0 && t.chunks[len(t.chunks)-1].first >= n {
		t.chunks = t.chunks[:len(t.chunks)-1]
	}
	for !t.allSync && len(t.syncs) > 0 && t.sync(len(t.syncs)/4-1) >= n {
		t.syncs = t.syncs[:len(t.syncs)-4]
	}
	if t.depends != nil {
		t.depends = t.depends[:n]
	}
	return true
}

// present returns the number of leading samples inside a file of the given
// size.
func (t *table) present(size int64) int {
	for i := 0; i < t.n; {
		chunk, first, end, _ := t.chunkOf(i)
		off := t.offsets.of(chunk)
		if off > uint64(size) {
			return first
		}
		if room := size - int64(off); t.sizes.sum(first, end) > room {
			return t.within(first, end, room)
		}
		i = end
	}
	return t.n
}

// within returns the first of samples [first, end) of a chunk that does not fit
// in the first room bytes of the chunk.
func (t *table) within(first, end int, room int64) int {
	if t.sizes.uniform > 0 {
		return first + int(room/t.sizes.uniform)*t.sizes.packet
	}
	for i := first; i < end; i++ {
		if room -= t.sizes.of(i); room < 0 {
			return i
		}
	}
	return end
}
