package search

import (
	"context"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// A reader reads the current texts of hits, for one search. It is not safe for
// concurrent use.
type reader struct {
	*Searcher
	mu   sync.Mutex
	held map[string]*heldLayer // by resource
}

// A heldLayer is one that was asked for.
type heldLayer struct {
	mu     sync.Mutex
	opened bool
	layer  *textlayer.Layer // nil for a resource without text
}

func (s *Searcher) newReader() *reader {
	return &reader{Searcher: s, held: make(map[string]*heldLayer)}
}

func (r *reader) close() {
	for _, h := range r.held {
		if h.layer != nil {
			h.layer.Close()
		}
	}
}

// text returns the text of a hit under its title. The error matches
// [citekit.ErrStale] if the text has changed since it was indexed.
func (r *reader) text(ctx context.Context, h *index.Hit) (string, error) {
	text, p, err := r.passage(ctx, h)
	if err == nil && p.of == "" {
		text = h.Entry.Summary
	}
	return titled(h.Entry.Title, text), err
}

// passage returns the text of a hit and its part, which are zero for a node without a
// passage. The error is like that of text.
func (r *reader) passage(ctx context.Context, h *index.Hit) (text string, p part, err error) {
	version, err := r.version(ctx, h.Resource)
	if err == nil && version != versionOf(h) {
		err = citekit.ErrStale
	}
	if err != nil {
		return "", p, err
	}
	p, ok := parsePart(h.Entry.Location)
	if !ok {
		return "", part{}, nil
	}
	layer, err := r.layer(ctx, h.Resource)
	if err != nil {
		return "", p, err
	}
	if layer == nil || p.of != lengthOf(layer) {
		return "", p, citekit.ErrStale
	}
	text, err = layer.Text(ctx, p.from, p.to)
	return text, p, err
}

// layer returns the text of a resource, or nil if it has none.
func (r *reader) layer(ctx context.Context, id string) (*textlayer.Layer, error) {
	r.mu.Lock()
	h := r.held[id]
	if h == nil {
		h = new(heldLayer)
		r.held[id] = h
	}
	r.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.opened {
		return h.layer, nil
	}
	layer, err := r.layers.Open(ctx, id)
	if textlayer.HasNoText(err) {
		layer, err = nil, nil
	}
	if err == nil {
		h.layer, h.opened = layer, true
	}
	return layer, err
}

// titled returns a text under its title, unless the text already begins with
// it.
func titled(title, text string) string {
	if title == "" || strings.Contains(text[:min(len(text), len(title)+16)], title) {
		return text
	}
	return title + "\n" + text
}
