package media

import (
	"context"
	"io"
	"math"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

var formatMatroskaAudio = Format{Name: "Matroska audio", MediaType: "audio/x-matroska", Ext: ".mka", AudioOnly: true, demuxer: "matroska"}

// copyMatroska copies from the key frame at or before the span to the end of
// the span, for codecs that only Matroska supports, and reports the actual
// range. The first step keeps the times of the source, to find the key frame.
// The second step drops earlier sound, begins at 0, and adds the subtitles of
// texts.
func (f *foreign) copyMatroska(ctx context.Context, in *ffmpeg.Input, texts captions, span citekit.Span) (*citekit.Content, error) {
	timed, err := f.tools.Convert(ctx, in, f.copying(span))
	if err != nil {
		return nil, err
	}
	defer timed.Close()
	again := ffmpeg.OpenOutput(timed, "matroska")
	defer again.Close()
	actual, err := f.rangeOf(ctx, again, span)
	if err != nil {
		return nil, err
	}
	c := ffmpeg.Conversion{
		Input:  ffmpeg.Options{"ss": seconds(actual.Start), "seek_timestamp": "1"},
		Muxer:  "matroska",
		Output: ffmpeg.Options{"c": "copy", "copypriorss": "0"},
	}
	for i := range f.tracks {
		c.Streams = append(c.Streams, i)
	}
	for _, t := range texts.within(actual) {
		text := subRip(t, actual.Start)
		in, err := f.tools.OpenReader(ctx, strings.NewReader(text), int64(len(text)), "srt")
		if err != nil {
			return nil, err
		}
		defer in.Close()
		c.Beside = append(c.Beside, in)
	}
	out, err := f.tools.Convert(ctx, again, c)
	if err != nil {
		return nil, err
	}
	if err := f.checkMatroska(ctx, out, actual); err != nil {
		out.Close()
		return nil, err
	}
	format := formatMatroska
	if !f.hasVideo() {
		format = formatMatroskaAudio
	}
	x := extractOutput(out, format)
	if actual != span {
		x.Actual = &citekit.Location{Modality: f.modality, Time: actual}
	}
	return x, nil
}

// checkMatroska decodes the start and end of a copied span.
func (f *foreign) checkMatroska(ctx context.Context, out *ffmpeg.Output, span citekit.Span) error {
	again := ffmpeg.OpenOutput(out, "matroska")
	defer again.Close()
	var tracks []playedTrack
	for i, t := range f.tracks {
		if t.Kind == "video" || t.Kind == "audio" && !f.hasVideo() {
			tracks = append(tracks, playedTrack{t.Kind, i, citekit.Span{End: span.End - span.Start}})
		}
	}
	return checkDecodes(ctx, f.tools, again, citekit.Span{End: span.End - span.Start}, tracks)
}

// copying is the conversion that keeps the times of the source.
func (f *foreign) copying(span citekit.Span) ffmpeg.Conversion {
	c := ffmpeg.Conversion{
		Input: f.seek(span.Start, span.End),
		Muxer: "matroska",
		Output: ffmpeg.Options{
			"c": "copy", "to": seconds(span.End), "avoid_negative_ts": "disabled", "copypriorss": "1",
		},
	}
	delete(c.Input, "t")
	f.keepTimes(c.Output)
	for _, t := range f.tracks {
		c.Streams = append(c.Streams, t.Index)
	}
	return c
}

// rangeOf returns the range of the pictures of a copy, or of its sound if it
// has none: from the start of the first frame to the end of the last. span is
// the requested range.
func (f *foreign) rangeOf(ctx context.Context, in *ffmpeg.Input, span citekit.Span) (citekit.Span, error) {
	info, err := f.tools.Probe(ctx, in)
	if err != nil {
		return citekit.Span{}, err
	}
	first, last := math.Inf(1), 0.0
	err = f.tools.Packets(ctx, in, 0, func(p ffmpeg.Packet) {
		for _, s := range info.Streams {
			if s.Index == p.Stream && (s.Kind == "video" || s.Kind == "audio" && !f.hasVideo()) {
				first = min(first, s.Seconds(p.Time))
				last = max(last, s.Seconds(p.Time+p.Duration))
			}
		}
	})
	if err == nil && first >= last {
		err = emptySpan(span, f.plays(), f.modality)
	}
	return rounded(citekit.Span{Start: max(first, 0), End: last}), err
}

// round rounds a time to the microseconds that addresses show.
func round(t float64) float64 { return math.Round(t*1e6) / 1e6 }

func rounded(s citekit.Span) citekit.Span {
	return citekit.Span{Start: round(s.Start), End: round(s.End)}
}

// extractOutput returns what ffmpeg wrote. Closing the Body removes it.
func extractOutput(out *ffmpeg.Output, format Format) *citekit.Content {
	return &citekit.Content{
		Body: body{io.NewSectionReader(out, 0, out.Size()), out}, Size: out.Size(),
		MediaType: format.MediaType, Ext: format.Ext,
	}
}
