package media

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/citekit/citekit"
)

// DefaultScanTime is how long an Engine whose ScanTime is zero looks for scenes
// or silences.
const DefaultScanTime = time.Minute

// errNothing reports that a source has nothing to see or to hear.
var errNothing = errors.New("nothing that divides the source")

// mapContent divides a source by what can be seen or heard in it, or else
// evenly.
func (e *Engine) mapContent(ctx context.Context, src *citekit.Source, m medium, progress func(float64)) ([]*citekit.Node, string, error) {
	duration := m.extent().Duration
	look := e.ScanTime
	if look == 0 {
		look = DefaultScanTime
	}
	if look > 0 {
		find, kind, method := e.findScenes, "scene", "scenes"
		if e.Modality == citekit.Audio {
			find, kind, method = e.findParts, "part", "silences"
		}
		spans, err := find(ctx, src, m, look, steps(progress))
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		if err == nil && len(spans) > 1 {
			return spanNodes(spans, kind, e.Modality), method, nil
		}
		if err != nil && !givesUp(err) {
			return nil, "", err
		}
	}
	return spanNodes(evenSpans(duration), "part", e.Modality), "even", nil
}

// givesUp reports whether an error only means that a source cannot be divided
// by its content: without ffmpeg, in the time there is, or as it is damaged.
func givesUp(err error) bool {
	return errors.Is(err, errNothing) || errors.Is(err, errors.ErrUnsupported) ||
		errors.Is(err, citekit.ErrFormat) || errors.Is(err, citekit.ErrTooLarge)
}

// steps returns a function that passes on every hundredth of the work.
func steps(progress func(float64)) func(float64) {
	last := 0.0
	return func(done float64) {
		if done = min(done, 1); progress != nil && done >= last+0.01 {
			last = done
			progress(done)
		}
	}
}

func spanNodes(spans []citekit.Span, kind string, modality citekit.Modality) []*citekit.Node {
	nodes := make([]*citekit.Node, len(spans))
	for i, span := range spans {
		nodes[i] = &citekit.Node{Type: kind, Location: citekit.Location{Modality: modality, Time: span}}
	}
	return nodes
}

const (
	shortPart = 60.0  // seconds of an even part
	longPart  = 300.0 // seconds of an even part of a source of more than
	longest   = 600.0 // seconds
)

// evenSpans divides a source into parts of one length. What is left at the end
// is a part if it is not much shorter.
func evenSpans(duration float64) []citekit.Span {
	length := shortPart
	if duration > longest {
		length = longPart
	}
	for duration/length > maxNodes {
		length *= 2
	}
	var spans []citekit.Span
	for start := 0.0; start < duration; start += length {
		end := start + length
		if duration-end < length/4 {
			end = duration
		}
		spans = append(spans, citekit.Span{Start: start, End: end})
		if end == duration {
			break
		}
	}
	return spans
}

// between divides a source from start to its end at times, which are in order.
func between(start float64, cuts []float64, duration float64) []citekit.Span {
	var spans []citekit.Span
	for _, cut := range append(cuts, duration) {
		if cut = round(cut); cut > start && cut <= duration {
			spans = append(spans, citekit.Span{Start: start, End: cut})
			start = cut
		}
	}
	return spans
}

// clamp returns t as a fraction of a duration.
func clamp(t, duration float64) float64 { return math.Min(math.Max(t/duration, 0), 1) }
