package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/drawing"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/preview"
)

// shortSpan is the length in seconds up to which a sheet decodes the whole
// span. For longer spans it shows key frames, unless there are few.
const shortSpan = 5.0

// contactSheet returns frames of a span, each with its time below it. They are
// as evenly spaced as possible without decoding the whole span.
func (e *Engine) contactSheet(ctx context.Context, src *citekit.Source, m medium, span citekit.Span, opts preview.Options) (*preview.Preview, error) {
	extent := m.extent()
	if extent.Width < 1 || extent.Height < 1 {
		return nil, fmt.Errorf("the video has no pictures that can be shown: %w", errors.ErrUnsupported)
	}
	f := frameFinder{engine: e, medium: m, src: src, span: span, count: frameCount(m, span)}
	sheet := drawing.NewSheet(f.count, float64(extent.Width), float64(extent.Height), opts.Side).Within(extent.Width, extent.Height)
	f.size = sheet.Cell
	frames, err := f.find(ctx)
	if err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		return nil, emptySpan(span, citekit.Span{End: extent.Duration}, citekit.Video)
	}
	pictures := make([]*image.RGBA, len(frames))
	captions := make([]string, len(frames))
	shown := make([]citekit.Location, len(frames))
	for i, frame := range frames {
		drawing.Mark(frame.Image, opts.Boxes, citekit.Box{})
		end := span.End
		if i+1 < len(frames) {
			end = frames[i+1].Time
		}
		pictures[i], captions[i] = frame.Image, drawing.Clock(frame.Time)
		shown[i] = citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: frame.Time, End: end}}
	}
	return drawing.Of(sheet.Draw(pictures, captions), shown...)
}

// frameCount returns the maximum number of frames shown for a span.
func frameCount(m medium, span citekit.Span) int {
	const usualRate = 25.0
	_, _, rate := m.codecs()
	if rate <= 0 || math.IsInf(rate, 0) || math.IsNaN(rate) {
		rate = usualRate
	}
	return int(min(max(math.Round((span.End-span.Start)*rate), 1), drawing.MaxCells))
}

// A frameFinder finds the frames of a contact sheet.
type frameFinder struct {
	engine *Engine
	medium medium
	src    *citekit.Source
	span   citekit.Span
	count  int
	size   image.Point

	in     *ffmpeg.Input
	origin float64 // time of t=0 in the file
	lead   float64 // seconds to start reading before a time
}

// find returns frames shown in the span, ordered by their times on the
// timeline. It takes the very first frame and the key frame before each evenly
// spaced time. If the span is short, or that gives fewer than half the wanted
// frames, it decodes the span.
func (f *frameFinder) find(ctx context.Context) ([]ffmpeg.Picture, error) {
	format, err := f.engine.sniff(f.src)
	if err != nil {
		return nil, err
	}
	if f.in, err = f.engine.Tools.Open(ctx, f.src, format.demuxer, format.junk); err != nil {
		return nil, err
	}
	defer f.in.Close()
	fromStart := false
	switch m := f.medium.(type) {
	case *foreign:
		f.origin, f.lead = m.origin, m.lead()
		fromStart = slices.ContainsFunc(m.tracks, func(t track) bool { return needsNote(t.Stream) })
	case *movie:
		if fromStart = m.index.NeedsNote(); fromStart {
			f.lead = math.Inf(1)
		}
	}
	var sparse []ffmpeg.Picture
	if f.span.End-f.span.Start > shortSpan && !fromStart {
		sparse, err = f.take(ctx, f.keys())
		if err == nil && 2*len(sparse) >= f.count {
			return sparse, nil
		}
	}
	all, err := f.take(ctx, []ffmpeg.Take{f.evenly()})
	if errors.Is(err, citekit.ErrTooLarge) && len(sparse) > 0 {
		return sparse, nil // decoding the span is too much work
	}
	return all, err
}

// evenly takes the frames at evenly spaced times.
func (f *frameFinder) evenly() ffmpeg.Take {
	return ffmpeg.Take{
		From: f.span.Start + f.origin, End: f.span.End + f.origin,
		Step: f.step(), Count: f.count, Lead: f.lead,
	}
}

func (f *frameFinder) step() float64 { return (f.span.End - f.span.Start) / float64(f.count) }

// keys takes the first frame, and the key frames before evenly spaced times.
func (f *frameFinder) keys() []ffmpeg.Take {
	first := f.evenly()
	first.Count = 1
	takes := []ffmpeg.Take{first}
	for i := 1; i < f.count; i++ {
		takes = append(takes, ffmpeg.Take{From: first.From + float64(i)*first.Step, Count: 1, Key: true})
	}
	return takes
}

// take returns the distinct frames of all takes that are in the span.
func (f *frameFinder) take(ctx context.Context, takes []ffmpeg.Take) ([]ffmpeg.Picture, error) {
	taken, err := f.engine.Tools.Pictures(ctx, f.in, scansOf(f.medium), f.size, takes)
	if err != nil {
		return nil, err
	}
	var frames []ffmpeg.Picture
	last := math.Inf(-1)
	for _, pictures := range taken {
		for _, p := range pictures {
			p.Time = round(p.Time - f.origin)
			if p.Time >= f.span.Start-slack && p.Time < f.span.End-slack && p.Time > last {
				last = p.Time
				p.Time = max(p.Time, 0)
				frames = append(frames, p)
			}
		}
	}
	return frames, nil
}
