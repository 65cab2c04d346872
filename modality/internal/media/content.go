package media

import (
	"context"
	"errors"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

// errNothing reports that nothing visible or audible divides a source.
var errNothing = errors.New("nothing that divides the source")

// Values of the metadata key unscanned. They tell why the nodes are equal
// parts: nothing was scanned.
const (
	scanOff     = "turned off"
	scanMissing = "no ffmpeg"
	scanCodec   = "unsupported by ffmpeg"
	scanLarge   = "too large"
	scanLate    = "out of time" // that the caller gave
	scanDamaged = "damaged"
)

// mapContent divides a source at scenes or silences, or else evenly.
func (e *Engine) mapContent(ctx context.Context, src *citekit.Source, m medium, structure *citekit.Draft, progress func(float64)) error {
	find, kind, method := e.findScenes, "scene", "scenes"
	if e.Modality == citekit.Audio {
		find, kind, method = e.findParts, "part", "silences"
	}
	if err := e.preflight(ctx, src, m); err != nil {
		return err
	}
	why := scanOff
	if e.ScanTime >= 0 {
		limited, cancel := e.limitScan(scanning(ctx, src, m))
		defer cancel()
		spans, err := find(limited, src, m, steps(progress))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && len(spans) > 1 {
			structure.Nodes, structure.Method = spanNodes(spans, kind, e.Modality), method
			return nil
		}
		if err != nil && limited.Err() != nil {
			why = scanLate
		} else if why, err = givesUp(err); err != nil {
			return err
		}
	}
	structure.Nodes, structure.Method = spanNodes(evenSpans(m.extent().Duration), "part", e.Modality), "even"
	note(structure.Metadata, "unscanned", why)
	return nil
}

// limitScan ends a scan after the time that the caller gave, if any.
func (e *Engine) limitScan(ctx context.Context) (context.Context, context.CancelFunc) {
	if e.ScanTime > 0 {
		return context.WithTimeout(ctx, e.ScanTime)
	}
	return context.WithCancel(ctx)
}

// givesUp returns why a source could not be divided by its content. why is ""
// if it could be scanned; other is any error that is not such a reason, such as
// that a clock ended the scan.
func givesUp(err error) (why string, other error) {
	var missing *ffmpeg.MissingError
	switch {
	case err == nil, errors.Is(err, errNothing):
		return "", nil
	case errors.As(err, &missing):
		return scanMissing, nil
	case errors.Is(err, errors.ErrUnsupported):
		return scanCodec, nil
	case errors.Is(err, citekit.ErrTooLarge):
		return scanLarge, nil
	case errors.Is(err, citekit.ErrFormat):
		return scanDamaged, nil
	}
	return "", err
}

// steps returns a function that reports progress in steps of one hundredth.
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
	shortPart = 60.0  // seconds of an equal part
	longPart  = 300.0 // seconds of an equal part of a source longer than longest
	longest   = 600.0 // seconds
)

// evenSpans divides a source into parts of equal length. The rest at the end is
// a separate part if it is not much shorter.
func evenSpans(duration float64) []citekit.Span {
	length := shortPart
	if duration > longest {
		length = longPart
	}
	for duration/length > about.MaxMappedNodes {
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

// between divides a source, from start to its end, at the cuts, which are in
// order.
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

// clamp returns t as a fraction of a duration, within 0 and 1.
func clamp(t, duration float64) float64 { return math.Min(math.Max(t/duration, 0), 1) }
