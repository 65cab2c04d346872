// Package virtual resolves locations that are addresses elsewhere, such as
// URLs. It returns the address itself as evidence and reads nothing, so the
// caller decides whether to follow it.
package virtual

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// A Resolver returns only the address: it neither reads the source nor follows
// the address. The zero value is ready to use.
type Resolver struct{}

var (
	_ citekit.Resolver  = Resolver{}
	_ citekit.Versioner = Resolver{}
)

// Resolve implements [citekit.Resolver]. The Body of the content is nil, as
// there are no bytes. src may be nil.
func (Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := req.Location.Validate(); err != nil {
		return nil, err
	}
	if m := req.Location.Modality; m != citekit.Virtual {
		return nil, fmt.Errorf("%s location in a virtual resource: %w", message.Article(m), errors.ErrUnsupported)
	}
	return &citekit.Content{}, nil
}

// Version implements [citekit.Versioner].
func (Resolver) Version() string { return "virtual/1" }
