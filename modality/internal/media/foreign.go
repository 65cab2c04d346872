package media

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/mp3"
)

// A foreign medium is one that only ffmpeg can read.
type foreign struct {
	engine   *Engine
	tools    *ffmpeg.Tools
	modality citekit.Modality
	format   Format
	tracks   []track   // kept for the modality, in order
	texts    bool      // this package reads its subtitles, which are not in tracks
	start    float64   // of the container, from its header, in seconds
	origin   float64   // container time of t=0, in seconds
	whole    bool      // every packet was read to measure it
	times    []float64 // start times of the frames of the first picture track, in order; nil if unknown
	duration float64   // seconds from t=0 to the end of the last sound or picture
}

// A track is a stream of a foreign medium, with the times at which it plays on
// the timeline. Before it is measured, first is +Inf and end is -Inf.
type track struct {
	ffmpeg.Stream
	first, end float64 // seconds; first is only right if wholly measured
	scans      int     // of each picture, on average; 0 if that is not known
}

// play records when a packet plays.
func (t *track) play(p ffmpeg.Packet, origin float64) {
	first, end := t.Seconds(p.Time), t.Seconds(p.Time+p.Duration)
	if t.Codec == "mp3" {
		if p.Bytes < minMP3 {
			return
		}
		if t.SampleRate > 0 { // other durations already exclude it
			end -= float64(p.Discard) / float64(t.SampleRate)
		}
	}
	t.first = min(t.first, first-origin)
	t.end = max(t.end, end-origin)
}

// minMP3 is the length in bytes of the shortest MP3 frame, 8 kbit/s at 24 kHz.
// Anything shorter is an inaudible remainder.
const minMP3 = 24

const foreignCost = 16 << 10

const (
	// measuredWhole is the size in bytes up to which every packet of a file
	// with a picture is read to learn its duration. In larger files only the
	// end is read.
	measuredWhole = 64 << 20

	// measuredEnd is the length of that end in seconds.
	measuredEnd = 30
)

// examine reads the header of a source and then its packets, because durations
// in headers can be wrong.
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
	pictures, err := countJPEGs(ctx, in, in.Size())
	if err != nil {
		return nil, 0, err
	}
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
	if t := f.picture(); t != nil && t.Codec == "mjpeg" {
		t.scans = pictures.each()
	}
	return f, foreignCost + int64(len(f.times))*8, nil
}

// examineInput makes a medium from ffprobe's description of an input. texts
// means that this package reads its subtitles.
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

// nearest returns v, a time in seconds rounded for printing, as the nearest
// multiple of the track's time unit, in seconds.
func (t *track) nearest(v float64) float64 {
	return t.Seconds(int64(math.Round(v * float64(t.Den) / float64(t.Num))))
}

// choose keeps the tracks of the modality: sound, and for a video pictures and
// subtitles that can become text. A cover is not a picture of a video.
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

// measure reads packets to learn when tracks begin and end. It reads all of
// them, or, unless whole is set, only those at the end of a video or Matroska
// file.
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
		if f.format.demuxer == "ogg" {
			// If the stream ends before a packet begins, ffprobe prints the negative
			// duration as an unsigned number of 32 bits.
			p.Duration = max(int64(int32(p.Duration)), 0)
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

// packets calls visit with the packets of an input, starting at time from.
func (f *foreign) packets(ctx context.Context, in *ffmpeg.Input, from float64, visit func(ffmpeg.Packet)) error {
	if f.isMP3() && from <= 0 {
		err := f.mp3Packets(ctx, in, visit)
		if !errors.Is(err, mp3.ErrNoFrame) {
			return err
		}
	}
	return f.tools.Packets(ctx, in, from, visit)
}

// maxTimes bounds the frames whose times are kept: nine hours at 30 per second.
const maxTimes = 1 << 20

// picture returns the first picture track, or nil.
func (f *foreign) picture() *track {
	for i := range f.tracks {
		if f.tracks[i].Kind == "video" {
			return &f.tracks[i]
		}
	}
	return nil
}

// measured reports whether packets of every track except subtitles were seen.
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
