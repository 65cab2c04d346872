package corpus

import (
	"context"

	"github.com/citekit/citekit/verify"
)

// Verify checks the quotes and addresses of a text, such as an answer of a model, as
// [verify.Verifier.Text] does. Whether all hold is [verify.Report.Holds].
func (c *Corpus) Verify(ctx context.Context, text string) (*verify.Report, error) {
	return c.Verifier.Text(ctx, text, nil)
}
