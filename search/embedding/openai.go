package embedding

import (
	"context"
	"fmt"

	"github.com/citekit/citekit/search"
)

// OpenAI embeds texts with any server that has the embeddings API of OpenAI:
// OpenAI itself, vLLM, LM Studio, Text Embeddings Inference and others. It is
// safe for concurrent use.
type OpenAI struct{ *server }

var _ search.Embedder = (*OpenAI)(nil)

// NewOpenAI returns an embedder. It makes no request. The usual base URL is
// https://api.openai.com/v1. The error matches [citekit.ErrSyntax] if a value
// is invalid.
func NewOpenAI(opts *Options) (*OpenAI, error) {
	s, err := newServer(opts, "https://api.openai.com/v1")
	if err == nil && s.options.Model == "" {
		err = errNoModel
	}
	if err != nil {
		return nil, err
	}
	return &OpenAI{s}, nil
}

// Name implements [search.Embedder].
func (o *OpenAI) Name() string { return o.name("openai") }

// Dimensions implements [search.Embedder].
func (o *OpenAI) Dimensions() int { return o.options.Dimensions }

// Embed implements [search.Embedder].
func (o *OpenAI) Embed(ctx context.Context, kind search.TextKind, texts []string) ([][]float32, error) {
	request := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{o.options.Model, o.prefixed(kind, texts), "float", o.options.Dimensions}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := o.post(ctx, "/embeddings", request, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, fmt.Errorf("the server returned a vector for text %d of %d, or two for one text", d.Index+1, len(texts))
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, countVectors(vectors, len(texts))
}

// countVectors returns an error unless each text has a vector.
func countVectors(vectors [][]float32, texts int) error {
	have := 0
	for _, v := range vectors {
		if len(v) > 0 {
			have++
		}
	}
	if have != texts || len(vectors) != texts {
		return fmt.Errorf("the server returned %d vectors for %d texts", have, texts)
	}
	return nil
}
