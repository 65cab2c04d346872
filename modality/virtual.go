package modality

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// A Virtual resolves locations that are addresses elsewhere, such as URLs. It
// returns the address itself as evidence: it neither reads the source nor follows
// the address, so that the caller decides. The zero value is ready to use.
type Virtual struct{}

var (
	_ citekit.Resolver  = Virtual{}
	_ citekit.Versioner = Virtual{}
)

// Resolve implements [citekit.Resolver]. The Body of the content is nil, as
// there are no bytes. src may be nil.
func (Virtual) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
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
func (Virtual) Version() string { return "virtual/1" }
