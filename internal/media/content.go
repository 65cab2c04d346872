package media

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ffmpeg"
)

// DefaultScanTime is how long an Engine whose ScanTime is zero looks for scenes
// or silences.
const DefaultScanTime = time.Minute

// errNothing reports that a source has nothing to see or to hear.
var errNothing = errors.New("nothing that divides the source")

// What the metadata of a map say under the key unscanned where the nodes are
// even parts because nothing was looked at.
const (
	scanOff     = "turned off"
	scanMissing = "no ffmpeg"
	scanCodec   = "unsupported by ffmpeg"
	scanLate    = "out of time"
	scanDamaged = "damaged"
)

// mapContent divides a source by what can be seen or heard in it, or else
// evenly.
func (e *Engine) mapContent(ctx context.Context, src *citekit.Source, m medium, structure *citekit.Draft, progress func(float64)) error {
	find, kind, method := e.findScenes, "scene", "scenes"
	if e.Modality == citekit.Audio {
		find, kind, method = e.findParts, "part", "silences"
	}
	if err := e.preflight(ctx, src, m); err != nil {
		return err
	}
	why := scanOff
	if look := min(cmp.Or(e.ScanTime, DefaultScanTime), scanTimeOf(src.Size())); look > 0 {
		spans, err := find(scanning(ctx, src, m), src, m, look, steps(progress))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && len(spans) > 1 {
			structure.Nodes, structure.Method = spanNodes(spans, kind, e.Modality), method
			return nil
		}
		if why, err = givesUp(err); err != nil {
			return err
		}
	}
	structure.Nodes, structure.Method = spanNodes(evenSpans(m.extent().Duration), "part", e.Modality), "even"
	note(structure.Metadata, "unscanned", why)
	return nil
}

// scanTimeOf bounds how long a source of so many bytes is looked through: a small
// file that takes long is made to.
func scanTimeOf(size int64) time.Duration {
	const least, perMiB = 10 * time.Second, time.Second
	return least + time.Duration(min(size>>20, 1<<20))*perMiB
}

// givesUp returns why a source could not be divided by its content, or "" if it
// could be looked at, or an error that says more than that.
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
		return scanLate, nil
	case errors.Is(err, citekit.ErrFormat):
		return scanDamaged, nil
	}
	return "", err
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
	for duration/length > citekit.MaxMappedNodes {
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
