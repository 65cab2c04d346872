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
	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/subtitle"
)

const (
	maxCompanion  = 16 << 20 // bytes
	maxCompanions = 32       // that are opened
)

// companions are the files beside a source.
type companions struct {
	source   string // name of the source
	language string // of its sound; "" if it is not known
	files    []citekit.Companion
}

// extensions of the files that may hold words, best first.
var extensions = []string{".srt", ".vtt", ".ass", ".ssa", ".json"}

// candidates returns the files that may hold words, the one with the plainest
// name first, talk.srt before talk.en.srt, and of such files those in the
// language of the sound.
func (c companions) candidates(extensions []string) []citekit.Companion {
	found := slices.DeleteFunc(slices.Clone(c.files), func(f citekit.Companion) bool {
		return !slices.Contains(extensions, ext(f.Name))
	})
	slices.SortStableFunc(found, func(a, b citekit.Companion) int {
		return cmp.Or(
			cmp.Compare(strings.Count(a.Name, "."), strings.Count(b.Name, ".")),
			cmp.Compare(c.foreign(a.Name), c.foreign(b.Name)),
			cmp.Compare(slices.Index(extensions, ext(a.Name)), slices.Index(extensions, ext(b.Name))),
			strings.Compare(a.Name, b.Name),
		)
	})
	return found[:min(len(found), maxCompanions)]
}

func ext(name string) string { return strings.ToLower(filepath.Ext(name)) }

// words returns those of the first companion that has any.
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

// foreign returns 0 for a name in the language of the sound, and otherwise 1.
func (c companions) foreign(name string) int {
	if sameLanguage(c.tag(name), c.language) {
		return 0
	}
	return 1
}

// tag returns what a name says of the language, as talk.pt-BR.srt does.
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

// chapters returns those of the first companion that has any, and its name: in
// JSON, as podcasts have them (Podcast namespace, "JSON Chapters Format"), or
// with the names that yt-dlp gives them.
func (c companions) chapters(ctx context.Context) ([]chapter, string, error) {
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

// A podcastChapter is one in JSON, with the names of podcasts or of yt-dlp.
type podcastChapter struct {
	Start      *float64 `json:"startTime"`
	End        float64  `json:"endTime"`
	OtherStart *float64 `json:"start_time"`
	OtherEnd   float64  `json:"end_time"`
	Title      string   `json:"title"`
	Listed     *bool    `json:"toc"`
}

// podcastChapters reads one chapter after the other: a file of many that are
// empty would take much more memory than its size.
func podcastChapters(text []byte) []chapter {
	d := json.NewDecoder(bytes.NewReader(text))
	if !enter(d, "chapters") {
		return nil
	}
	var chapters []chapter
	for d.More() && len(chapters) < citekit.MaxMappedNodes {
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
		chapters = append(chapters, chapter{start: *c.Start, end: c.End, title: c.Title})
	}
	slices.SortStableFunc(chapters, func(a, b chapter) int { return cmp.Compare(a.start, b.start) })
	return chapters
}

// enter goes into the array that a JSON object has under a name. It reports
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

// readCompanion returns the content of a file in UTF-8. A file that cannot be
// read, or is too large, is taken for an empty one; the only error is that of
// ctx.
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

// readText returns the content of a source of text in UTF-8. The error of one
// that is too large matches [citekit.ErrTooLarge].
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
