package answer

import (
	"context"

	"github.com/citekit/citekit/search"
)

func (c *call) write(ctx context.Context, results []*search.Result, all []*candidate) error {
	return errNoModel
}
