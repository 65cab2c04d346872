package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
)

// Options configure a [Mapper] or an [Enricher]. The zero value is ready to
// use. They can be read from JSON.
type Options struct {
	// Concurrency is the number of requests that may run at once, over all
	// sources; zero means 4.
	Concurrency int `json:"concurrency,omitempty"`

	// MaxText is the size of the text in one request, in bytes. It must leave
	// room in the context of the model. Four bytes a token are a fair guess for
	// English; other languages have fewer. Zero means 100,000.
	MaxText int `json:"max_text,omitempty"`

	// MaxParts is the maximum number of requests for one source, not counting
	// repairs; if a source needs more, the error matches [citekit.ErrTooLarge].
	// Zero means 64.
	MaxParts int `json:"max_parts,omitempty"`

	// Instructions are added to the built-in ones, such as "Titles in German."
	Instructions string `json:"instructions,omitempty"`

	// KeepSummaries makes an [Enricher] write summaries only for nodes without
	// one. A [Mapper] ignores it.
	KeepSummaries bool `json:"keep_summaries,omitempty"`
}

const (
	defaultConcurrency = 4
	defaultMaxText     = 100_000
	minMaxText         = 1000
	defaultMaxParts    = 64
)

// An asker sends requests to a model and counts their usage.
type asker struct {
	model     Model
	resolvers citekit.Resolvers
	options   Options
	free      chan struct{} // a place for each request that may run

	mu    sync.Mutex
	usage Usage
}

func newAsker(model Model, resolvers citekit.Resolvers, opts *Options) *asker {
	a := &asker{model: model, resolvers: resolvers}
	if opts != nil {
		a.options = *opts
	}
	o := &a.options
	if o.Concurrency < 1 {
		o.Concurrency = defaultConcurrency
	}
	if o.MaxText <= 0 {
		o.MaxText = defaultMaxText
	}
	o.MaxText = max(o.MaxText, minMaxText)
	if o.MaxParts < 1 {
		o.MaxParts = defaultMaxParts
	}
	a.free = make(chan struct{}, o.Concurrency)
	return a
}

// Usage returns the usage of all requests so far.
func (a *asker) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage
}

// An account is the usage of the requests for one source. It is safe for
// concurrent use.
type account struct {
	mu    sync.Mutex
	usage Usage
	model string // that answered last
}

func (a *asker) book(to *account, usage Usage, model string) {
	a.mu.Lock()
	a.usage.Add(usage)
	a.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	to.usage.Add(usage)
	if model != "" {
		to.model = model
	}
}

// metadata returns the account in the form that a map stores.
func (a *account) metadata() map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := map[string]any{
		"requests":      a.usage.Requests,
		"retries":       a.usage.Retries,
		"input_tokens":  a.usage.InputTokens,
		"output_tokens": a.usage.OutputTokens,
	}
	if a.model != "" {
		m["name"] = clip(a.model)
	}
	if a.usage.Priced {
		m["cost"] = a.usage.Cost
	}
	return m
}

// ask waits for a free place and sends one request.
func (a *asker) ask(ctx context.Context, req *Request, to *account) (*Response, error) {
	if err := concurrent.Acquire(ctx, a.free); err != nil {
		return nil, err
	}
	defer func() { <-a.free }()
	response, err := a.model.Generate(ctx, req)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		used := failedUsage(err)
		if response != nil {
			used = response.Usage
		}
		a.book(to, used, "")
		return nil, err
	}
	a.book(to, response.Usage, response.Model)
	return response, nil
}

// failedUsage counts the attempts of a request that failed.
func failedUsage(err error) Usage {
	var failed *Error
	if !errors.As(err, &failed) || failed.Attempts < 1 {
		return Usage{Requests: 1}
	}
	return Usage{Requests: failed.Attempts, Retries: failed.Attempts - 1}
}

// upload uploads src to the model, and returns a function that deletes it
// again.
func (a *asker) upload(ctx context.Context, src *citekit.Source, mediaType string, to *account) (media *Media, release func() error, err error) {
	media, err = a.model.(MediaModel).Upload(ctx, src, mediaType)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		a.book(to, failedUsage(err), "")
		return nil, nil, err
	}
	a.book(to, media.Usage, "")
	return media, func() error {
		if media.Release == nil {
			return nil
		}
		return media.Release(context.WithoutCancel(ctx))
	}, nil
}

// accepts reports whether the model accepts the source itself.
func (a *asker) accepts(src *citekit.Source, extent citekit.Extent) bool {
	model, ok := a.model.(MediaModel)
	return ok && extent.Modality != citekit.Text && extent.Pages <= maxPages && model.AcceptsMedia(extent.MediaType, src.Size())
}

// takesSmaller reports whether the model would accept the source if it were
// smaller.
func (a *asker) takesSmaller(extent citekit.Extent) bool {
	model, ok := a.model.(MediaModel)
	return ok && model.AcceptsMedia(extent.MediaType, 1)
}

// measure returns the resolver of a modality and the extent of src.
func (a *asker) measure(ctx context.Context, src *citekit.Source, modality citekit.Modality) (citekit.Resolver, citekit.Extent, error) {
	resolver := a.resolvers[modality]
	measurer, ok := resolver.(citekit.Measurer)
	if _, known := forms[modality]; !ok || !known {
		return nil, citekit.Extent{}, fmt.Errorf("no mapper for %s: %w", modality, errors.ErrUnsupported)
	}
	if src.Size() == 0 {
		return nil, citekit.Extent{}, errEmpty
	}
	extent, err := measurer.Measure(ctx, src)
	if err == nil && (modality == citekit.Text && extent.Lines == 0 || modality == citekit.Document && extent.Pages == 0) {
		err = errEmpty
	}
	return resolver, extent, err
}

var errEmpty = fmt.Errorf("empty; %w", citekit.ErrEmpty)
