// Package embedding has models for [search.Semantics]: embedders behind the
// interface of OpenAI and of Ollama, static embeddings that need no server, and
// a reranker over HTTP.
//
//	embedder, err := embedding.NewOllama(&embedding.Options{Model: "nomic-embed-text"})
//	searcher, err := search.New(lib, &search.Options{
//		Semantics: &search.Semantics{Embedder: embedder},
//	})
//
// Nothing is downloaded. Errors hold no key and no text that was embedded: of
// what a server says in an answer without success only the status is told.
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

// Options say which model of which server is asked.
type Options struct {
	Model   string // required, but for a [Reranker] that needs none
	BaseURL string // "" means the usual one, where there is one

	Key    string // "" for servers that need none
	KeyEnv string // environment variable to take the key from if Key is empty; "" names none

	// Dimensions asks for vectors of so many numbers, where the model can
	// shorten them; zero means what the model makes.
	Dimensions int

	// QueryPrefix and PassagePrefix stand before each text that is embedded, such
	// as "query: ", where the model wants to be told.
	QueryPrefix, PassagePrefix string

	// Texts makes a [Reranker] send the documents as "texts", as Text Embeddings
	// Inference wants them.
	Texts bool

	Timeout llm.Seconds  // of one request; zero means 5 minutes
	Retries int          // how often a request is tried again; zero means 3, and less none
	Client  *http.Client // nil means one of its own
}

// maxAnswer is how long an answer may be, in bytes.
const maxAnswer = 64 << 20

// A server is one that speaks JSON over HTTP.
type server struct {
	options  Options
	base     *url.URL
	endpoint llm.Endpoint
}

// newServer returns what opts say. The error matches [citekit.ErrSyntax] if that
// means nothing.
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

// post sends a request, and reads the answer into what into points to.
func (s *server) post(ctx context.Context, path string, request, into any) error {
	_, err := s.endpoint.Do(ctx, llm.Call{Method: http.MethodPost, URL: s.base.String() + path, JSON: request}, into)
	return err
}

// name tells the vectors of a server apart from others.
func (s *server) name(kind string) string {
	base := *s.base
	base.User = nil // may be a password
	o := &s.options
	return fmt.Sprintf("%s %s %s %d %q %q", kind, o.Model, base.String(), o.Dimensions, o.QueryPrefix, o.PassagePrefix)
}

// prefixed returns texts as the model wants them.
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
