package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ffmpeg"
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
	trial := &trial{ctx: ctx, src: src, m: m, until: time.Now().Add(trialTime)}
	leaves := leavesOf(structure.Nodes)
	first, last := leaves[0].Location.Time, leaves[len(leaves)-1].Location.Time
	first.End = min(first.End, first.Start+trialLength)
	last.Start = max(last.Start, last.End-trialLength)
	err := trial.cut(first)
	if err == nil {
		err = trial.cut(last)
		if errors.Is(err, ffmpeg.ErrCPU) { // it is expensive, and the first node does not fail
			err = nil
		}
	}
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	structure.Nodes = trial.nodes(structure.Nodes)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(structure.Nodes) == 0 {
		return fmt.Errorf("no part of the source can be cut: %w", trial.err)
	}
	return nil
}

const (
	// trialLength is how many seconds are cut from the first and last node to
	// see whether that works.
	trialLength = 2

	// trialTime is how long all nodes are tried if one of those two fails.
	// Nodes not tried by then are dropped.
	trialTime = 10 * time.Second
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
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(trial.last, ffmpeg.ErrCPU) {
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
	ctx   context.Context
	src   *citekit.Source
	m     medium
	until time.Time
	err   error // of the first span that could not be cut
	last  error // of the last span that could not be cut
}

// cut returns why a span cannot be cut, or nil if the source is not to blame.
func (t *trial) cut(span citekit.Span) error {
	x, err := t.m.cut(t.ctx, t.src, span, citekit.ModeExact)
	if err == nil {
		return x.Body.Close()
	}
	if !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, citekit.ErrRange) && !errors.Is(err, citekit.ErrTooLarge) {
		return nil
	}
	t.err, t.last = cmp.Or(t.err, err), err
	return err
}

// nodes returns the nodes that can be cut, among those that there is time to try.
func (t *trial) nodes(nodes []*citekit.Node) []*citekit.Node {
	kept := nodes[:0]
	for _, n := range nodes {
		if time.Now().After(t.until) || t.ctx.Err() != nil || errors.Is(t.last, ffmpeg.ErrCPU) {
			break
		}
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
