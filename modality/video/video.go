// Package video resolves time ranges of videos.
//
// MP4 and QuickTime are cut here. Matroska, WebM, AVI, MPEG transport streams,
// Ogg and fragmented MP4 need ffmpeg, version 5.1 or later. The format follows
// from the content; names do not count.
//
// # What comes back
//
// A range [start, end) shows the frames whose time t has start ≤ t < end, with
// the sound in step, text subtitles and rotation. It comes as MP4, or as
// QuickTime where the source is that or has tracks that only it takes.
//
//   - By default, and for the codecs MP4 takes (H.264, HEVC, VP9, AV1, MPEG-4,
//     MPEG-2), the frames are those of the source, not encoded again. An edit
//     list hides the frames before the start that a decoder needs, at most one
//     group of pictures.
//   - Other codecs, such as VP8 and Theora, are encoded to H.264 with next to
//     no loss; sound that MP4 does not take, such as Vorbis, to FLAC with none.
//   - [citekit.ModeStrict] encodes all of it, so that no frame is stored that
//     is not shown.
//   - [citekit.ModeCopy] never encodes. It starts at the key frame at or before
//     the start and reports the range it got. What neither MP4 nor QuickTime
//     takes comes as Matroska.
//
// Subtitles that are bitmaps, as on discs, are left out, and so are chapters
// and tags, which describe the whole.
//
// # Structure
//
// The nodes of a map are the chapters of the source: those of QuickTime, Nero
// and Matroska, or those in the JSON of a podcast beside it. Its words are those
// of its text subtitles (tx3g and WebVTT in MP4; SubRip, ASS and WebVTT in
// Matroska) or else of subtitles or a transcript beside it, as talk.srt,
// talk.en.vtt or talk.json beside talk.mp4: the plainest name first, and then one
// in the language of the sound. They are gathered into segments, which lie under
// the chapters. Where there is neither, the nodes are scenes, told by how much a
// frame differs from the one before, or in large videos a key frame; else even
// parts. Chapters and words are read without ffmpeg, but how long anything other
// than MP4 and QuickTime is has to be asked of ffprobe.
//
// # Time
//
// t=0 is where a player starts: the start of the movie in MP4 and QuickTime,
// elsewhere the first time stamp of sound or picture, even if the container
// counts from another number, as transport streams do.
package video

import (
	"context"
	"iter"
	"sync"

	"github.com/citekit/citekit"
	engine "github.com/citekit/citekit/internal/media"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/preview"
)

// A Resolver extracts time ranges of videos. The zero value is ready to use.
// Set the options before use; it must not be copied after first use.
type Resolver struct {
	media.Options

	once   sync.Once
	engine engine.Engine
}

var (
	_ citekit.Resolver         = (*Resolver)(nil)
	_ citekit.Measurer         = (*Resolver)(nil)
	_ citekit.Versioner        = (*Resolver)(nil)
	_ citekit.Mapper           = (*Resolver)(nil)
	_ citekit.TextReader       = (*Resolver)(nil)
	_ citekit.TranscriptReader = (*Resolver)(nil)
	_ preview.Previewer        = (*Resolver)(nil)
)

// Resolve implements [citekit.Resolver]. A source that needs ffmpeg where it
// is missing is an error matching [errors.ErrUnsupported] that says how to
// install it.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	return r.ready().Resolve(ctx, src, req)
}

// Measure implements [citekit.Measurer]. The duration is that of the packets
// of sound and picture, whatever the header says.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	return r.ready().Measure(ctx, src)
}

// Map implements [citekit.Mapper]. The nodes are the chapters that the source,
// or a file of chapters beside it, has; within them, or instead of them, its
// words gathered into segments: those of its own text subtitles, or else of
// subtitles or a transcript beside it. Without either they are the scenes, if
// ffmpeg finds any in time, or else even parts. Where it did not look, the key
// unscanned of the metadata says why: "out of time" (see ScanTime), "no ffmpeg",
// "unsupported by ffmpeg", "damaged" or "turned off".
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	return r.ready().Map(ctx, src, req)
}

// ReadText implements [citekit.TextReader] with the text subtitles that src
// holds, a run for each. A source without any has no text.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return r.ready().ReadText(ctx, src, loc)
}

// ReadTranscript implements [citekit.TranscriptReader] with subtitles or a
// transcript in a file of its own.
func (r *Resolver) ReadTranscript(ctx context.Context, src, transcript *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return r.ready().ReadTranscript(ctx, src, transcript, loc)
}

// Preview implements [preview.Previewer] with a sheet of up to 12 frames of the
// time, each with when it is shown. Of more than a few seconds they are the
// first frame and the key frames before times that are evenly apart; where there
// are few of those, what can be decoded in the time that cutting may take. It
// needs ffmpeg.
func (r *Resolver) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	return r.ready().Preview(ctx, src, loc, opts)
}

// Programs implements stats.ProgramUser with ffmpeg and ffprobe.
func (r *Resolver) Programs(ctx context.Context) (found map[string]string, missing []string) {
	return r.ready().Tools.Programs(ctx)
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "video/1" }

func (r *Resolver) ready() *engine.Engine {
	r.once.Do(func() { r.engine.Configure(citekit.Video, r.Options) })
	return &r.engine
}
