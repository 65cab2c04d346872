package media

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/internal/media/id3"
	"github.com/citekit/citekit/modality/internal/media/matroska"
	"github.com/citekit/citekit/modality/internal/media/mp4"
	"github.com/citekit/citekit/modality/internal/media/vorbis"
	"github.com/citekit/citekit/modality/internal/media/wav"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// A script is the text in a container. Times are on the timeline of the source.
type script struct {
	title, artist, date string
	album, genre        string
	keywords            string // separated by commas or semicolons
	language            string // of the sound; "" if unknown
	chapters            []chapter
	tracks              []textTrack // best first
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
		return id3Script(src)
	case "flac":
		return flacScript(src)
	case "ogg":
		comments, err := vorbis.Ogg(src, src.Size())
		if err != nil {
			return nil, err
		}
		return commentScript(comments), nil
	case "wav":
		return wavScript(src)
	}
	return &script{}, nil
}

func movieScript(src *citekit.Source) (*script, error) {
	w, err := mp4.ReadWords(src, src.Size())
	if err != nil {
		if err = movieError(err); citekit.CodeOf(err) == citekit.CodeInternal {
			return nil, err
		}
		return &script{}, nil
	}
	s := &script{title: w.Title, artist: w.Artist, date: w.Date, album: w.Album, genre: w.Genre, keywords: w.Keywords}
	for _, c := range w.Chapters {
		s.chapters = append(s.chapters, chapter{start: c.Start, end: c.End, title: c.Title})
	}
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
	s := &script{title: f.Tags["TITLE"], artist: f.Tags["ARTIST"], date: firstOf(f.Tags, "DATE", "DATE_RELEASED", "DATE_RECORDED", "DATE_RELEASE")}
	s.album, s.genre, s.keywords = f.Tags["ALBUM"], f.Tags["GENRE"], f.Tags["KEYWORDS"]
	s.chapters = matroskaChapters(f.Chapters, origin)
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

// matroskaChapters puts chapters on a timeline that begins at origin. Chapters
// that end before it are left out.
func matroskaChapters(found []matroska.Chapter, origin float64) []chapter {
	var chapters []chapter
	for _, c := range found {
		converted := chapter{start: max(float64(c.Start)/1e9-origin, 0), title: c.Title, children: matroskaChapters(c.Children, origin)}
		if c.End > c.Start {
			if converted.end = float64(c.End)/1e9 - origin; converted.end <= 0 {
				continue
			}
		}
		chapters = append(chapters, converted)
	}
	return chapters
}

func id3Script(src *citekit.Source) (*script, error) {
	tag, err := id3.Read(src, src.Size())
	if err != nil {
		return nil, err
	}
	s := &script{title: tag.Title, artist: tag.Artist, date: tag.Date, album: tag.Album, genre: tag.Genre, chapters: id3Chapters(tag.Chapters)}
	if len(s.chapters) == 0 {
		s.chapters = trackChapters(vorbis.Sheet(tag.CueSheet))
	}
	return s, nil
}

func id3Chapters(found []id3.Chapter) []chapter {
	var chapters []chapter
	for _, c := range found {
		converted := chapter{start: float64(c.Start) / 1000, end: float64(c.End) / 1000, title: c.Title, children: id3Chapters(c.Children)}
		if c.End == math.MaxUint32 { // some programs write this for an unknown end
			converted.end = 0
		}
		chapters = append(chapters, converted)
	}
	return chapters
}

// flacScript reads the comments of a FLAC file. An ID3 tag may precede it,
// although the format does not allow that.
func flacScript(src *citekit.Source) (*script, error) {
	offset, err := sniff.SkipTags(src, src.Size())
	if err != nil {
		return nil, err
	}
	comments, err := vorbis.FLAC(src, src.Size(), offset)
	if err != nil {
		return nil, err
	}
	s := commentScript(comments)
	if offset == 0 || len(s.chapters) > 0 {
		return s, nil
	}
	tag, err := id3Script(src)
	if err != nil || s.title == "" {
		return tag, err
	}
	s.chapters = tag.chapters
	return s, nil
}

func commentScript(c *vorbis.Comments) *script {
	s := &script{
		title: c.Tags["TITLE"], artist: c.Tags["ARTIST"], date: c.Tags["DATE"],
		album: c.Tags["ALBUM"], genre: c.Tags["GENRE"], keywords: c.Tags["KEYWORDS"],
	}
	for _, found := range c.Chapters {
		s.chapters = append(s.chapters, chapter{start: float64(found.Start) / 1000, title: found.Title})
	}
	if len(s.chapters) == 0 {
		s.chapters = trackChapters(c.Tracks)
	}
	return s
}

// trackChapters makes chapters of the tracks of a cue sheet.
func trackChapters(tracks []vorbis.Track) []chapter {
	var chapters []chapter
	for _, t := range tracks {
		chapters = append(chapters, chapter{start: t.Start, end: t.End, title: t.Title})
	}
	return chapters
}

func wavScript(src *citekit.Source) (*script, error) {
	notes, err := wav.ReadNotes(src, src.Size())
	if err != nil {
		return nil, err
	}
	s := &script{
		title: notes.Title, artist: notes.Artist, date: notes.Date,
		album: notes.Album, genre: notes.Genre, keywords: notes.Keywords,
	}
	for _, c := range notes.Cues {
		found := chapter{start: c.Start, title: c.Label}
		if c.Length > 0 {
			found.end = c.Start + c.Length
		}
		s.chapters = append(s.chapters, found)
	}
	return s, nil
}

func firstOf(tags map[string]string, names ...string) string {
	for _, name := range names {
		if tags[name] != "" {
			return tags[name]
		}
	}
	return ""
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
