package media

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

const (
	// lead is how many seconds before a span ffmpeg starts to read: enough to
	// reach key frames that an index misplaces.
	lead = 10

	// leadSubtitles replaces lead if there are subtitles, so that a subtitle
	// already shown at the start of the span is found.
	leadSubtitles = 30

	// trail is how many seconds after a span ffmpeg stops copying, so that
	// frames stored late are included.
	trail = 5
)

// cut implements medium. A clip is made in two steps. First ffmpeg copies more
// than the needed range into an MP4 file with the times of the source. Then
// package mp4 cuts that file like any other.
func (f *foreign) cut(ctx context.Context, src *citekit.Source, span citekit.Span, mode citekit.Mode) (*citekit.Content, error) {
	in, err := f.tools.Open(ctx, src, f.format.demuxer, f.format.junk)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var texts captions
	if f.texts {
		if texts, err = f.engine.readCaptions(ctx, src, f.origin); err != nil {
			return nil, err
		}
	}
	x, err := f.cutInput(ctx, in, texts, span, mode)
	if errors.Is(err, errUnfaithful) {
		if x, err = f.cutInput(ctx, in, texts, span, citekit.ModeStrict); err == nil {
			x.Changes = append(x.Changes, changeEncoded)
		}
	}
	return x, err
}

// cutInput makes a clip of an input. texts are subtitles to add to those that
// ffmpeg finds.
func (f *foreign) cutInput(ctx context.Context, in *ffmpeg.Input, texts captions, span citekit.Span, mode citekit.Mode) (*citekit.Content, error) {
	switch {
	case f.asFLAC(mode):
		return f.cutFLAC(ctx, in, span)
	case mode == citekit.ModeCopy && !f.fit(inMP4) && !f.fit(inQuickTime) && !math.IsInf(f.lead(), 1):
		return f.copyMatroska(ctx, in, texts, span)
	}
	p := f.planFor(mode == citekit.ModeStrict)
	for _, before := range []float64{f.lead(), 6 * f.lead()} {
		x, err := f.cutVia(ctx, in, texts, p, span, mode, before)
		if !errors.Is(err, errLate) {
			return x, err
		}
	}
	return f.cutVia(ctx, in, texts, p, span, mode, math.Inf(1))
}

// lead returns how many seconds before a span ffmpeg starts to read.
func (f *foreign) lead() float64 {
	before := float64(lead)
	for _, t := range f.tracks {
		switch {
		case f.counted(t.Stream), f.format.demuxer == "aac":
			return math.Inf(1) // ADTS has no times, and ffmpeg loses count when it seeks
		case needsNote(t.Stream):
			return math.Inf(1)
		case t.Kind == "subtitle":
			before = leadSubtitles
		}
	}
	return before
}

// needsNote reports whether a decoder may have to know the version of the
// encoder, which only the first picture tells: x264 had an error in pictures
// with colours in full resolution.
func needsNote(s ffmpeg.Stream) bool {
	return s.Codec == "h264" && (strings.Contains(s.PixelFormat, "444") || strings.HasPrefix(s.PixelFormat, "gbr"))
}

// counted reports whether the times of a track follow from the number of
// samples before it. Ogg stores times for few packets. The times that ffmpeg
// interpolates are off by up to 448 samples where Vorbis block lengths change.
func (f *foreign) counted(s ffmpeg.Stream) bool {
	return f.format.demuxer == "ogg" && s.Codec == "vorbis"
}

// cutVia makes a clip through a file that begins some seconds before the span.
func (f *foreign) cutVia(ctx context.Context, in *ffmpeg.Input, texts captions, p plan, span citekit.Span, mode citekit.Mode, before float64) (*citekit.Content, error) {
	if err := f.spend(ctx, p.encode, span, before); err != nil {
		return nil, err
	}
	c := f.conversion(ctx, p, span, before)
	out, err := f.tools.Convert(ctx, in, c)
	if err != nil {
		return nil, err
	}
	x, err := f.cutOutput(ctx, out, texts, p, span, mode, !math.IsInf(before, 0))
	if err != nil {
		out.Close()
		return nil, err
	}
	return x, nil
}

// spend counts the work of decoding sound, before it is done. That of pictures
// is counted while it is done: where reading starts depends on the source.
func (f *foreign) spend(ctx context.Context, decode []bool, span citekit.Span, before float64) error {
	for i, t := range f.tracks {
		if !decode[i] || t.Kind == "video" {
			continue
		}
		if err := ffmpeg.Spend(ctx, ffmpeg.SoundWork(t.Stream, span.End+trail-max(span.Start-before, 0))); err != nil {
			return err
		}
	}
	return nil
}

// conversion is the first step: it copies everything from before the span to
// after it, with times counted from t=0 of the source. Re-encoded tracks are
// trimmed to the span at once.
func (f *foreign) conversion(ctx context.Context, p plan, span citekit.Span, before float64) ffmpeg.Conversion {
	c := ffmpeg.Conversion{
		Input: f.seek(span.Start-before, span.End+trail),
		Muxer: p.muxer,
		Output: ffmpeg.Options{
			"copypriorss": "1", "avoid_negative_ts": "disabled", "to": seconds(span.End + trail),
			"movie_timescale": movieTimescale, "strict": "experimental", "max_interleave_delta": "0",
			"max_muxing_queue_size": "100000",
		},
	}
	f.keepTimes(c.Output)
	if slices.Contains(p.encode, true) {
		delete(c.Input, "t") // it would count from the previous key frame, however early that is
	}
	for i, t := range f.tracks {
		c.Streams = append(c.Streams, t.Index)
		for name, value := range codecOptions(i, t.Stream, p.encode[i]) {
			c.Output[name] = value
		}
		if p.encode[i] {
			c.Output["filter:"+strconv.Itoa(i)] = f.trim(ctx, t.Stream, i, span)
			c.Scans = max(c.Scans, t.scans)
		}
	}
	return c
}

// movieTimescale is a multiple of the frame rates of video and of most sample
// rates, so the starts of tracks stay exact.
const movieTimescale = "720000"

// seek makes ffmpeg read from one time on the timeline to another. It starts at
// the key frame at or before from, if the index is right.
func (f *foreign) seek(from, to float64) ffmpeg.Options {
	skip := from + f.origin - f.start // ffmpeg counts from the start of the container
	o := ffmpeg.Options{"noautorotate": ""}
	if skip <= 0 || math.IsInf(skip, 0) {
		return o
	}
	o["noaccurate_seek"] = ""
	o["ss"] = seconds(skip)
	o["t"] = seconds(to - from)
	return o
}

// keepTimes keeps the time stamps of the source, counted from t=0.
func (f *foreign) keepTimes(o ffmpeg.Options) {
	o["copyts"] = ""
	if f.origin != 0 {
		o["start_at_zero"] = ""
	}
}

func seconds(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// slack is half a microsecond. Times have at most six decimals, so a time
// within slack of a frame names that frame.
const slack = 0.5e-6

// firstAt returns the index of the first multiple of num/den seconds at or
// after t.
func firstAt(t float64, num, den int64) int64 {
	return int64(math.Ceil((t - slack) * float64(den) / float64(num)))
}

// trim is the filter that keeps the frames or samples of a span of output
// stream i, counts the frames, and limits the samples.
func (f *foreign) trim(ctx context.Context, s ffmpeg.Stream, i int, span citekit.Span) string {
	name, num, den := "trim", s.Num, s.Den
	if s.Kind == "audio" {
		name, num, den = "atrim", 1, int64(s.SampleRate)
	}
	if f.counted(s) {
		name = "asetpts=STARTPTS+N," + name
	}
	keep := fmt.Sprintf("%s=start_pts=%d:end_pts=%d", name, firstAt(span.Start, num, den), firstAt(span.End, num, den))
	if s.Kind == "video" {
		return ffmpeg.CountDecoded + "," + keep + "," + ffmpeg.CountEncoded
	}
	return ffmpeg.LimitSound(ctx, s, i) + "," + keep
}

// emptySpan is the error for a span in which nothing of a modality begins.
// plays is the span in which the source has any.
func emptySpan(span, plays citekit.Span, modality citekit.Modality) error {
	one, all := "frame", "pictures run"
	if modality == citekit.Audio {
		one, all = "sound", "sound runs"
	}
	return fmt.Errorf("t=%v holds no %s; %s %v: %w", span, one, all, rounded(plays), citekit.ErrRange)
}

// noFrame returns the error for a span in which no frame begins, or nil if one
// does or that is not known. It says where the frame shown there begins.
func (f *foreign) noFrame(span citekit.Span) error {
	i, _ := slices.BinarySearch(f.times, span.Start-slack)
	if len(f.times) == 0 || i < len(f.times) && f.times[i] < span.End-slack {
		return nil
	}
	if i == 0 {
		return emptySpan(span, f.plays(), f.modality)
	}
	return fmt.Errorf("t=%v holds no frame; pictures run %v; the one shown there begins at t=%v: %w", span, rounded(f.plays()), f.times[i-1], citekit.ErrRange)
}

// plays returns the span in which there are pictures in a video, or else sound.
func (f *foreign) plays() citekit.Span {
	plays := citekit.Span{Start: math.Inf(1)}
	for _, t := range f.tracks {
		if t.Kind == string(f.modality) {
			plays = citekit.Span{Start: min(plays.Start, max(t.first, 0)), End: max(plays.End, t.end)}
		}
	}
	if !f.whole {
		plays.Start = 0
	}
	return plays
}
