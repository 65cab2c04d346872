package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/embedding"
)

// semanticsFlags choose the models for search by meaning.
type semanticsFlags struct {
	command            string // command that has the flags
	embedder, reranker string
}

func (f *semanticsFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.embedder, "embedder", "", "also rank by meaning, with `MODEL`: openai:NAME or ollama:NAME, with @URL for another server, or static:DIR")
	flags.StringVar(&f.reranker, "reranker", "", "rerank the best results with `MODEL`: NAME@URL of a server with /rerank")
}

// The environment variables of keys. The key for OpenAI is sent to no other server.
const (
	openAIKey   = "OPENAI_API_KEY"
	embedderKey = "CITEKIT_EMBEDDER_KEY"
	rerankerKey = "CITEKIT_RERANKER_KEY"
)

// open returns the models that the flags choose, or nil if there are none.
func (f *semanticsFlags) open() (*search.Semantics, error) {
	if f.embedder == "" && f.reranker == "" {
		return nil, nil
	}
	o := new(search.Semantics)
	if f.embedder != "" {
		var err error
		if o.Embedder, err = f.openEmbedder(); err != nil {
			return nil, asUsage(f.command, fmt.Errorf("--embedder: %w", err))
		}
	}
	if f.reranker != "" {
		model, url := nameAndURL(f.reranker)
		reranker, err := embedding.NewReranker(&embedding.Options{Model: model, BaseURL: url, KeyEnv: rerankerKey})
		if err != nil {
			return nil, asUsage(f.command, fmt.Errorf("--reranker: %w", err))
		}
		o.Reranker = reranker
	}
	return o, nil
}

func (f *semanticsFlags) openEmbedder() (search.Embedder, error) {
	kind, rest, _ := strings.Cut(f.embedder, ":")
	model, url := nameAndURL(rest)
	o := &embedding.Options{Model: model, BaseURL: url, KeyEnv: embedderKey}
	switch kind {
	case "openai":
		if url == "" {
			o.KeyEnv = openAIKey
		}
		return embedding.NewOpenAI(o)
	case "ollama":
		return embedding.NewOllama(o)
	case "static":
		return embedding.NewStatic(os.DirFS(rest))
	}
	return nil, usagef(f.command, "%s; write openai:NAME, ollama:NAME or static:DIR", term.Line(f.embedder))
}

// nameAndURL splits a flag of the form NAME@URL.
func nameAndURL(text string) (name, url string) {
	if i := strings.LastIndex(text, "@http"); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// modelPatience is how long the models of one search may take.
const modelPatience = 30 * time.Second

// embed makes the missing vectors before the single search of a command. If it
// fails, results are ranked by words.
func (s *session) embed(ctx context.Context, searcher *search.Searcher) error {
	err := searcher.Embed(ctx)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	fmt.Fprintf(s.stderr, "citekit: the vectors could not all be made: %s\n", term.Line(err.Error()))
	return nil
}
