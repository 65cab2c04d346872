package mp4

import "math"

// parseTable reads a sample table box. sound describes the packets of an
// uncompressed QuickTime sound track; otherwise it is zero.
func parseTable(stbl []byte, descriptions int, sound packetLayout) (*table, error) {
	t := &table{}
	if err := t.parseSizes(stbl); err != nil {
		return nil, err
	}
	if t.n == 0 {
		return t, nil
	}
	for _, parse := range []func([]byte) error{t.parseTimes, t.parseShifts, t.parseSyncs} {
		if err := parse(stbl); err != nil {
			return nil, err
		}
	}
	if t.sizes.uniform > 0 && sound.bytes > 0 && len(t.times) == 1 && t.times[0].delta == 1 {
		t.sizes.uniform, t.sizes.packet = sound.bytes, sound.samples
	}
	if err := t.parseChunks(stbl, descriptions); err != nil {
		return nil, err
	}
	if b, ok := find(stbl, "sdtp"); ok && len(b) >= 4+t.n {
		t.depends = b[4 : 4+t.n]
	}
	t.parseGroups(stbl)
	return t, nil
}

// parseSizes reads stsz or stz2 (8.7.3).
func (t *table) parseSizes(stbl []byte) error {
	b, ok := find(stbl, "stsz")
	compact := false
	if !ok {
		if b, compact = find(stbl, "stz2"); !compact {
			return damaged("no sample sizes (stsz)")
		}
	}
	if len(b) < 12 {
		return damaged("sample sizes (stsz) cut short")
	}
	n := be.Uint32(b[8:])
	if n > math.MaxInt32 {
		return tooLarge("%d samples in a track; at most %d", n, math.MaxInt32)
	}
	t.n = int(n)
	t.sizes = sizes{packet: 1, bits: 32, entries: b[12:]}
	if compact {
		t.sizes.bits = int(b[7])
		if w := b[7]; w != 4 && w != 8 && w != 16 {
			return damaged("sample sizes of %d bits (stz2)", w)
		}
	} else if u := be.Uint32(b[4:]); u > math.MaxInt32 {
		return damaged("samples of %d bytes each", u)
	} else if u > 0 {
		t.sizes.uniform, t.sizes.field = int64(u), u
		return nil
	}
	if have := int64(len(t.sizes.entries)) * 8 / int64(t.sizes.bits); have < int64(n) {
		return damaged("%d sample sizes where %d are declared", have, n)
	}
	return nil
}

// parseTimes reads stts (8.6.1.2).
func (t *table) parseTimes(stbl []byte) error {
	b, _ := find(stbl, "stts")
	entries, ok := list(b, 8)
	if !ok {
		return damaged("no sample durations (stts)")
	}
	t.times = make([]timeRun, 0, countRuns(entries))
	first := uint64(0)
	for ; len(entries) > 0 && first < uint64(t.n); entries = entries[8:] {
		count := min(uint64(be.Uint32(entries)), uint64(t.n)-first)
		delta := uint64(be.Uint32(entries[4:]))
		if count == 0 {
			continue
		}
		if delta > math.MaxInt32 { // written as negative by broken muxers
			return damaged("sample %d lasts %d ticks", first+1, delta)
		}
		if k := len(t.times); k == 0 || t.times[k-1].delta != int32(delta) {
			t.times = append(t.times, timeRun{int32(first), int32(delta), t.duration})
		}
		first += count
		t.duration += int64(count * delta)
		if t.duration > maxTicks {
			return damaged("sample times beyond %d ticks", int64(maxTicks))
		}
	}
	if first < uint64(t.n) {
		return damaged("durations of %d samples where there are %d", first, t.n)
	}
	return nil
}

// countRuns returns the number of runs of equal values in stts or ctts.
func countRuns(entries []byte) (n int) {
	for i := 0; i < len(entries); i += 8 {
		if i == 0 || be.Uint32(entries[i+4:]) != be.Uint32(entries[i-4:]) {
			n++
		}
	}
	return n
}

// parseShifts reads ctts (8.6.1.3). Offsets are read as signed in both
// versions, as in QuickTime and every player. Samples after the last entry have
// no offset.
func (t *table) parseShifts(stbl []byte) error {
	b, ok := find(stbl, "ctts")
	if !ok {
		return nil
	}
	entries, ok := list(b, 8)
	if !ok {
		return damaged("composition offsets (ctts) cut short")
	}
	t.shifts = make([]shiftRun, 0, countRuns(entries)+1)
	first := uint64(0)
	add := func(count uint64, shift int32) {
		if k := len(t.shifts); k == 0 || t.shifts[k-1].shift != shift {
			t.shifts = append(t.shifts, shiftRun{int32(first), shift})
		}
		first += count
		t.minShift, t.maxShift = min(t.minShift, int64(shift)), max(t.maxShift, int64(shift))
	}
	for ; len(entries) > 0 && first < uint64(t.n); entries = entries[8:] {
		count := min(uint64(be.Uint32(entries)), uint64(t.n)-first)
		if count > 0 {
			add(count, int32(be.Uint32(entries[4:])))
		}
	}
	if rest := uint64(t.n) - first; rest > 0 {
		add(rest, 0)
	}
	if len(t.shifts) == 1 && t.shifts[0].shift == 0 {
		t.shifts = nil
	}
	return nil
}

// parseSyncs reads stss (8.6.2).
func (t *table) parseSyncs(stbl []byte) error {
	b, ok := find(stbl, "stss")
	if !ok {
		t.allSync = true
		return nil
	}
	if t.syncs, ok = list(b, 4); !ok {
		return damaged("sync samples (stss) cut short")
	}
	last := -1
	for k := range len(t.syncs) / 4 {
		i := t.sync(k)
		if i <= last || i >= t.n {
			return damaged("sync sample %d of %d out of order", i+1, t.n)
		}
		last = i
	}
	return nil
}

// parseChunks reads stsc and stco or co64 (8.7.4, 8.7.5).
func (t *table) parseChunks(stbl []byte, descriptions int) error {
	b, ok := find(stbl, "stco")
	width := 4
	if !ok {
		if b, ok = find(stbl, "co64"); !ok {
			return damaged("no chunk offsets (stco)")
		}
		width, t.offsets.wide = 8, true
	}
	if t.offsets.entries, ok = list(b, width); !ok {
		return damaged("chunk offsets cut short")
	}
	b, _ = find(stbl, "stsc")
	entries, ok := list(b, 12)
	if !ok {
		return damaged("no sample-to-chunk table (stsc)")
	}
	return t.parseRuns(entries, descriptions)
}

// parseRuns reads the entries of stsc until the chunks or samples end.
func (t *table) parseRuns(entries []byte, descriptions int) error {
	chunks, samples := uint64(t.offsets.len()), uint64(0)
	for k := 0; len(entries) > 0; k, entries = k+1, entries[12:] {
		from, per, desc := uint64(be.Uint32(entries)), be.Uint32(entries[4:]), be.Uint32(entries[8:])
		next := chunks + 1 // first chunk of the next run, counted from 1
		if len(entries) > 12 {
			next = min(next, uint64(be.Uint32(entries[12:])))
		}
		if from > chunks || samples >= uint64(t.n) {
			break
		}
		if k == 0 && from != 1 || from >= next || per == 0 || per > math.MaxInt32 {
			return damaged("entry %d of the sample-to-chunk table (stsc) makes no sense", k+1)
		}
		if desc < 1 || int64(desc) > int64(descriptions) {
			return damaged("sample description %d of %d", desc, descriptions)
		}
		t.chunks = append(t.chunks, chunkRun{int(samples), int(from - 1), int(per), desc})
		samples += (next - from) * uint64(per)
	}
	if samples < uint64(t.n) {
		return damaged("%d chunks hold %d samples where there are %d", chunks, samples, t.n)
	}
	return nil
}

// parseGroups keeps the sample groups (8.9) that have both boxes.
func (t *table) parseGroups(stbl []byte) {
	described := map[string][]byte{}
	for x := range boxes(stbl) {
		if x.kind == "sgpd" && len(x.data) >= 8 {
			described[string(x.data[4:8])] = x.raw
		}
	}
	for x := range boxes(stbl) {
		if x.kind != "sbgp" || len(x.data) < 12 || len(t.groups) == maxGroups {
			continue
		}
		head := 8
		if x.data[0] == 1 {
			head = 12
		}
		runs, ok := list(x.data[head-4:], 8)
		if sgpd := described[string(x.data[4:8])]; ok && sgpd != nil {
			t.groups = append(t.groups, groupRuns{sgpd, x.data[:head], runs})
		}
	}
}

// maxGroups bounds the kinds of sample groups kept per track.
const maxGroups = 16
