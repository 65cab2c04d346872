package media

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/internal/media/id3"
	"github.com/citekit/citekit/modality/internal/media/matroska"
	"github.com/citekit/citekit/modality/internal/media/metadata"
	"github.com/citekit/citekit/modality/internal/media/mp4"
	"github.com/citekit/citekit/modality/internal/media/vorbis"
	"github.com/citekit/citekit/modality/internal/media/wav"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// A script is the text in a container. Times are on the timeline of the source.
type script struct {
	metadata.Tags
	language string      // of the sound; "" if unknown
	tracks   []textTrack // best first
}

// A textTrack is a text subtitle track.
type textTrack struct {
	language string
	forced   bool // only for viewers who understand the sound, such as translated signs
	cues     func(ctx context.Context) ([]subtitle.Cue, error)
}

// script reads the words of a container, except the subtitles. Damaged parts
// are ignored.
func (e *Engine) script(ctx context.Context, src *citekit.Source, m medium) (*script, error) {
	format, err := e.sniff(src)
	if err != nil {
		return nil, err
	}
	switch format.demuxer {
	case "mov":
		return movieScript(src)
	case "matroska":
		return matroskaScript(ctx, src, m)
	case "mp3", "aac":
		return scriptOf(id3.Read(src, src.Size()))
	case "flac":
		return scriptOf(flacTags(src))
	case "ogg":
		return scriptOf(vorbis.Ogg(src, src.Size()))
	case "wav":
		return scriptOf(wav.ReadTags(src, src.Size()))
	}
	return &script{}, nil
}

func scriptOf(tags metadata.Tags, err error) (*script, error) {
	if err != nil {
		return nil, err
	}
	return &script{Tags: tags}, nil
}

func movieScript(src *citekit.Source) (*script, error) {
	w, err := mp4.ReadWords(src, src.Size())
	if err != nil {
		if err = movieError(err); citekit.CodeOf(err) == message.CodeInternal {
			return nil, err
		}
		return &script{}, nil
	}
	s := &script{Tags: w.Tags}
	for _, t := range w.Subtitles {
		s.tracks = append(s.tracks, textTrack{language: t.Language, cues: func(ctx context.Context) ([]subtitle.Cue, error) {
			return movieCues(ctx, src, t)
		}})
	}
	s.prefer(w.Language)
	return s, nil
}

func movieCues(ctx context.Context, src *citekit.Source, t *mp4.TextTrack) ([]subtitle.Cue, error) {
	found, err := t.Cues(ctx, src)
	if err != nil {
		return nil, err
	}
	var f subtitleFile
	if t.WebVTT() {
		f = newVTT()
	}
	cues := make([]subtitle.Cue, 0, len(found))
	for _, c := range found {
		if t.WebVTT() {
			f.add(c.Start, c.End, c.Text)
		} else if text := plainLine(c.Text); text != "" {
			cues = append(cues, subtitle.Cue{Start: c.Start, End: c.End, Text: text})
		}
	}
	if t.WebVTT() {
		return f.cues()
	}
	return cues, nil
}

func matroskaScript(ctx context.Context, src *citekit.Source, m medium) (*script, error) {
	f, err := matroska.Open(src, src.Size())
	if err != nil {
		return nil, err
	}
	origin := 0.0
	if known, ok := m.(*foreign); ok {
		origin = known.origin
	}
	s := &script{Tags: metadata.Named(f.Tags)}
	s.Date = cmp.Or(s.Date, f.Tags["DATE_RELEASED"], f.Tags["DATE_RECORDED"], f.Tags["DATE_RELEASE"])
	s.Chapters = chaptersFrom(f.Chapters, origin)
	for _, t := range f.Tracks {
		kind := textOf(t.Codec)
		if t.Type != matroska.Subtitle || kind == nil {
			continue
		}
		s.tracks = append(s.tracks, textTrack{language: t.Language, forced: t.Forced, cues: func(ctx context.Context) ([]subtitle.Cue, error) {
			blocks, err := f.Blocks(ctx, src, src.Size(), t)
			if err != nil {
				return nil, err
			}
			return kind(blocks, origin)
		}})
	}
	s.prefer(f.Language())
	return s, ctx.Err()
}

// prefer records the language of the sound. It puts the tracks in that language
// first, and tracks without all words last.
func (s *script) prefer(language string) {
	s.language = language
	rank := func(t textTrack) (rank int) {
		if t.forced {
			rank += 2
		}
		if !sameLanguage(t.language, language) {
			rank++
		}
		return rank
	}
	slices.SortStableFunc(s.tracks, func(a, b textTrack) int { return cmp.Compare(rank(a), rank(b)) })
}

// chaptersFrom puts chapters on a timeline that begins at origin. Chapters
// that end before it are left out.
func chaptersFrom(found []metadata.Chapter, origin float64) []metadata.Chapter {
	var chapters []metadata.Chapter
	for _, c := range found {
		moved := metadata.Chapter{Start: max(c.Start-origin, 0), Title: c.Title, Children: chaptersFrom(c.Children, origin)}
		if c.End > c.Start {
			if moved.End = c.End - origin; moved.End <= 0 {
				continue
			}
		}
		chapters = append(chapters, moved)
	}
	return chapters
}

// flacTags reads the comments of a FLAC file. An ID3 tag may precede it,
// although the format does not allow that.
func flacTags(src *citekit.Source) (metadata.Tags, error) {
	offset, err := sniff.SkipTags(src, src.Size())
	if err != nil {
		return metadata.Tags{}, err
	}
	tags, err := vorbis.FLAC(src, src.Size(), offset)
	if err != nil || offset == 0 || len(tags.Chapters) > 0 {
		return tags, err
	}
	first, err := id3.Read(src, src.Size())
	if err != nil || tags.Title == "" {
		return first, err
	}
	tags.Chapters = first.Chapters
	return tags, nil
}

// maxTried bounds the tracks searched for words: each takes a pass through the
// whole source.
const maxTried = 8

// embedded returns the words of the best track that has any.
func (e *Engine) embedded(ctx context.Context, src *citekit.Source, s *script) (words, error) {
	return e.spoken.Get(ctx, keyOf(src), func(ctx context.Context) (words, int64, error) {
		for _, t := range s.tracks[:min(len(s.tracks), maxTried)] {
			cues, err := t.cues(ctx)
			if err != nil && !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, citekit.ErrTooLarge) {
				return words{}, 0, err
			}
			if len(cues) > 0 {
				w := words{cues: subtitle.ByTime(cues), language: plainTitle(t.language)}
				return w, w.cost(), nil
			}
		}
		return words{}, 1 << 10, nil
	})
}

// cost returns the approximate memory of w in bytes.
func (w words) cost() int64 {
	n := int64(1 << 10)
	for _, c := range w.cues {
		n += int64(len(c.Text)+len(c.Speaker)) + 80
	}
	return n
}
