package media

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

const (
	maxTitle   = 300 // bytes
	maxSummary = 300
)

// Map implements [citekit.Mapper]. The nodes are the chapters of the source
// and, within them, the spoken words grouped into segments. If one of the two
// is missing, the nodes are the other. If both are, they are scenes, or the
// parts between silences, or else parts of equal length.
func (e *Engine) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if req.Modality != e.Modality {
		return nil, fmt.Errorf("%s map of %s source: %w", message.Article(req.Modality), message.Article(e.Modality), errors.ErrUnsupported)
	}
	m, err := e.survey(ctx, src)
	if err != nil {
		return nil, err
	}
	keepNotes(ctx, src, m)
	s, err := e.script(ctx, src, m)
	if err != nil {
		return nil, err
	}
	structure := &citekit.Draft{Title: plainTitle(s.Title), Metadata: describe(m)}
	if short, ok := m.(*movie); ok && short.index.Short() {
		structure.Metadata["incomplete"] = []any{"source"} // the file was cut short
	}
	note(structure.Metadata, "artist", plainTitle(s.Artist))
	note(structure.Metadata, "date", plainTitle(s.Date))
	note(structure.Metadata, "album", plainTitle(s.Album))
	note(structure.Metadata, "genre", plainTitle(s.Genre))
	var facts about.Facts
	facts.AddKeywordList(s.Keywords)
	facts.Note(structure.Metadata)
	if err := e.mapScript(ctx, s, src, req, structure, m.extent().Duration); err != nil {
		return nil, err
	}
	if len(structure.Nodes) == 0 {
		if err := e.mapContent(ctx, src, m, structure, req.Progress); err != nil {
			return nil, err
		}
	}
	if err := e.settle(ctx, src, m, structure); err != nil {
		return nil, err
	}
	return structure, nil
}

// mapScript makes nodes of the chapters and words in the source and its
// companions.
func (e *Engine) mapScript(ctx context.Context, s *script, src *citekit.Source, req citekit.MapRequest, structure *citekit.Draft, duration float64) error {
	beside := companions{source: src.Name(), language: s.language, files: req.Companions}
	nodes := chapterNodes(s.Chapters, e.Modality, citekit.Span{End: duration})
	if len(nodes) == 0 {
		chapters, name, err := beside.chapters(ctx)
		if err != nil {
			return err
		}
		if nodes = chapterNodes(chapters, e.Modality, citekit.Span{End: duration}); len(nodes) > 0 {
			structure.Metadata["chapters"] = name
		}
	}
	words, err := e.embedded(ctx, src, s)
	if err != nil {
		return err
	}
	if len(words.cues) == 0 {
		words, err = beside.words(ctx)
		if err != nil {
			return err
		}
	}
	structure.Method = "chapters"
	if len(nodes) == 0 {
		structure.Method = "transcript"
	}
	if nodes, used := addSegments(nodes, words.cues, e.Modality, duration); used {
		structure.Nodes, structure.Transcript = nodes, words.name
		note(structure.Metadata, "language", words.language)
	} else {
		structure.Nodes = nodes
	}
	return nil
}

// note sets a metadata value unless it is empty.
func note(metadata map[string]any, key, value string) {
	if value != "" {
		metadata[key] = value
	}
}

// plainTitle returns a text as a title.
func plainTitle(s string) string { return sentence.Lead(s, maxTitle) }

// plainLine returns a whole text on one line.
func plainLine(s string) string { return plain.Line(s) }

// words is the spoken text of a source.
type words struct {
	cues     []subtitle.Cue // by time, in seconds on the timeline of the source
	language string         // "" if unknown
	name     string         // of the companion that has them; "" for the source itself
}

// describe returns the map metadata of a medium.
func describe(m medium) map[string]any {
	extent := m.extent()
	d := map[string]any{"duration": extent.Duration}
	if extent.Width > 0 && extent.Height > 0 {
		d["width"], d["height"] = extent.Width, extent.Height
	}
	picture, sound, rate := m.codecs()
	note(d, "video_codec", picture)
	note(d, "audio_codec", sound)
	if rate > 0 && !math.IsInf(rate, 0) {
		d["frame_rate"] = math.Round(rate*1000) / 1000
	}
	return d
}
