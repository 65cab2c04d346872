// Package audio resolves time ranges of recordings, and of the sound of
// videos.
//
// This package itself cuts MP4, M4A, QuickTime and WAV. MP3, FLAC, Ogg, Opus,
// AAC and the sound of Matroska, WebM, AVI and MPEG transport streams need
// ffmpeg, version 5.1 or later. The content decides the format; the name of the
// file does not matter.
//
// # What comes back
//
// A range [start, end) has the samples k with start ≤ k/rate < end, within the
// precision of the format:
//
//   - WAV as WAV and FLAC as FLAC, exact to the sample.
//   - AAC, MP3, Opus, AC-3 and ALAC as MP4 (.m4a) with the packets of the
//     source, without encoding again. An edit list hides the packets before the
//     start that a decoder needs.
//   - Vorbis, Speex and other codecs that MP4 does not support as FLAC, exact
//     to the sample of the decoder output.
//
// [citekit.ModeStrict] has no hidden packets: other formats than FLAC and WAV
// are decoded and stored as FLAC. [citekit.ModeCopy] starts at the packet with
// the start of the range, and reports the actual range; Vorbis stays Vorbis, in
// Matroska.
//
// If a source has several sound tracks, all are kept. Covers, chapters and tags
// are dropped, because they describe the whole.
//
// # Structure
//
// The nodes of a map are the chapters of the source: those of QuickTime and
// Nero in M4A and M4B, of ID3 in MP3, of comments in Ogg and FLAC, of cues in
// WAV, of Matroska, or those in the JSON of a podcast beside the source. The
// words of the source come from its text subtitles, or else from subtitles or a
// transcript beside the source, such as talk.srt, talk.en.vtt or talk.json
// beside talk.mp3: of several such files, the one with the fewest dots in its
// name (talk.srt) is used, and among those with as many, one in the language of
// the sound (talk.en.srt). The words are gathered into segments, which stand
// below the chapters. Without chapters and words, the nodes are the parts
// between silences, or else even parts. A silence is below -45 dB of full scale
// for a second or more, or for 0.4 seconds in a part longer than a minute.
// Chapters and words are read without ffmpeg, but the duration of other formats
// than MP4, QuickTime and WAV needs ffprobe.
//
// # Time
//
// t=0 is where a player starts: after the inaudible encoder delay, and at the
// first time stamp of a container whose times begin later. In MP4, only the
// edit list defines the inaudible part. In a file without an edit list, times
// count from its first packet, even if it has an iTunSMPB tag: players that
// read the tag skip the part that it gives, often some hundredths of a second,
// so their times are smaller than those of citekit by that much.
package audio

import (
	"context"
	"iter"
	"sync"

	"github.com/citekit/citekit"
	engine "github.com/citekit/citekit/modality/internal/media"
	"github.com/citekit/citekit/preview"
)

// Options configure how recordings are read: the paths of ffmpeg and ffprobe
// (FFmpeg, FFprobe), and limits on the number of child processes (MaxChildren,
// Children), their memory (MaxMemory), time (Timeout) and output (MaxOutput), on the
// headers that are kept (CacheBytes) and on the search for silences (ScanTime).
// The zero value is ready to use. Those of video and audio are one type:
//
//	options := video.Options{FFmpeg: "/opt/bin/ffmpeg"}
//	resolvers[citekit.Video] = &video.Resolver{Options: options}
//	resolvers[citekit.Audio] = &audio.Resolver{Options: options}
type Options = engine.Options

// A Resolver extracts time ranges of sound. The zero value is ready to use.
// Set the options before use; it must not be copied after first use.
type Resolver struct {
	Options

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

// Resolve implements [citekit.Resolver]. If a source needs ffmpeg and that is
// missing, the error matches [errors.ErrUnsupported] and says how to install
// it.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	return r.ready().Resolve(ctx, src, req)
}

// Measure implements [citekit.Measurer]. The duration is that of the packets of
// sound, even if the header gives another.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	return r.ready().Measure(ctx, src)
}

// Map implements [citekit.Mapper]. The nodes are the chapters of the source, or
// of a file of chapters beside it. Within them, or instead of them, are its
// words, gathered into segments. The words come from its own text subtitles, or
// else from subtitles or a transcript beside it. Without chapters and words,
// the nodes are the parts between silences, if ffmpeg finds any, or else even
// parts. If ffmpeg did not search for silences, the key unscanned of the
// metadata gives the reason: "too large", "out of time" (see ScanTime), "no
// ffmpeg", "unsupported by ffmpeg", "damaged" or "turned off". The error matches
// [os.ErrDeadlineExceeded] if ffmpeg is not done in time: a busy machine gives
// no other map.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	return r.ready().Map(ctx, src, req)
}

// ReadText implements [citekit.TextReader] with the text subtitles in src, a
// run for each. A source without subtitles has no text.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return r.ready().ReadText(ctx, src, loc)
}

// ReadTranscript implements [citekit.TranscriptReader] with subtitles or a
// transcript in a separate file.
func (r *Resolver) ReadTranscript(ctx context.Context, src, transcript *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return r.ready().ReadTranscript(ctx, src, transcript, loc)
}

// Preview implements [preview.Previewer] with the waveform of the time range.
// Other formats than WAV need ffmpeg.
func (r *Resolver) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	return r.ready().Preview(ctx, src, loc, opts)
}

// Programs implements stats.ProgramUser with ffmpeg and ffprobe.
func (r *Resolver) Programs(ctx context.Context) (found map[string]string, missing []string) {
	return r.ready().Tools.Programs(ctx)
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "audio/2" }

func (r *Resolver) ready() *engine.Engine {
	r.once.Do(func() { r.engine.Configure(citekit.Audio, r.Options) })
	return &r.engine
}
