// Package embedding provides models for [search.Semantics]: embedders that use
// the API of OpenAI or of Ollama, static embeddings that need no server, and a
// reranker over HTTP.
//
//	embedder, err := embedding.NewOllama(&embedding.Options{Model: "nomic-embed-text"})
//	searcher := search.New(lib, &search.Options{
//		Semantics: &search.Semantics{Embedder: embedder},
//	})
//
// Nothing is downloaded. Errors contain no keys and no embedded texts: of an
// unsuccessful answer from a server, they give only the status.
package embedding

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/search"
)

// Options select the server and the model.
type Options struct {
	Model   string // required, except for a [Reranker] that needs none
	BaseURL string // "" means the usual one, if there is one

	Key    string // "" for servers that need none
	KeyEnv string // environment variable with the key if Key is empty; "" for none

	// Dimensions requests vectors with this many numbers, if the model can
	// shorten them; zero means the model's own size.
	Dimensions int

	// QueryPrefix and PassagePrefix are put before each embedded text, such as
	// "query: ", for models that need them.
	QueryPrefix, PassagePrefix string

	// Texts makes a [Reranker] send the documents as "texts", as Text
	// Embeddings Inference requires.
	Texts bool

	Timeout llm.Seconds  // of one request; zero means 5 minutes
	Retries int          // how often a request is tried again; zero means 3, negative means never
	Client  *http.Client // nil means a new one
}

// maxAnswer is the largest size of an answer, in bytes.
const maxAnswer = 64 << 20

// A server is a server that speaks JSON over HTTP.
type server struct {
	options  Options
	base     *url.URL
	endpoint llm.Endpoint
}

// newServer returns the server that opts describe. The error matches
// [citekit.ErrSyntax] if an option is invalid.
func newServer(opts *Options, usual string) (*server, error) {
	s := new(server)
	if opts != nil {
		s.options = *opts
	}
	o := &s.options
	if o.BaseURL == "" {
		o.BaseURL = usual
	}
	if o.Dimensions < 0 {
		return nil, fmt.Errorf("%d dimensions; give a number that is not negative: %w", o.Dimensions, citekit.ErrSyntax)
	}
	var err error
	if s.base, err = llm.BaseURL(o.BaseURL); err != nil {
		return nil, err
	}
	key, err := llm.FindKey(o.Key, o.KeyEnv)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	s.endpoint = llm.Endpoint{
		Client: o.Client, Key: key, Header: header, MaxBytes: maxAnswer,
		Timeout: o.Timeout.Duration(0), Retry: llm.NewRetry(o.Retries, 0),
	}
	return s, nil
}

var errNoModel = fmt.Errorf("no model; name one that the server has: %w", citekit.ErrSyntax)

// post sends a request, and decodes the answer into the value that into points
// to.
func (s *server) post(ctx context.Context, path string, request, into any) error {
	_, err := s.endpoint.Do(ctx, llm.Call{Method: http.MethodPost, URL: s.base.String() + path, JSON: request}, into)
	return err
}

// name identifies the vectors of a server and model.
func (s *server) name(kind string) string {
	base := *s.base
	base.User = nil // it may contain a password
	o := &s.options
	return fmt.Sprintf("%s %s %s %d %q %q", kind, o.Model, base.String(), o.Dimensions, o.QueryPrefix, o.PassagePrefix)
}

// prefixed returns texts with the prefix that the model needs.
func (s *server) prefixed(kind search.TextKind, texts []string) []string {
	prefix := s.options.PassagePrefix
	if kind == search.QueryText {
		prefix = s.options.QueryPrefix
	}
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = prefix + text
	}
	return all
}
