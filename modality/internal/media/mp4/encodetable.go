package mp4

// samples writes the boxes of a part's sample table.
func (e *encoder) samples(k int, p *part) {
	e.raw(p.stsd)
	e.times(p)
	e.shifts(p)
	e.syncs(p)
	if p.table.depends != nil {
		e.full("sdtp", 0, func() { e.raw(p.table.depends[p.first:p.stop]) })
	}
	e.chunkRuns(e.chunks[k])
	e.sizes(p)
	e.chunkOffsets(e.offsets[k])
	for _, g := range p.table.groups {
		e.group(p, g)
	}
}

// counted writes a count and the entries. content writes the entries and
// returns their number.
func (e *encoder) counted(content func() int) {
	at := len(e.b)
	e.u32(0)
	e.patch(at, content())
}

// runs writes those of n runs of samples that are in a part, and returns how many those
// are. Run returns the first sample of a run, and its value in ticks.
func (e *encoder) runs(p *part, n int, run func(k int) (first int32, ticks int64)) (written int) {
	for k := range n {
		first, ticks := run(k)
		end := p.table.n
		if k+1 < n {
			next, _ := run(k + 1)
			end = int(next)
		}
		if end <= p.first || int(first) >= p.stop {
			continue
		}
		e.u32(uint32(min(end, p.stop) - max(int(first), p.first)))
		e.u32(uint32(ticks * p.scale))
		written++
	}
	return written
}

// times writes stts.
func (e *encoder) times(p *part) {
	e.full("stts", 0, func() {
		e.counted(func() int {
			if p.from >= 0 {
				return e.cueTimes(p)
			}
			times := p.table.times
			return e.runs(p, len(times), func(k int) (int32, int64) { return times[k].first, int64(times[k].delta) })
		})
	})
}

// cueTimes writes the durations of subtitles. The first and last are cut.
func (e *encoder) cueTimes(p *part) int {
	for i := p.first; i < p.stop; i++ {
		from, to := max(p.table.dts(i), p.from), min(p.table.dts(i+1), p.to)
		e.u32(1)
		e.u32(uint32(to - from))
	}
	return p.stop - p.first
}

// shifts writes ctts.
func (e *encoder) shifts(p *part) {
	shifts := p.table.shifts
	if shifts == nil && p.lead == 0 {
		return
	}
	if shifts == nil {
		shifts = []shiftRun{{0, 0}}
	}
	e.full("ctts", 0, func() {
		e.counted(func() int {
			return e.runs(p, len(shifts), func(k int) (int32, int64) { return shifts[k].first, int64(shifts[k].shift) + p.lead })
		})
	})
}

// syncs writes stss: what the source has, unless that is wrong. Players drop
// what is before a sync sample that is hidden.
func (e *encoder) syncs(p *part) {
	if p.table.allSync && !p.wrong {
		return
	}
	e.full("stss", 0, func() {
		e.counted(func() int {
			if p.wrong {
				for _, i := range p.syncs {
					e.u32(uint32(i - p.first + 1))
				}
				return len(p.syncs)
			}
			n := 0
			for k := range len(p.table.syncs) / 4 {
				if i := p.table.sync(k); i >= p.first && i < p.stop {
					e.u32(uint32(i - p.first + 1))
					n++
				}
			}
			return n
		})
	})
}

// chunkRuns writes stsc.
func (e *encoder) chunkRuns(chunks []*chunk) {
	e.full("stsc", 0, func() {
		e.counted(func() int {
			n := 0
			for k, x := range chunks {
				if k > 0 && x.samples == chunks[k-1].samples && x.desc == chunks[k-1].desc {
					continue
				}
				e.u32(uint32(k + 1))
				e.u32(uint32(x.samples))
				e.u32(x.desc)
				n++
			}
			return n
		})
	})
}

// sizes writes stsz.
func (e *encoder) sizes(p *part) {
	s := &p.table.sizes
	e.full("stsz", 0, func() {
		e.u32(s.field)
		e.u32(uint32(p.stop - p.first))
		switch {
		case s.uniform > 0:
		case s.bits == 32 && p.note.len == 0:
			e.raw(s.entries[4*p.first : 4*p.stop])
		default:
			e.u32(uint32(s.of(p.first) + p.note.len))
			for i := p.first + 1; i < p.stop; i++ {
				e.u32(uint32(s.of(i)))
			}
		}
	})
}

// chunkOffsets writes stco or co64.
func (e *encoder) chunkOffsets(offsets []int64) {
	kind := "stco"
	if e.wide {
		kind = "co64"
	}
	e.full(kind, 0, func() {
		e.u32(uint32(len(offsets)))
		for _, off := range offsets {
			if e.wide {
				e.u64(uint64(off))
			} else {
				e.u32(uint32(off))
			}
		}
	})
}

// group writes a sample group: its description unchanged, and the runs that
// cover the part.
func (e *encoder) group(p *part, g groupRuns) {
	e.raw(g.sgpd)
	e.box("sbgp", func() {
		e.raw(g.header)
		e.counted(func() int {
			n, first := 0, 0
			for runs := g.runs; len(runs) > 0 && first < p.stop; runs = runs[8:] {
				end := first + int(min(be.Uint32(runs), uint32(p.table.n-first)))
				if end > p.first {
					e.u32(uint32(min(end, p.stop) - max(first, p.first)))
					e.raw(runs[4:8])
					n++
				}
				first = end
			}
			return n
		})
	})
}
