package sage

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/corpus/internal/topics"
	"github.com/citekit/citekit/search"
)

// A hits value is the answer of sage_search.
type hits struct {
	Results     []hit  `json:"results"`
	Total       int    `json:"total"`
	QueryTimeMS int64  `json:"query_time_ms"`
	Hint        string `json:"hint,omitempty"`
	Complete    *bool  `json:"complete,omitempty"` // false, or left out
}

// A hit is one result. Its score is from 0 to 1, that of the best.
type hit struct {
	Path    string          `json:"path"`
	Title   string          `json:"title"`
	Snippet string          `json:"snippet"`
	Score   float64         `json:"score"`
	Address citekit.Address `json:"address"`
}

func (b *base) search(ctx context.Context, l level, args arguments) (any, error) {
	if args.Limit < 1 {
		return nil, invalid("argument 'limit' is %d; it must be at least 1", args.Limit)
	}
	start := time.Now()
	found, err := b.find(ctx, l, args.Query, args.Layer, args.Limit)
	if err != nil {
		return nil, err
	}
	found.QueryTimeMS = time.Since(start).Milliseconds()
	return found, nil
}

// find returns the best results in a layer, at most [search.MaxTopK].
func (b *base) find(ctx context.Context, l level, query, layer string, most int) (*hits, error) {
	req := search.Request{Query: query, TopK: min(most, search.MaxTopK), NoHighlights: true}
	if layer != everything {
		req.Filters.Path = "**/" + layer + "/**"
	}
	found, err := b.Searcher.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	h := &hits{Results: []hit{}, Total: found.Total, Hint: found.Hint, Complete: l.complete(found.Complete)}
	for _, r := range found.Results {
		h.Results = append(h.Results, hit{
			Path: b.pathOf(ctx, r.ResourceID), Title: r.Title, Snippet: r.Snippet, Address: r.Address,
			Score: math.Round(1000*min(1, max(0, r.Score/max(found.Results[0].Score, math.SmallestNonzeroFloat64)))) / 1000,
		})
	}
	return h, nil
}

// pathOf returns the path of the source of a resource, as callers see it, or "".
func (b *base) pathOf(ctx context.Context, id string) string {
	m, err := b.Library.Map(ctx, id)
	if err != nil {
		return ""
	}
	return topics.ShownPath(m.SourcePath)
}

// A gathered value is the answer of sage_get_context. Each section is a topic of
// sage_get_knowledge.
type gathered struct {
	Context    string   `json:"context"`
	Sections   []string `json:"sections"`
	Tokens     int      `json:"token_count"`
	LoadTimeMS int64    `json:"load_time_ms"`
	Hint       string   `json:"hint,omitempty"`
	Complete   *bool    `json:"complete,omitempty"` // false, or left out
}

// wanted says in words what matters for a type of task.
var wanted = map[string]string{
	"coding":      "coding style, principles, guidelines and patterns",
	"debugging":   "debugging, errors, logs, tests and causes",
	"reviewing":   "reviewing code: quality, style, guidelines and checks",
	"planning":    "planning: design, architecture, decisions and frameworks",
	"documenting": "documenting: documentation, comments, style and structure",
}

func (b *base) getContext(ctx context.Context, l level, args arguments) (any, error) {
	if args.TokenBudget < contents.MinTokens {
		return nil, invalid("argument 'token_budget' is %d; it must be at least %d", args.TokenBudget, contents.MinTokens)
	}
	start := time.Now()
	written, err := b.Briefing.Write(ctx, contents.BriefingRequest{
		Task: args.Language + " " + wanted[args.TaskType], Tokens: min(args.TokenBudget, contents.MaxBriefingTokens),
	})
	if err != nil {
		return nil, err
	}
	g := &gathered{Context: written.Content, Sections: []string{}, Tokens: written.Tokens, Hint: written.Hint, Complete: l.complete(written.Complete)}
	for _, piece := range written.Pieces {
		name := path.Base(b.pathOf(ctx, piece.Address.Resource))
		if name = strings.TrimSuffix(name, path.Ext(name)); !slices.Contains(g.Sections, name) {
			g.Sections = append(g.Sections, name)
		}
	}
	g.LoadTimeMS = time.Since(start).Milliseconds()
	return g, nil
}

// info tells the state of the server: healthy, or degraded if a file cannot be read.
func (b *base) info(ctx context.Context, l level, _ arguments) (any, error) {
	all, err := b.stats.Collect(ctx)
	if err != nil {
		return nil, err
	}
	status := "healthy"
	if all.Counts.Unreadable+all.Counts.OutsideRoots+all.Counts.Vanished > 0 {
		status = "degraded"
	}
	rate, kept := b.topics.HitRate()
	state := map[string]any{
		"version": b.opts.Version, "status": status, "uptime_seconds": int64(all.Uptime),
		"knowledge_base": map[string]any{"content_files": all.Counts.Resources, "total_size_kb": (all.Sources + 1023) / 1024},
		"cache":          map[string]any{"enabled": kept, "hit_rate": math.Round(1000*rate) / 1000},
	}
	if l.complete(all.Complete) != nil {
		state["complete"] = false
	}
	return state, nil
}
