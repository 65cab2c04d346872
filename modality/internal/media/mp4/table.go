package mp4

import "sort"

// maxTicks bounds media times, so that they are exact as float64 and sums of a
// few never overflow.
const maxTicks = 1 << 52

// table is the sample table of a track (ISO/IEC 14496-12, 8.5-8.7). Samples
// count from 0. Runs are kept as runs, and per-sample tables as bytes of the
// movie box, so an hour of PCM takes almost no memory and a film a few
// megabytes.
type table struct {
	n        int // samples
	times    []timeRun
	duration int64       // sum of all sample durations
	shifts   []shiftRun  // composition offsets; nil if all are zero
	minShift int64       // smallest and
	maxShift int64       // largest composition offset
	sizes    sizes       //
	chunks   []chunkRun  //
	offsets  offsets     // of chunks in the file
	syncs    []byte      // stss entries; meaningless if allSync
	allSync  bool        //
	depends  []byte      // sdtp entries, or nil
	groups   []groupRuns // sbgp boxes
}

// timeRun is a run of samples of equal duration.
type timeRun struct {
	first int32 // sample index
	delta int32
	dts   int64 // decode time of the first sample
}

// shiftRun is a run of samples with equal composition offset.
type shiftRun struct {
	first int32
	shift int32
}

// chunkRun is a run of chunks of equal size.
type chunkRun struct {
	first int // sample index
	chunk int // index, counted from 0
	per   int // samples in each chunk
	desc  uint32
}

// groupRuns is a sample-to-group box: its sgpd box, unchanged, and the runs of
// its sbgp.
type groupRuns struct {
	sgpd   []byte // whole box
	header []byte // sbgp content before the entries' count
	runs   []byte
}

// sizes holds the sizes of samples in bytes.
type sizes struct {
	uniform int64  // bytes of every packet, or zero
	packet  int    // samples in a packet of uniform bytes, usually 1
	field   uint32 // sample_size in stsz of a uniform table
	bits    int    // width of an entry: 4, 8, 16 or 32
	entries []byte
}

func (s *sizes) of(i int) int64 {
	switch s.bits {
	case 32:
		return int64(be.Uint32(s.entries[4*i:]))
	case 16:
		return int64(be.Uint16(s.entries[2*i:]))
	case 8:
		return int64(s.entries[i])
	}
	return int64(s.entries[i/2]>>(4*(1-i%2))) & 15
}

// sum returns the total size in bytes of samples [i, j) of one chunk.
func (s *sizes) sum(i, j int) (n int64) {
	if s.uniform > 0 {
		return int64((j-i)/s.packet) * s.uniform
	}
	for ; i < j; i++ {
		n += s.of(i)
	}
	return n
}

// offsets holds the positions of chunks in the file.
type offsets struct {
	entries []byte
	wide    bool // co64
}

func (o offsets) len() int {
	if o.wide {
		return len(o.entries) / 8
	}
	return len(o.entries) / 4
}

func (o offsets) of(chunk int) uint64 {
	if o.wide {
		return be.Uint64(o.entries[8*chunk:])
	}
	return uint64(be.Uint32(o.entries[4*chunk:]))
}

// timeRunOf returns the run that holds sample i.
func (t *table) timeRunOf(i int) int {
	return sort.Search(len(t.times), func(k int) bool { return int(t.times[k].first) > i }) - 1
}

// dts returns the decode time of sample i; dts(n) is the end of the last
// sample.
func (t *table) dts(i int) int64 {
	if i >= t.n {
		return t.duration
	}
	r := t.times[t.timeRunOf(i)]
	return r.dts + int64(i-int(r.first))*int64(r.delta)
}

// shift returns the composition offset of sample i.
func (t *table) shift(i int) int64 {
	if t.shifts == nil {
		return 0
	}
	k := sort.Search(len(t.shifts), func(k int) bool { return int(t.shifts[k].first) > i }) - 1
	return int64(t.shifts[k].shift)
}

// pts returns the composition time of sample i.
func (t *table) pts(i int) int64 { return t.dts(i) + t.shift(i) }

// from returns the first sample whose decode time is at least d, or n.
func (t *table) from(d int64) int {
	k := sort.Search(len(t.times), func(k int) bool { return t.times[k].dts >= d })
	if k == 0 {
		return 0
	}
	r := t.times[k-1] // begins before d
	end := t.n
	if k < len(t.times) {
		end = int(t.times[k].first)
	}
	if r.delta == 0 {
		return end
	}
	delta := int64(r.delta)
	return int(min(int64(end), int64(r.first)+(d-r.dts+delta-1)/delta))
}

// at returns the sample being decoded at d: the last whose decode time is
// not after d, or 0.
func (t *table) at(d int64) int { return max(0, t.from(d+1)-1) }

// syncAt returns the last sync sample at or before sample i, and false if
// there is none.
func (t *table) syncAt(i int) (int, bool) {
	if t.allSync {
		return i, i >= 0
	}
	n := len(t.syncs) / 4
	k := sort.Search(n, func(k int) bool { return t.sync(k) > i }) - 1
	if k < 0 {
		return 0, false
	}
	return t.sync(k), true
}

// sync returns the kth entry of the sync sample table.
func (t *table) sync(k int) int { return int(be.Uint32(t.syncs[4*k:])) - 1 }

// chunkOf returns the chunk that holds sample i, its samples [first, end)
// and their sample description.
func (t *table) chunkOf(i int) (chunk, first, end int, desc uint32) {
	k := sort.Search(len(t.chunks), func(k int) bool { return t.chunks[k].first > i }) - 1
	r := t.chunks[k]
	in := (i - r.first) / r.per
	first = r.first + in*r.per
	return r.chunk + in, first, min(first+r.per, t.n), r.desc
}

// frames calls f with the index and composition time of each sample whose
// composition time is in [lo, hi), in decode order. It returns the number of
// samples it examined.
func (t *table) frames(lo, hi int64, f func(i int, pts int64)) (scanned int) {
	i, end := t.from(lo-t.maxShift), t.from(hi-t.minShift)
	if i >= end {
		return 0
	}
	scanned = end - i
	run := t.timeRunOf(i)
	dts := t.dts(i)
	sh := sort.Search(len(t.shifts), func(k int) bool { return int(t.shifts[k].first) > i }) - 1
	for ; i < end; i++ {
		if run+1 < len(t.times) && int(t.times[run+1].first) == i {
			run++
		}
		if sh+1 < len(t.shifts) && int(t.shifts[sh+1].first) == i {
			sh++
		}
		pts := dts
		if sh >= 0 {
			pts += int64(t.shifts[sh].shift)
		}
		if pts >= lo && pts < hi {
			f(i, pts)
		}
		dts += int64(t.times[run].delta)
	}
	return scanned
}
