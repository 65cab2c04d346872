package media

import (
	"context"
	"fmt"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

// asFLAC reports whether a clip is best decoded and stored losslessly: if the
// source is lossless, if MP4 does not support the codec, or if nothing may
// precede the span.
func (f *foreign) asFLAC(mode citekit.Mode) bool {
	if len(f.tracks) != 1 || f.hasVideo() {
		return false
	}
	codec := f.tracks[0].Codec
	return codec == "flac" || mode == citekit.ModeStrict || mode == citekit.ModeExact && !inMP4[codec]
}

// cutFLAC decodes the samples k with start ≤ k/rate < end.
func (f *foreign) cutFLAC(ctx context.Context, in *ffmpeg.Input, span citekit.Span) (*citekit.Content, error) {
	t := f.tracks[0]
	if t.SampleRate == 0 {
		return nil, fmt.Errorf("the sound has no sample rate: %w", citekit.ErrFormat)
	}
	if err := f.spend(ctx, []bool{true}, span, f.lead()); err != nil {
		return nil, err
	}
	c := ffmpeg.Conversion{
		Input:   f.seek(span.Start-f.lead(), span.End+trail),
		Streams: []int{t.Index},
		Muxer:   "flac",
		Output: ffmpeg.Options{
			"c": "flac", "sample_fmt": flacFormat(t.Stream),
			"filter": f.flacFilter(ctx, t.Stream, span),
		},
	}
	delete(c.Input, "t") // it would count from where reading starts, however early that is
	f.keepTimes(c.Output)
	out, err := f.tools.Convert(ctx, in, c)
	if err != nil {
		return nil, err
	}
	if err := f.checkFLAC(ctx, out, span); err != nil {
		out.Close()
		return nil, err
	}
	return extractOutput(out, formatFLAC), nil
}

// flacFilter keeps the samples of a span. FLAC has no times, so the filter
// inserts silence if sound starts late, or for a gap of 20 ms or more.
func (f *foreign) flacFilter(ctx context.Context, s ffmpeg.Stream, span citekit.Span) string {
	first := firstAt(span.Start, 1, int64(s.SampleRate))
	return fmt.Sprintf("%s,aresample=async=1:min_hard_comp=0.02:first_pts=%d,asetpts=PTS-STARTPTS", f.trim(ctx, s, 0, span), first)
}

// checkFLAC compares the length of the output with the requested one.
func (f *foreign) checkFLAC(ctx context.Context, out *ffmpeg.Output, span citekit.Span) error {
	again := ffmpeg.OpenOutput(out, "flac")
	defer again.Close()
	info, err := f.tools.Probe(ctx, again)
	if err != nil {
		return err
	}
	want := min(span.End, f.tracks[0].end) - span.Start
	const slack = 0.1 // seconds, as for the end of a span
	if math.Abs(info.Duration-want) > slack {
		return fmt.Errorf("t=%v decodes to %.3f of %.3f seconds: %w", span, info.Duration, want, citekit.ErrFormat)
	}
	return nil
}
