package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

// holding implements medium. It returns the span unchanged, or from the last
// frame before it that is still shown. False means that nothing plays there.
func (m *movie) holding(span citekit.Span) (citekit.Span, bool) {
	holds, before, ok := m.index.Holds(span.Start, span.End)
	if !holds && ok {
		span.Start = floor(before)
	}
	return span, holds || ok
}

func (w waveform) holding(span citekit.Span) (citekit.Span, bool) { return span, w.holds(span) == nil }

func (f *foreign) holding(span citekit.Span) (citekit.Span, bool) {
	if f.modality == citekit.Video && f.times != nil {
		i, _ := slices.BinarySearch(f.times, span.Start-slack)
		if i < len(f.times) && f.times[i] < span.End-slack {
			return span, true
		}
		if i == 0 {
			return span, false
		}
		span.Start = floor(f.times[i-1])
		return span, true
	}
	for _, t := range f.tracks {
		if t.Kind == string(f.modality) && t.end > span.Start && (!f.whole || t.first < span.End) {
			return span, true
		}
	}
	return span, false
}

// floor rounds a time down to the microseconds that addresses show.
func floor(t float64) float64 { return max(math.Floor(t*1e6+1e-3)/1e6, 0) }

// settle keeps the nodes that can be resolved: those in which something plays,
// widened to the frame shown at their start and, if a trial fails, only those
// that can be cut. If none can be cut, the error says why.
func (e *Engine) settle(ctx context.Context, src *citekit.Source, m medium, structure *citekit.Draft) error {
	structure.Nodes = holdingNodes(m, structure.Nodes)
	if len(structure.Nodes) == 0 {
		return fmt.Errorf("no %s plays in the source: %w", e.Modality, citekit.ErrFormat)
	}
	trial := &trial{ctx: ctx, src: src, m: m}
	leaves := leavesOf(structure.Nodes)
	first, last := leaves[0].Location.Time, leaves[len(leaves)-1].Location.Time
	first.End = min(first.End, first.Start+trialLength)
	last.Start = max(last.Start, last.End-trialLength)
	bad := trial.cut(first) != nil
	if !bad {
		err := trial.cut(last)
		bad = err != nil && !errors.Is(err, ffmpeg.ErrWork) // it is expensive, and the first node does not fail
	}
	if bad && trial.late == nil {
		trial.spent = 0
		structure.Nodes = trial.nodes(structure.Nodes)
		if trial.untried > 0 {
			incomplete, _ := structure.Metadata["incomplete"].([]any)
			structure.Metadata["incomplete"] = append(incomplete, fmt.Sprintf("%d nodes left out", trial.untried))
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case trial.late != nil:
		return trial.late
	case len(structure.Nodes) == 0:
		return fmt.Errorf("no part of the source can be cut: %w", trial.err)
	}
	return nil
}

const (
	// trialLength is how many seconds are cut from the first and last node to
	// see whether that works.
	trialLength = 2

	// maxTrials is how many nodes are tried if one of those two fails, and
	// maxTrialWork the work after which no further one is. Nodes not tried are
	// dropped.
	maxTrials    = 100
	maxTrialWork = 1e10
)

// preflight refuses a source if neither its start, its middle nor its end can
// be cut. It runs before the whole source is scanned.
func (e *Engine) preflight(ctx context.Context, src *citekit.Source, m medium) error {
	trial := &trial{ctx: ctx, src: src, m: m}
	duration := m.extent().Duration
	for _, start := range []float64{0, duration / 2, duration - trialLength} {
		span := citekit.Span{Start: max(start, 0)}
		span.End = min(span.Start+trialLength, duration)
		if span, ok := m.holding(span); ok && trial.cut(span) == nil {
			return nil
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case trial.late != nil:
			return trial.late
		}
		if errors.Is(trial.last, ffmpeg.ErrWork) {
			break
		}
	}
	if trial.err == nil {
		return nil
	}
	return fmt.Errorf("no part of the source can be cut: %w", trial.err)
}

// holdingNodes returns the nodes in which something plays. A node begins no
// later than its children.
func holdingNodes(m medium, nodes []*citekit.Node) []*citekit.Node {
	kept := nodes[:0]
	for _, n := range nodes {
		span, ok := m.holding(n.Location.Time)
		if !ok {
			continue
		}
		n.Children = holdingNodes(m, n.Children)
		for _, child := range n.Children {
			span.Start = min(span.Start, child.Location.Time.Start)
		}
		n.Location.Time = span
		kept = append(kept, n)
	}
	return kept
}

func leavesOf(nodes []*citekit.Node) (leaves []*citekit.Node) {
	for _, n := range nodes {
		if len(n.Children) == 0 {
			leaves = append(leaves, n)
		} else {
			leaves = append(leaves, leavesOf(n.Children)...)
		}
	}
	return leaves
}

// A trial cuts spans of a source and discards the results.
type trial struct {
	ctx context.Context
	src *citekit.Source
	m   medium

	spent   ffmpeg.Work
	tried   int   // nodes
	untried int   // nodes dropped without a trial
	err     error // of the first span that could not be cut
	last    error // of the last span that could not be cut
	late    error // of a span whose trial a clock ended, which tells nothing of it
}

// cut returns why a span cannot be cut, or nil if the source is not to blame. It
// may do the work that Resolve does for a short span.
func (t *trial) cut(span citekit.Span) error {
	ctx := cutting(t.ctx, t.src, t.m, citekit.Span{})
	x, err := t.m.cut(ctx, t.src, span, citekit.ModeExact)
	t.spent += ffmpeg.Done(ctx)
	switch {
	case err == nil:
		x.Body.Close()
		return nil
	case errors.Is(err, citekit.ErrFormat), errors.Is(err, citekit.ErrRange), errors.Is(err, citekit.ErrTooLarge):
		t.err, t.last = cmp.Or(t.err, err), err
		return err
	case citekit.CodeOf(err) == message.CodeTimeout:
		t.late = err
		return err
	}
	return nil
}

// nodes returns the nodes that can be cut, among those that may be tried.
func (t *trial) nodes(nodes []*citekit.Node) []*citekit.Node {
	kept := nodes[:0]
	for _, n := range nodes {
		if t.ctx.Err() != nil || t.late != nil {
			break
		}
		if t.tried >= maxTrials || t.spent > maxTrialWork || errors.Is(t.last, ffmpeg.ErrWork) {
			t.untried += countNodes([]*citekit.Node{n})
			continue
		}
		t.tried++
		children := t.nodes(n.Children)
		if t.cut(n.Location.Time) != nil {
			kept = append(kept, children...)
			continue
		}
		n.Children = children
		kept = append(kept, n)
	}
	return kept
}
