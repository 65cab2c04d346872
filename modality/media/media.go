// Package media resolves time ranges of recordings: of videos, and of sound. The content
// decides the format; the name of the file does not matter.
//
// # Videos
//
// This package itself cuts MP4 and QuickTime. Matroska, WebM, AVI, MPEG
// transport streams, Ogg and fragmented MP4 need ffmpeg, version 5.1 or later.
//
// A range [start, end) shows the frames whose time t has start ≤ t < end, with
// the sound in step, text subtitles and rotation. The result is MP4, or
// QuickTime if the source is QuickTime or has tracks that only QuickTime
// supports.
//
//   - By default, and for the codecs that MP4 supports (H.264, HEVC, VP9, AV1,
//     MPEG-4, MPEG-2), the frames are those of the source, without encoding
//     again. An edit list hides the frames before the start that a decoder
//     needs, at most one group of pictures.
//   - Other codecs, such as VP8 and Theora, are encoded to H.264 with almost no
//     loss; sound that MP4 does not support, such as Vorbis, is encoded to FLAC
//     without loss.
//   - [citekit.ModeStrict] encodes the whole range, so that the file has no
//     hidden frames.
//   - [citekit.ModeCopy] never encodes. It starts at the key frame at or before
//     the start and reports the actual range. If neither MP4 nor QuickTime
//     supports a codec, the result is Matroska.
//
// Bitmap subtitles, as on discs, are left out. Chapters and tags are left out
// too, because they describe the whole.
//
// The nodes of a map are the chapters of the source: those of QuickTime, Nero
// and Matroska, or those in the JSON of a podcast beside the source. The words
// of the source come from its text subtitles (tx3g and WebVTT in MP4; SubRip,
// ASS and WebVTT in Matroska), or else from subtitles or a transcript beside
// the source, such as talk.srt, talk.en.vtt or talk.json beside talk.mp4: of
// several such files, the one with the fewest dots in its name (talk.srt) is
// used, and among those with as many, one in the language of the sound
// (talk.en.srt). The words are gathered into segments, which stand below the
// chapters. Without chapters and words, the nodes are scenes, or else even
// parts. A scene begins where a frame, or in large videos a key frame, differs
// enough from the one before. Chapters and words are read without ffmpeg, but
// the duration of other formats than MP4 and QuickTime needs ffprobe.
//
// t=0 is where a player starts: the start of the movie in MP4 and QuickTime,
// and in other formats the first time stamp of sound or picture, even if the
// container counts from another number, as transport streams do.
//
// # Sound, and the sound of videos
//
// This package itself cuts MP4, M4A, QuickTime and WAV. MP3, FLAC, Ogg, Opus,
// AAC and the sound of Matroska, WebM, AVI and MPEG transport streams need
// ffmpeg, version 5.1 or later.
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
// t=0 is where a player starts: after the inaudible encoder delay, and at the
// first time stamp of a container whose times begin later. In MP4, only the
// edit list defines the inaudible part. In a file without an edit list, times
// count from its first packet, even if it has an iTunSMPB tag: players that
// read the tag skip the part that it gives, often some hundredths of a second,
// so their times are smaller than those of citekit by that much.
package media

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"github.com/citekit/citekit"
	engine "github.com/citekit/citekit/modality/internal/media"
	"github.com/citekit/citekit/modality/internal/media/speech"
	"github.com/citekit/citekit/preview"
)

// Options configure how recordings are read: the paths of ffmpeg and ffprobe
// (FFmpeg, FFprobe), and limits on the number of child processes (MaxChildren,
// Children), their memory (MaxMemory), time (Timeout) and output (MaxOutput), on the
// headers that are kept (CacheBytes) and on the search for scenes and silences (ScanTime).
// The zero value is ready to use.
type Options = engine.Options

// A Resolver extracts time ranges of videos, or of sound. The zero value is ready to
// use, for videos. Set the fields before use; it must not be copied after first use.
//
//	options := media.Options{FFmpeg: "/opt/bin/ffmpeg"}
//	resolvers[citekit.Video] = &media.Resolver{Options: options}
//	resolvers[citekit.Audio] = &media.Resolver{Modality: citekit.Audio, Options: options}
type Resolver struct {
	// Modality is citekit.Video or citekit.Audio; "" means citekit.Video.
	Modality citekit.Modality

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
// sound, and of a video of picture, even if the header gives another.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	return r.ready().Measure(ctx, src)
}

// Map implements [citekit.Mapper]. The nodes are the chapters of the source, or
// of a file of chapters beside it. Within them, or instead of them, are its
// words, gathered into segments. The words come from its own text subtitles, or
// else from subtitles or a transcript beside it. Without chapters and words,
// the nodes are the scenes of a video, or the parts of a sound between silences, if
// ffmpeg finds any, or else even parts. If ffmpeg did not search for them, the key
// unscanned of the metadata gives the reason: "too large", "out of time" (see
// ScanTime), "no ffmpeg", "unsupported by ffmpeg", "damaged" or "turned off". The
// error matches
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

// Transcribe writes down what is said in a recording, as package ingest keeps it. It has
// recognise write down a piece of at most ten minutes at a time, a WAV file of 16 bits,
// 16 kHz and one channel, as SubRip, WebVTT, or the JSON of whisper, whisper.cpp, vosk or
// pocketsphinx. Keep is called with what is done after each piece, and first with nil for
// what it kept last, where Transcribe goes on. Progress, which may be nil, gets the
// seconds and the pieces that are done, of all. It needs ffmpeg.
//
// Errors are those of recognise and of Resolve. Output that cannot be read, or none of
// whose times is in the piece, matches [citekit.ErrFormat].
func (r *Resolver) Transcribe(ctx context.Context, src *citekit.Source, recognise func(ctx context.Context, wav string) ([]byte, error), keep func(ctx context.Context, state []byte) ([]byte, error), progress func(done, of float64, pieces, ofPieces int)) ([]byte, error) {
	return r.ready().Transcribe(ctx, src, speech.Job{Recognise: recognise, Keep: keep, Progress: progress})
}

// Preview implements [preview.Previewer] with the waveform of a time range of
// sound, which needs ffmpeg for other formats than WAV, or with a sheet of up to 12
// frames of a video, each with its time. In more than a few seconds, they are the
// first frame and the key frames before evenly spaced times. If there are few
// key frames, they are the frames that can be decoded in the time allowed for
// cutting. The sheet needs ffmpeg.
func (r *Resolver) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	return r.ready().Preview(ctx, src, loc, opts)
}

// Programs implements stats.ProgramUser with ffmpeg and ffprobe.
func (r *Resolver) Programs(ctx context.Context) (found map[string]string, missing []string) {
	return r.ready().Tools.Programs(ctx)
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string {
	if r.Modality == citekit.Audio {
		return "audio/2"
	}
	return "video/3"
}

func (r *Resolver) ready() *engine.Engine {
	r.once.Do(func() { r.engine.Configure(cmp.Or(r.Modality, citekit.Video), r.Options) })
	return &r.engine
}
