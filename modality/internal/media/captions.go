package media

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/matroska"
	"github.com/citekit/citekit/modality/internal/media/mp4"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// captions are the subtitles of a source that go into its clips. They are
// cached, because finding those that begin long before a clip takes a pass
// through the whole source.
type captions []mp4.Captions

// within returns the tracks with cues in a span, with only those cues.
func (c captions) within(span citekit.Span) []mp4.Captions {
	var tracks []mp4.Captions
	for _, t := range c {
		if t = t.Within(span.Start, span.End); len(t.Cues) > 0 {
			tracks = append(tracks, t)
		}
	}
	return tracks
}

// wordsOf returns the function that reads the words of a block, by the codec of
// its track; nil if the track is not text.
func wordsOf(codec string) func([]byte) string {
	switch codec {
	case "S_TEXT/UTF8", "S_TEXT/ASCII":
		return func(b []byte) string { return subtitle.SRT.Words(charset.UTF8(b)) }
	case "S_TEXT/WEBVTT":
		return func(b []byte) string { return subtitle.VTT.Words(charset.UTF8(b)) }
	case "D_WEBVTT/SUBTITLES", "D_WEBVTT/CAPTIONS":
		return func(b []byte) string { return subtitle.VTT.Words(webMText(b)) }
	case "S_TEXT/ASS", "S_TEXT/SSA", "S_ASS", "S_SSA":
		return func(b []byte) string { return subtitle.ASS.Words(eventText(charset.UTF8(b))) }
	}
	return nil
}

// eventText returns the last field of an ASS event. The event lacks its times
// and begins with its number in the file.
func eventText(event string) string {
	const fields = 9
	parts := strings.SplitN(event, ",", fields)
	if len(parts) < fields {
		return ""
	}
	return parts[fields-1]
}

// textTracks returns the text subtitle tracks of a Matroska file. all is false
// if one of them cannot be read.
func textTracks(f *matroska.File) (tracks []matroska.Track, all bool) {
	all = true
	for _, t := range f.Tracks {
		if t.Type == matroska.Subtitle && wordsOf(t.Codec) != nil {
			tracks = append(tracks, t)
			all = all && t.Readable()
		}
	}
	return tracks, all
}

// readCaptions reads the subtitles of a Matroska source.
func (e *Engine) readCaptions(ctx context.Context, src *citekit.Source, origin float64) (captions, error) {
	return e.captioned.Get(ctx, keyOf(src), func(ctx context.Context) (captions, int64, error) {
		f, err := matroska.Open(src, src.Size())
		if err != nil {
			return nil, 0, err
		}
		var all captions
		cost := int64(1 << 10)
		tracks, _ := textTracks(f)
		for _, t := range tracks {
			blocks, err := f.Blocks(ctx, src, src.Size(), t)
			if err != nil {
				return nil, 0, err
			}
			c := mp4.Captions{Language: t.Language, Name: t.Name}
			words := wordsOf(t.Codec)
			for i, b := range blocks {
				text := words(b.Data)
				if text == "" {
					continue
				}
				start, end := blockTimes(blocks, i, origin)
				c.Cues = append(c.Cues, mp4.Cue{Start: start, End: end, Text: text})
				cost += int64(len(text)) + 80
			}
			all = append(all, c)
		}
		return all, cost, nil
	})
}

// ownCaptions reports whether this package reads the subtitles of a source that
// ffmpeg reads. The MP4 text tracks that ffmpeg writes lose a cue when the next
// begins, and it misses cues that begin before it starts to read.
func (e *Engine) ownCaptions(src *citekit.Source, format Format, info *ffmpeg.Info) (bool, error) {
	if format.demuxer != "matroska" || e.Modality != citekit.Video {
		return false, nil
	}
	f, err := matroska.Open(src, src.Size())
	if err != nil {
		return false, err
	}
	known := 0
	for _, s := range info.Streams {
		if s.Kind == "subtitle" && textSubtitles[s.Codec] {
			known++
		}
	}
	tracks, all := textTracks(f)
	return all && len(tracks) >= known && known > 0, nil
}

// subRip writes captions as a file whose time 0 is the time origin of the
// source. Fractions have three digits, because ffmpeg reads all digits as
// milliseconds.
func subRip(c mp4.Captions, origin float64) string {
	f := newSRT()
	for _, cue := range c.Cues {
		start, end := max(cue.Start-origin, 0), min(cue.End-origin, maxClock)
		f.line(f.b, milliseconds(start), milliseconds(max(end, start+0.001)), cue.Text)
	}
	return f.b.String()
}

func milliseconds(seconds float64) string {
	ms := int64(math.Round(seconds * 1e3))
	return fmt.Sprintf("%02d:%02d:%02d,%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// captionSpan is the span in which a clip may show subtitles. In mode Copy it
// begins earlier, at the key frame at which the clip begins.
func captionSpan(index *mp4.Movie, span citekit.Span, mode citekit.Mode) citekit.Span {
	if mode == citekit.ModeCopy {
		if sync, ok := index.SyncBefore(span.Start); ok {
			span.Start = math.Min(span.Start, sync)
		}
	}
	return span
}
