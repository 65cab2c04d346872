package media

import (
	"cmp"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/internal/media/metadata"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// chapterNodes makes nodes of the chapters within a span. A chapter without an
// end ends at the next later start, the last one at the end of the span.
func chapterNodes(chapters []metadata.Chapter, modality citekit.Modality, within citekit.Span) []*citekit.Node {
	var nodes []*citekit.Node
	for i, c := range chapters {
		span := rounded(citekit.Span{Start: max(c.Start, within.Start), End: min(endOf(c, chapters[i+1:], within.End), within.End)})
		if span.Start >= span.End {
			continue
		}
		nodes = append(nodes, &citekit.Node{
			Type: "chapter", Title: plainTitle(c.Title),
			Location: citekit.Location{Modality: modality, Time: span},
			Children: chapterNodes(c.Children, modality, span),
		})
	}
	return nodes
}

// endOf returns the end of a chapter, given the chapters after it.
func endOf(c metadata.Chapter, following []metadata.Chapter, last float64) float64 {
	if c.End > c.Start {
		return c.End
	}
	for _, next := range following {
		if next.Start > c.Start {
			return next.Start
		}
	}
	return last
}

// addSegments groups cues, which are in time order, into segments and adds
// them: under each chapter its own, and between the chapters those that no
// chapter covers. It reports whether there are any.
func addSegments(nodes []*citekit.Node, cues []subtitle.Cue, modality citekit.Modality, duration float64) ([]*citekit.Node, bool) {
	top := &citekit.Node{Location: citekit.Location{Modality: modality, Time: citekit.Span{End: duration}}, Children: nodes}
	count := countNodes(nodes)
	chapters, shelves := count, shelve(top)
	for len(cues) > 0 && cues[0].Start < duration {
		owner := shelves.holder(cues[0].Start)
		n := 1
		for n < len(cues) && cues[n].Start < duration && shelves.holder(cues[n].Start) == owner {
			n++
		}
		for _, s := range subtitle.Gather(cues[:n]) {
			if node := segmentNode(s, owner.Location); node != nil {
				owner.Children = append(owner.Children, node)
				count++
			}
		}
		cues = cues[n:]
	}
	if count == chapters {
		return nodes, false
	}
	sortNodes(top)
	thin(top, about.MaxMappedNodes-chapters)
	return top.Children, true
}

func countNodes(nodes []*citekit.Node) int {
	n := len(nodes)
	for _, node := range nodes {
		n += countNodes(node.Children)
	}
	return n
}

// A shelf is a node with the chapters it had before segments were added.
type shelf struct {
	node     *citekit.Node
	chapters []shelf
}

func shelve(n *citekit.Node) shelf {
	s := shelf{node: n, chapters: make([]shelf, len(n.Children))}
	for i, child := range n.Children {
		s.chapters[i] = shelve(child)
	}
	return s
}

// holder returns the node of the innermost chapter in s at time t, or that of s
// itself.
func (s shelf) holder(t float64) *citekit.Node {
	for {
		i, _ := slices.BinarySearchFunc(s.chapters, t, func(c shelf, t float64) int {
			if c.node.Location.Time.Start <= t {
				return -1
			}
			return 1
		})
		if i == 0 || s.chapters[i-1].node.Location.Time.End <= t {
			return s.node
		}
		s = s.chapters[i-1]
	}
}

func isSegment(n *citekit.Node) bool { return n.Type == "segment" }

// segmentNode makes a node of a segment that starts within a location. Words of
// zero duration get a short one.
func segmentNode(s subtitle.Segment, within citekit.Location) *citekit.Node {
	const least = 0.5
	span := citekit.Span{Start: s.Start(), End: s.End()}
	if span.End-span.Start < 0.001 {
		span.End = span.Start + least
	}
	span.End = min(span.End, within.Time.End)
	if span = rounded(span); span.Start >= span.End {
		return nil
	}
	return &citekit.Node{
		Type: "segment", Title: plainTitle(s.Title), Summary: sentence.Lead(s.Text(), maxSummary),
		Location: citekit.Location{Modality: within.Modality, Time: span},
	}
}

func sortNodes(n *citekit.Node) {
	slices.SortStableFunc(n.Children, func(a, b *citekit.Node) int {
		return cmp.Compare(a.Location.Time.Start, b.Location.Time.Start)
	})
	for _, child := range n.Children {
		if !isSegment(child) {
			sortNodes(child)
		}
	}
}

// thin joins pairs of neighbouring segments until at most limit remain. If that
// is not enough, it removes all.
func thin(top *citekit.Node, limit int) {
	const rounds = 20
	for round := 0; countSegments(top) > limit; round++ {
		join(top, round < rounds)
	}
}

func countSegments(n *citekit.Node) (count int) {
	for _, child := range n.Children {
		if isSegment(child) {
			count++
		} else {
			count += countSegments(child)
		}
	}
	return count
}

// join joins pairs of neighbouring segments, or removes all if keep is false.
func join(n *citekit.Node, keep bool) {
	kept, paired := n.Children[:0], true
	for _, child := range n.Children {
		switch {
		case !isSegment(child):
			join(child, keep)
			paired = true
		case !keep:
			continue
		case !paired:
			last := kept[len(kept)-1]
			last.Location.Time.End = max(last.Location.Time.End, child.Location.Time.End)
			paired = true
			continue
		default:
			paired = false
		}
		kept = append(kept, child)
	}
	n.Children = kept
}
