// Package audio resolves time ranges of recordings, and of the sound of
// videos.
//
// MP4, M4A, QuickTime and WAV are cut here. MP3, FLAC, Ogg, Opus, AAC and the
// sound of Matroska, WebM, AVI and MPEG transport streams need ffmpeg, version
// 5.1 or later. The format follows from the content; names do not count.
//
// # What comes back
//
// A range [start, end) holds the samples k with start ≤ k/rate < end, as far
// as the format lets them be told apart:
//
//   - WAV as WAV and FLAC as FLAC, exact to the sample.
//   - AAC, MP3, Opus, AC-3 and ALAC as MP4 (.m4a) with the packets of the
//     source, not encoded again. An edit list hides the packets before the
//     start that a decoder needs.
//   - Vorbis, Speex and whatever else MP4 does not take as FLAC, exact to the
//     sample of what the decoder gives.
//
// [citekit.ModeStrict] hides nothing: what is not FLAC or WAV is decoded and
// stored as FLAC. [citekit.ModeCopy] starts at the packet that holds the
// start and reports the range it got; Vorbis stays Vorbis, in Matroska.
//
// Every sound track of a source with several is kept. Covers, chapters and
// tags, which describe the whole, are not.
//
// # Structure
//
// The nodes of a map are the chapters of the source: those of QuickTime and Nero
// in M4A and M4B, of ID3 in MP3, of comments in Ogg and FLAC, of cues in WAV, of
// Matroska, or those in the JSON of a podcast beside it. Its words are those of
// text subtitles, or else of subtitles or a transcript beside it, as talk.srt,
// talk.en.vtt or talk.json beside talk.mp3: the plainest name first, and then one
// in the language of the sound. They are gathered into segments, which lie under
// the chapters. Where there is neither, the nodes are the parts between silences:
// a second or more, or in a part longer than a minute 0.4, below -45 dB of full
// scale; else even parts. Chapters and words are read without ffmpeg, but how long
// anything other than MP4, QuickTime and WAV is has to be asked of ffprobe.
//
// # Time
//
// t=0 is where a player starts: after the encoder delay that is not heard,
// and at the first time stamp of a container whose times begin later. In MP4
// the edit list alone says what is not heard. A file that has none counts from
// its first packet, even if it has an iTunSMPB tag: players that read that tag
// skip what it says, often some hundredths of a second, and are that much
// ahead.
package audio

import (
	"context"
	"iter"
	"sync"

	"github.com/citekit/citekit"
	engine "github.com/citekit/citekit/internal/media"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/preview"
)

// A Resolver extracts time ranges of sound. The zero value is ready to use.
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
// of sound, whatever the header says.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	return r.ready().Measure(ctx, src)
}

// Map implements [citekit.Mapper]. The nodes are the chapters that the source,
// or a file of chapters beside it, has; within them, or instead of them, its
// words gathered into segments: those of its own text subtitles, or else of
// subtitles or a transcript beside it. Without either they are the parts
// between silences, if ffmpeg finds any in time, or else even parts. Where it did
// not look, the key unscanned of the metadata says why: "out of time" (see
// ScanTime), "no ffmpeg", "unsupported by ffmpeg", "damaged" or "turned off".
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

// Preview implements [preview.Previewer] with the waveform of the time. What is
// not WAV needs ffmpeg.
func (r *Resolver) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	return r.ready().Preview(ctx, src, loc, opts)
}

// Programs implements stats.ProgramUser with ffmpeg and ffprobe.
func (r *Resolver) Programs(ctx context.Context) (found map[string]string, missing []string) {
	return r.ready().Tools.Programs(ctx)
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "audio/1" }

func (r *Resolver) ready() *engine.Engine {
	r.once.Do(func() { r.engine.Configure(citekit.Audio, r.Options) })
	return &r.engine
}
