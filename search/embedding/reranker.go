package embedding

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search"
)

// A Reranker uses a server with the endpoint /rerank, as Jina, Cohere, vLLM and
// Text Embeddings Inference have it. It is safe for concurrent use.
type Reranker struct{ *server }

var _ search.Reranker = (*Reranker)(nil)

// NewReranker returns a reranker. It makes no request. The base URL is
// required: "/rerank" is added to it. The error matches [citekit.ErrSyntax] if
// a value is invalid.
func NewReranker(opts *Options) (*Reranker, error) {
	if opts == nil || opts.BaseURL == "" {
		return nil, fmt.Errorf("no base URL; name the server of the reranker, such as https://api.jina.ai/v1: %w", citekit.ErrSyntax)
	}
	s, err := newServer(opts, "")
	if err != nil {
		return nil, err
	}
	return &Reranker{s}, nil
}

// A judgement is a score in the form that servers send.
type judgement struct {
	Index     int      `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// Rerank implements [search.Reranker].
func (r *Reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	request := map[string]any{"query": query}
	if r.options.Model != "" {
		request["model"] = r.options.Model
	}
	if r.options.Texts {
		request["texts"], request["truncate"] = texts, true
	} else {
		request["documents"], request["top_n"] = texts, len(texts)
	}
	var raw json.RawMessage
	if err := r.post(ctx, "/rerank", request, &raw); err != nil {
		return nil, err
	}
	var list []judgement // as Text Embeddings Inference sends it
	if json.Unmarshal(raw, &list) != nil {
		var answer struct {
			Results []judgement `json:"results"`
		}
		if json.Unmarshal(raw, &answer) != nil {
			return nil, fmt.Errorf("the server returned JSON that is not a list of scores")
		}
		list = answer.Results
	}
	return scoresOf(list, len(texts))
}

// scoresOf returns the scores in the order of the texts.
func scoresOf(list []judgement, texts int) ([]float64, error) {
	scores, seen := make([]float64, texts), make([]bool, texts)
	for _, j := range list {
		score := j.Relevance
		if score == nil {
			score = j.Score
		}
		if j.Index < 0 || j.Index >= texts || seen[j.Index] || score == nil {
			return nil, fmt.Errorf("the server returned text %d of %d, one text twice, or one without a score", j.Index+1, texts)
		}
		scores[j.Index], seen[j.Index] = *score, true
	}
	if len(list) != texts {
		return nil, fmt.Errorf("the server returned %d scores for %d texts", len(list), texts)
	}
	return scores, nil
}
