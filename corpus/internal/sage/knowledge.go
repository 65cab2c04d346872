package sage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/citekit/citekit/corpus/internal/topics"
	"github.com/citekit/citekit/internal/plain"
)

// A layer is a folder of the knowledge base, and what a URI calls a topic in it.
type layer struct{ name, about, argument string }

var layers = []layer{
	{"core", "Core principles and philosophy", "topic"},
	{"guidelines", "Coding and collaboration guidelines", "category"},
	{"frameworks", "Conceptual frameworks and patterns", "framework"},
	{"practices", "Best practices and engineering patterns", "category"},
}

// everything is the name of the layer that has all files, in whatever folder.
const everything = "all"

// layersThere lists the layers that have a file, a line each.
func (b *base) layersThere(ctx context.Context) string {
	var list strings.Builder
	for _, l := range layers {
		if b.topics.Has(ctx, l.name) {
			list.WriteString("- " + l.name + ": " + l.about + "\n")
		}
	}
	return list.String()
}

// A knowledge is the answer of sage_get_knowledge.
type knowledge struct {
	Content  string   `json:"content"`
	Metadata metadata `json:"metadata"`
	Complete *bool    `json:"complete,omitempty"` // false, or left out
}

type metadata struct {
	Layer      string        `json:"layer"`
	Files      int           `json:"files_loaded"`
	LoadTimeMS int64         `json:"load_time_ms"`
	FromCache  bool          `json:"from_cache"`
	Sources    []topics.Part `json:"sources"`              // of the content, in order
	NotLoaded  []unloaded    `json:"not_loaded,omitempty"` // the first of those that cannot be read
	Omitted    int           `json:"omitted,omitempty"`    // how many more there was no room or time for, at least
}

type unloaded struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// maxNotLoaded is how many files an answer names as not loaded.
const maxNotLoaded = 20

// getKnowledge returns the text of a layer or a topic, in at most [topics.MaxTokens].
func (b *base) getKnowledge(ctx context.Context, l level, args arguments) (any, error) {
	start := time.Now()
	s, err := b.topics.Select(ctx, strings.TrimPrefix(args.Layer, everything), args.Topic, l.inMemory())
	switch {
	case errors.Is(err, fs.ErrNotExist) && args.Topic == "" && args.Layer != everything:
		return nil, &fault{error: fmt.Errorf("there is no layer %s: no mapped file is in a folder of that name: %w", args.Layer, fs.ErrNotExist), fallback: b.layersThere(ctx)}
	case err != nil && (len(s.Parts) == 0 || !errors.Is(err, context.DeadlineExceeded)):
		return nil, err
	}
	k := &knowledge{Metadata: metadata{Layer: args.Layer, FromCache: true, Sources: []topics.Part{}}}
	var content, heads strings.Builder
	whole, room, late := err == nil && !s.More, topics.MaxTokens, l.inMemory() || err != nil
	for i, p := range s.Parts {
		head := "[" + p.Address.String() + "] " + plain.ShowLine(p.Path, 200) + "\n"
		heads.WriteString(head)
		text, cached, err := b.topics.Text(ctx, p, late)
		switch {
		case errors.Is(err, context.DeadlineExceeded): // others may be in memory
			whole, late, k.Metadata.Omitted = false, true, k.Metadata.Omitted+1
			continue
		case err != nil:
			if whole = false; len(k.Metadata.NotLoaded) < maxNotLoaded {
				k.Metadata.NotLoaded = append(k.Metadata.NotLoaded, unloaded{p.Path, topics.Reason(err)})
			}
			continue
		}
		shown := head + text.Text + "\n\n"
		fits := plain.FitTokens(shown, room)
		content.WriteString(shown[:fits])
		k.Metadata.Files, k.Metadata.Sources = k.Metadata.Files+1, append(k.Metadata.Sources, p)
		k.Metadata.FromCache = k.Metadata.FromCache && cached
		whole = whole && text.Whole && fits == len(shown)
		if room -= plain.CountTokens(shown); room <= 0 && i+1 < len(s.Parts) {
			whole, k.Metadata.Omitted = false, k.Metadata.Omitted+len(s.Parts)-i-1
			break
		}
	}
	if k.Metadata.Files == 0 && k.Metadata.Omitted > 0 {
		return nil, &fault{error: topics.ErrNotInMemory, fallback: heads.String()[:plain.FitTokens(heads.String(), topics.MaxTokens)]}
	}
	k.Content = strings.TrimSuffix(content.String(), "\n")
	k.Metadata.FromCache = k.Metadata.FromCache && k.Metadata.Files > 0
	if !whole {
		k.Complete = new(bool)
	}
	*l.late = late && k.Metadata.Omitted > 0
	k.Metadata.LoadTimeMS = time.Since(start).Milliseconds()
	return k, nil
}
