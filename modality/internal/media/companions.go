package media

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/modality/internal/media/metadata"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

const (
	maxCompanion  = 16 << 20 // bytes
	maxCompanions = 32       // files opened
)

// companions are the files beside a source.
type companions struct {
	source   string // name of the source
	language string // of its sound; "" if unknown
	files    []citekit.Companion
}

// extensions are those of files that may hold words, best first.
var extensions = []string{".srt", ".vtt", ".ass", ".ssa", ".json", about.TranscriptExt}

// candidates returns the files that may hold words: plainest name first
// (talk.srt before talk.en.srt), then files in the language of the sound.
func (c companions) candidates(extensions []string) []citekit.Companion {
	found := slices.DeleteFunc(slices.Clone(c.files), func(f citekit.Companion) bool {
		return !slices.Contains(extensions, ext(f.Name))
	})
	machines := func(name string) int { return strings.Count(ext(name), about.TranscriptExt) } // after all that people wrote
	slices.SortStableFunc(found, func(a, b citekit.Companion) int {
		return cmp.Or(
			cmp.Compare(machines(a.Name), machines(b.Name)),
			cmp.Compare(strings.Count(a.Name, "."), strings.Count(b.Name, ".")),
			cmp.Compare(c.foreign(a.Name), c.foreign(b.Name)),
			cmp.Compare(slices.Index(extensions, ext(a.Name)), slices.Index(extensions, ext(b.Name))),
			strings.Compare(a.Name, b.Name),
		)
	})
	return found[:min(len(found), maxCompanions)]
}

func ext(name string) string { return strings.ToLower(filepath.Ext(name)) }

// words returns the words of the first companion that has any.
func (c companions) words(ctx context.Context) (words, error) {
	for _, f := range c.candidates(extensions) {
		text, err := readCompanion(ctx, f)
		if err != nil {
			return words{}, err
		}
		if !subtitle.IsSubtitle(f.Name, text[:min(len(text), 4<<10)]) {
			continue
		}
		if cues, err := subtitle.Parse(f.Name, text); err == nil {
			return words{cues: subtitle.ByTime(cues), language: c.tag(f.Name), name: f.Name}, nil
		}
	}
	return words{}, nil
}

// foreign returns 0 for a name in the language of the sound, else 1.
func (c companions) foreign(name string) int {
	if sameLanguage(c.tag(name), c.language) {
		return 0
	}
	return 1
}

// tag returns the language tag in a name such as talk.pt-BR.srt, or "".
func (c companions) tag(name string) string {
	stem := strings.TrimSuffix(c.source, filepath.Ext(c.source))
	tag, ok := strings.CutPrefix(strings.TrimSuffix(name, filepath.Ext(name)), stem+".")
	if !ok {
		return ""
	}
	tag, _, _ = strings.Cut(tag, ".")
	primary, _, _ := strings.Cut(tag, "-")
	if len(primary) < 2 || len(primary) > 3 || len(tag) > 12 || strings.Trim(strings.ToLower(tag), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return ""
	}
	return tag
}

// chapters returns the chapters of the first companion that has any, and its
// name. The companion is JSON in the format of podcasts (Podcast namespace,
// "JSON Chapters Format") or of yt-dlp.
func (c companions) chapters(ctx context.Context) ([]metadata.Chapter, string, error) {
	for _, f := range c.candidates([]string{".json"}) {
		text, err := readCompanion(ctx, f)
		if err != nil {
			return nil, "", err
		}
		if chapters := podcastChapters(text); len(chapters) > 0 {
			return chapters, f.Name, nil
		}
	}
	return nil, "", nil
}

// A podcastChapter is one JSON chapter, with the names of podcasts or of
// yt-dlp.
type podcastChapter struct {
	Start      *float64 `json:"startTime"`
	End        float64  `json:"endTime"`
	OtherStart *float64 `json:"start_time"`
	OtherEnd   float64  `json:"end_time"`
	Title      string   `json:"title"`
	Listed     *bool    `json:"toc"`
}

// podcastChapters reads one chapter at a time: a file of many empty ones would
// otherwise take much more memory than its size.
func podcastChapters(text []byte) []metadata.Chapter {
	d := json.NewDecoder(bytes.NewReader(text))
	if !enter(d, "chapters") {
		return nil
	}
	var chapters []metadata.Chapter
	for d.More() && len(chapters) < about.MaxMappedNodes {
		var c podcastChapter
		if d.Decode(&c) != nil {
			return nil
		}
		if c.Start == nil {
			c.Start, c.End = c.OtherStart, c.OtherEnd
		}
		if c.Start == nil || *c.Start < 0 || c.Listed != nil && !*c.Listed {
			continue
		}
		chapters = append(chapters, metadata.Chapter{Start: *c.Start, End: c.End, Title: c.Title})
	}
	slices.SortStableFunc(chapters, func(a, b metadata.Chapter) int { return cmp.Compare(a.Start, b.Start) })
	return chapters
}

// enter moves into the array that a JSON object has under a name, and reports
// whether there is one.
func enter(d *json.Decoder, name string) bool {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return false
		}
		if key == name {
			t, err := d.Token()
			return err == nil && t == json.Delim('[')
		}
		var other json.RawMessage
		if d.Decode(&other) != nil {
			return false
		}
	}
	return false
}

// readCompanion returns the content of a file as UTF-8. A file that cannot be
// read or is too large counts as empty. The only error is ctx.Err().
func readCompanion(ctx context.Context, f citekit.Companion) ([]byte, error) {
	src, err := f.Open(ctx)
	if err != nil {
		return nil, ctx.Err()
	}
	defer src.Close()
	text, err := readText(ctx, src)
	if err != nil {
		return nil, ctx.Err()
	}
	return text, nil
}

// readText returns the content of a text source as UTF-8. If the source is too
// large, the error matches [citekit.ErrTooLarge].
func readText(ctx context.Context, src *citekit.Source) ([]byte, error) {
	if src.Size() > maxCompanion {
		return nil, citekit.ErrTooLarge
	}
	b, err := io.ReadAll(ctxio.Reader(ctx, src.Reader()))
	if err != nil {
		return nil, err
	}
	return []byte(charset.Guess(b)), nil
}
