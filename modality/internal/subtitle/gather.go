package subtitle

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/sentence"
)

const (
	minSegment = 20  // seconds from which a pause ends a segment
	maxSegment = 120 // seconds of a segment at most, if it has more than one cue
	pause      = 2   // seconds without speech that end a segment
	longPause  = 20  // seconds without speech that end any segment

	maxSegmentCues  = 400
	maxSegmentBytes = 8 << 10
	maxTitle        = 100
)

// A Segment is a run of cues that belong together. It has at least one.
type Segment struct {
	Cues  []Cue
	Title string // its first sentence, or words of it
}

// Start returns the time in seconds when s begins.
func (s Segment) Start() float64 {
	return slices.MinFunc(s.Cues, func(a, b Cue) int { return cmp.Compare(a.Start, b.Start) }).Start
}

// End returns the time in seconds when s ends.
func (s Segment) End() float64 {
	return slices.MaxFunc(s.Cues, func(a, b Cue) int { return cmp.Compare(a.End, b.End) }).End
}

// First returns the first line of s in the file, from 1.
func (s Segment) First() int {
	return slices.MinFunc(s.Cues, func(a, b Cue) int { return cmp.Compare(a.First, b.First) }).First
}

// Last returns the last line of s in the file.
func (s Segment) Last() int {
	return slices.MaxFunc(s.Cues, func(a, b Cue) int { return cmp.Compare(a.Last, b.Last) }).Last
}

// Text returns the text of s, with a space between cues.
func (s Segment) Text() string { return join(s.Cues) }

func join(cues []Cue) string {
	var b strings.Builder
	for i, c := range cues {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.Text)
	}
	return b.String()
}

// ByTime returns the cues sorted by start, stably. It does not modify its argument.
func ByTime(cues []Cue) []Cue {
	sorted := slices.Clone(cues)
	slices.SortStableFunc(sorted, func(a, b Cue) int { return cmp.Compare(a.Start, b.Start) })
	return sorted
}

// Gather divides cues into segments without reordering them. Pass the result of [Parse]
// for runs of lines, and that of [ByTime] for spans of time. A segment of at least 20
// seconds ends at the next pause of two seconds. One that would exceed two minutes ends
// at its longest pause or at the end of a sentence. A segment also ends where time
// jumps back. The segments share the memory of cues.
func Gather(cues []Cue) []Segment {
	var segments []Segment
	for len(cues) > 0 {
		n := segmentLength(cues)
		part := cues[:n:n]
		segments = append(segments, Segment{Cues: part, Title: title(part)})
		cues = cues[n:]
	}
	return segments
}

// title joins no more cues than a title can need.
func title(cues []Cue) string {
	n, size := 0, 0
	for n < len(cues) && size < 5*maxTitle {
		size += len(cues[n].Text)
		n++
	}
	return sentence.First(join(cues[:n]), maxTitle)
}

// segmentLength returns how many cues the first segment has.
func segmentLength(cues []Cue) int {
	start, end, size := cues[0].Start, cues[0].End, len(cues[0].Text)
	best, bestScore := 0, -1.0
	for n := 1; n < len(cues); n++ {
		before, next := cues[n-1], cues[n]
		gap := next.Start - end
		length := end - start
		if next.Start < start-pause || gap >= longPause || length >= minSegment && gap >= pause {
			return n
		}
		if score := breakScore(before, gap); length >= minSegment && score >= bestScore {
			best, bestScore = n, score
		}
		start, end, size = min(start, next.Start), max(end, next.End), size+len(next.Text)
		if end-start > maxSegment || n >= maxSegmentCues || size > maxSegmentBytes {
			if best == 0 {
				best = n
			}
			return best
		}
	}
	return len(cues)
}

// breakScore rates a break after the cue before: by the pause in seconds, plus up to a
// second if a sentence ends.
func breakScore(before Cue, gap float64) float64 {
	score := max(gap, 0)
	if endsSentence(before.Text) {
		score++
	}
	return score
}

func endsSentence(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, `"'”’»)]}♪ `))
	return strings.ContainsRune(".?!…。？！؟।", r)
}
