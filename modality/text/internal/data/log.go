package data

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lazyregexp"
)

const (
	maxEntryHead = 256 // most bytes of a line in which its time is searched
	minEntries   = 100 // entries of a run from which a new hour ends it
	minDay       = 20  // entries of a run from which a new day ends it
	maxEntries   = 1_000
)

// A stamp matches the time at the beginning of a log line. Its first group is the
// whole time, the second the day if there is one, the third the hour.
var stamps = []*lazyregexp.Regexp{
	// 2024-01-31T10:11:12.123Z, [2024-01-31 10:11:12], program 2024/01/31 10:11:12
	lazyregexp.New(`^(?:[\w./-]{1,40}:? )?\W{0,2}((\d{4}[-/.]\d\d[-/.]\d\d)[T ]{1,2}(\d\d):\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[ ]?[+-]\d\d:?\d\d)?)`),
	// 127.0.0.1 - - [31/Jan/2024:10:11:12 +0000]
	lazyregexp.New(`^[^\[]{0,80}\[((\d\d/[A-Z][a-z]{2}/\d{4}):(\d\d):\d\d:\d\d(?: [+-]\d{4})?)\]`),
	// Jan 31 10:11:12, Wed Jan 31 10:11:12 2024, 31 Jan 10:11:12
	lazyregexp.New(`^\W{0,2}((?:[A-Z][a-z]{2},? )?([A-Z][a-z]{2} [ \d]?\d|\d\d? [A-Z][a-z]{2}(?: \d{4})?),? (\d\d):\d\d:\d\d(?:\.\d+)?(?: \d{4})?)`),
	// I0131 10:11:12.123456
	lazyregexp.New(`^[IWEFD]((\d{4}) (\d\d):\d\d:\d\d\.\d+)`),
	// 01-31 10:11:12.123
	lazyregexp.New(`^((\d\d-\d\d) (\d\d):\d\d:\d\d\.\d+)`),
	// 10:11:12, [10:11:12.123]
	lazyregexp.New(`^\W{0,2}(()(\d\d):\d\d:\d\d(?:[.,]\d+)?)\b`),
}

// A moment is the time at the beginning of a log line.
type moment struct{ text, day, hour string }

// momentOf parses the time at the beginning of line, in the format of the log.
func momentOf(line []byte, stamp *lazyregexp.Regexp) (moment, bool) {
	m := stamp.FindSubmatch(line)
	if m == nil {
		return moment{}, false
	}
	return moment{string(m[1]), string(m[2]), string(m[3])}, true
}

// stampOf returns the time format at the beginning of at least a third of the lines
// in sample, or nil.
func stampOf(sample [][]byte) *lazyregexp.Regexp {
	for _, stamp := range stamps {
		n := 0
		for _, line := range sample {
			if stamp.Match(line) {
				n++
			}
		}
		if n >= 3 && 3*n >= len(sample) {
			return stamp
		}
	}
	return nil
}

// mapLog groups the entries of a log into runs. An entry includes the following lines
// without a time. A run is titled by the time of its first entry, and ends when the
// day or the hour changes, or when it is long.
func mapLog(r *reader) (*citekit.Draft, error) {
	l := logMapper{stamp: stampOf(headLines(r.rest(), sampleLines)), runs: newRuns(maxRuns)}
	if l.stamp == nil {
		return nil, malformed(1, "no log: its lines begin with no time")
	}
	line := 0
	r.eachLine(maxEntryHead, func(head []byte, size int64) {
		line++
		l.line(head, line, size)
	})
	l.finish()
	meta := map[string]any{"format": string(Log), "entries": l.entries}
	return &citekit.Draft{Nodes: l.runs.nodes(), Method: "entries", Metadata: meta}, nil
}

type logMapper struct {
	stamp   *lazyregexp.Regexp
	runs    *runs
	entries int

	open   run // its node is nil if no run is open
	opened moment
}

func (l *logMapper) line(head []byte, line int, size int64) {
	m, begins := momentOf(head, l.stamp)
	if begins {
		l.entries++
	}
	if begins && l.open.node != nil && l.ends(m) {
		l.finish()
	}
	if l.open.node == nil {
		l.open = run{node: &citekit.Node{Type: "entries", Location: linesAt(line, line)}}
		l.opened = moment{}
	}
	if begins && l.opened == (moment{}) {
		l.open.node.Title, l.opened = title(m.text), m
	}
	l.open.node.Location.Lines.Last = line
	l.open.count++
	l.open.size += size
}

// ends reports whether an entry with the time m begins a new run.
func (l *logMapper) ends(m moment) bool {
	scale := l.runs.scale
	switch {
	case l.opened == (moment{}): // lines before the first entry
		return false
	case l.open.count >= maxEntries*scale, l.open.size >= maxRunSize*int64(scale):
		return true
	case m.day != l.opened.day:
		return l.open.count >= minDay*scale
	case m.hour != l.opened.hour:
		return l.open.count >= minEntries*scale
	}
	return false
}

func (l *logMapper) finish() {
	if l.open.node != nil {
		l.runs.append(l.open)
	}
	l.open = run{}
}
