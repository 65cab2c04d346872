package media

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ffmpeg"
	"github.com/citekit/citekit/internal/mp3"
)

// A foreign medium is one that only ffmpeg reads.
type foreign struct {
	engine   *Engine
	tools    *ffmpeg.Tools
	modality citekit.Modality
	format   Format
	tracks   []track   // what the modality keeps, in order
	texts    bool      // it has subtitles that are read by ourselves, and are none of the tracks
	start    float64   // of the container, as its header says, in seconds
	origin   float64   // container time of t=0, in seconds
	whole    bool      // every packet was read to measure it
	times    []float64 // when the frames of the first picture begin, in order; nil if that is not known
	duration float64   // seconds from t=0 to the end of the last sound or picture
}

// A track is a stream of a foreign medium, with the times it plays on the
// timeline. Until it is measured it plays never: from +Inf to -Inf.
type track struct {
	ffmpeg.Stream
	first, end float64 // seconds; first is only right if wholly measured
}

// play notes when a packet plays.
func (t *track) play(p ffmpeg.Packet, origin float64) {
	first, end := t.Seconds(p.Time), t.Seconds(p.Time+p.Duration)
	if t.Codec == "mp3" {
		if p.Bytes < minMP3 {
			return
		}
		if t.SampleRate > 0 { // elsewhere durations are already without it
			end -= float64(p.Discard) / float64(t.SampleRate)
		}
	}
	t.first = min(t.first, first-origin)
	t.end = max(t.end, end-origin)
}

// minMP3 is the length in bytes of the shortest MP3 frame, 8 kbit/s at 24 kHz.
// What is shorter is a rest of something that nobody hears.
const minMP3 = 24

const foreignCost = 16 << 10

const (
	// measuredWhole is the size in bytes up to which every packet of a file
	// with a picture is read to learn its duration. Of larger ones only the
	// end is read.
	measuredWhole = 64 << 20

	// measuredEnd is how many seconds that end is.
	measuredEnd = 30
)

// examine reads the header of a source and then its packets, for headers lie
// about durations.
func (e *Engine) examine(ctx context.Context, src *citekit.Source, format Format) (medium, int64, error) {
	whole := e.Modality == citekit.Audio || src.Size() <= e.measured
	return e.examineSource(ctx, src, format, whole)
}

func (e *Engine) examineSource(ctx context.Context, src *citekit.Source, format Format, whole bool) (medium, int64, error) {
	in, err := e.Tools.Open(ctx, src, format.demuxer, format.junk)
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	info, err := e.Tools.Probe(ctx, in)
	if err != nil {
		return nil, 0, err
	}
	texts, err := e.ownCaptions(src, format, info)
	if err != nil {
		return nil, 0, err
	}
	f, err := e.examineInput(ctx, in, format, info, texts, whole)
	if err != nil {
		return nil, 0, err
	}
	return f, foreignCost + int64(len(f.times))*8, nil
}

// examineInput makes a medium of what ffprobe says of an input. Texts says that
// its subtitles are read by ourselves.
func (e *Engine) examineInput(ctx context.Context, in *ffmpeg.Input, format Format, info *ffmpeg.Info, texts, whole bool) (*foreign, error) {
	f := &foreign{engine: e, tools: &e.Tools, modality: e.Modality, format: format, start: info.Start, texts: texts}
	if err := f.choose(info); err != nil {
		return nil, err
	}
	if format.demuxer != "mov" {
		f.origin = f.tracks[0].nearest(max(info.Start, 0))
	}
	if err := f.measure(ctx, in, info, whole); err != nil {
		return nil, err
	}
	return f, nil
}

// nearest returns the time in units of the track that is nearest to one in
// seconds, which was rounded when it was printed.
func (t *track) nearest(v float64) float64 {
	return t.Seconds(int64(math.Round(v * float64(t.Den) / float64(t.Num))))
}

// choose keeps the tracks of the modality: sound, and for a video pictures
// and what can become text subtitles. A cover is no picture of a video.
func (f *foreign) choose(info *ffmpeg.Info) error {
	has := false
	for _, s := range info.Streams {
		video := s.Kind == "video" && !s.Picture && s.Codec != ""
		audio := s.Kind == "audio" && s.Codec != ""
		subtitle := s.Kind == "subtitle" && textSubtitles[s.Codec] && !f.texts
		if audio || f.modality == citekit.Video && (video || subtitle) {
			f.tracks = append(f.tracks, track{Stream: s, first: math.Inf(1), end: math.Inf(-1)})
		}
		has = has || video && f.modality == citekit.Video || audio && f.modality == citekit.Audio
	}
	if !has {
		return fmt.Errorf("the %s file has no %s that can be read: %w", f.format.Name, f.modality, citekit.ErrFormat)
	}
	return nil
}

// measure reads packets to learn when tracks begin and end: all of them, or,
// unless the whole is wanted, those at the end of a video or of Matroska.
func (f *foreign) measure(ctx context.Context, in *ffmpeg.Input, info *ffmpeg.Info, whole bool) error {
	from := 0.0
	if !whole && info.Duration > 2*measuredEnd && (f.hasVideo() || f.format.demuxer == "matroska") {
		from = info.Start + info.Duration - measuredEnd
	}
	err := f.scan(ctx, in, from)
	if err != nil && (from <= 0 || !errors.Is(err, citekit.ErrFormat)) {
		return err
	}
	if from > 0 && (err != nil || !f.measured()) {
		if err := f.scan(ctx, in, 0); err != nil {
			return err
		}
	}
	for _, t := range f.tracks {
		if t.Kind != "subtitle" {
			f.duration = max(f.duration, round(t.end))
		}
	}
	if f.duration <= 0 {
		return fmt.Errorf("the %s file has no %s in it: %w", f.format.Name, f.modality, citekit.ErrFormat)
	}
	return nil
}

func (f *foreign) scan(ctx context.Context, in *ffmpeg.Input, from float64) error {
	f.whole = from <= 0
	byIndex := make(map[int]*track)
	for i := range f.tracks {
		byIndex[f.tracks[i].Index] = &f.tracks[i]
	}
	picture := f.picture()
	f.times = nil
	err := f.packets(ctx, in, from, func(p ffmpeg.Packet) {
		t := byIndex[p.Stream]
		if t == nil {
			return
		}
		t.play(p, f.origin)
		if t == picture && f.whole && len(f.times) <= maxTimes {
			f.times = append(f.times, round(t.Seconds(p.Time)-f.origin))
		}
	})
	if len(f.times) > maxTimes {
		f.times = nil
	}
	slices.Sort(f.times)
	f.times = slices.Clip(f.times)
	return err
}

// packets calls visit with the packets of an input from a time on.
func (f *foreign) packets(ctx context.Context, in *ffmpeg.Input, from float64, visit func(ffmpeg.Packet)) error {
	if f.isMP3() && from <= 0 {
		err := f.mp3Packets(ctx, in, visit)
		if !errors.Is(err, mp3.ErrNoFrame) {
			return err
		}
	}
	return f.tools.Packets(ctx, in, from, visit)
}

// maxTimes bounds the frames whose times are kept: nine hours at 30 a second.
const maxTimes = 1 << 20

// picture returns the first track of pictures, or nil.
func (f *foreign) picture() *track {
	for i := range f.tracks {
		if f.tracks[i].Kind == "video" {
			return &f.tracks[i]
		}
	}
	return nil
}

// measured reports whether every track but subtitles was seen.
func (f *foreign) measured() bool {
	for _, t := range f.tracks {
		if t.Kind != "subtitle" && math.IsInf(t.end, -1) {
			return false
		}
	}
	return true
}

func (f *foreign) hasVideo() bool {
	for _, t := range f.tracks {
		if t.Kind == "video" {
			return true
		}
	}
	return false
}

func (f *foreign) extent() citekit.Extent {
	x := citekit.Extent{Modality: f.modality, Duration: f.duration, MediaType: f.format.MediaType}
	for _, t := range f.tracks {
		if t.Kind != "video" {
			continue
		}
		x.Width, x.Height = t.Width, t.Height
		if t.Rotated {
			x.Width, x.Height = t.Height, t.Width
		}
		break
	}
	return x
}
