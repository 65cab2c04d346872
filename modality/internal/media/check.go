package media

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

// moment is how many seconds are decoded at the start and end of a clip.
const moment = 0.3

// A playedTrack is a track that must yield frames or sound while a span plays.
type playedTrack struct {
	kind   string // "video" or "audio"
	stream int    // index in the decoded input
	span   citekit.Span
}

// checkDecodes decodes the start and end of a span of an input. If a track that
// plays there yields nothing, the error matches [citekit.ErrFormat], because no
// player could open the clip. Tracks without a decoder in ffmpeg pass.
func checkDecodes(ctx context.Context, tools *ffmpeg.Tools, in *ffmpeg.Input, span citekit.Span, tracks []playedTrack) error {
	parts := []ffmpeg.Interval{{Start: span.Start, End: min(span.Start+moment, span.End)}}
	if span.End-span.Start > 2*moment {
		parts = append(parts, ffmpeg.Interval{Start: span.End - moment, End: span.End})
	}
	for _, part := range parts {
		decoded, done, err := tools.Decodable(ctx, in, ffmpeg.AllStreams, part)
		if err != nil && !errors.Is(err, citekit.ErrFormat) {
			return err
		}
		if err != nil {
			return fmt.Errorf("no clip of it would open, the source is damaged there: %w", err)
		}
		for _, t := range tracks {
			if !done || decoded[t.stream] || t.span.Start >= part.End || t.span.End <= part.Start {
				continue
			}
			damaged, err := cannotDecode(ctx, tools, in, t.stream, part)
			if err != nil {
				return err
			}
			if damaged {
				return fmt.Errorf("the %s at t=%.3f of the source cannot be decoded, so no clip of it would play: the source is damaged there: %w", t.kind, part.Start, citekit.ErrFormat)
			}
		}
	}
	return nil
}

// cannotDecode decodes one stream alone, because its packets may be stored
// after many of another. It reports whether there is a decoder and it yields
// nothing.
func cannotDecode(ctx context.Context, tools *ffmpeg.Tools, in *ffmpeg.Input, stream int, part ffmpeg.Interval) (bool, error) {
	decoded, done, err := tools.Decodable(ctx, in, stream, part)
	if err != nil || !done || decoded[stream] {
		return false, err
	}
	return tools.HasDecoder(ctx, in, stream)
}

// playedTracks lists the sound and picture tracks of a movie.
func playedTracks(tracks []mp4.Track) []playedTrack {
	var all []playedTrack
	for i, t := range tracks {
		if t.Kind != mp4.Subtitle {
			all = append(all, playedTrack{string(t.Kind), i, citekit.Span{Start: t.Start, End: t.End}})
		}
	}
	return all
}

// check examines the samples of a clip. Samples that look damaged are decoded
// if ffmpeg is available.
func (m *movie) check(ctx context.Context, src *citekit.Source, clip *mp4.Clip) error {
	suspect := clip.Check(src)
	if suspect == nil || !errors.Is(suspect, mp4.ErrSuspect) {
		return suspect
	}
	damaged := movieError(suspect)
	in, err := m.engine.Tools.OpenReader(ctx, clip.NewReader(src), clip.Size(), m.format.demuxer)
	if err != nil {
		return movieError(err)
	}
	defer in.Close()
	tracks := playedTracks(clip.Tracks())
	for i := range tracks { // on the timeline of the clip
		tracks[i].span.Start -= clip.Start()
		tracks[i].span.End -= clip.Start()
	}
	err = checkDecodes(ctx, &m.engine.Tools, in, citekit.Span{End: clip.End() - clip.Start()}, tracks)
	if errors.Is(err, errors.ErrUnsupported) {
		return damaged
	}
	return err
}
