package mail

import (
	"context"

	"github.com/citekit/citekit"
)

func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	return nil, nil
}
