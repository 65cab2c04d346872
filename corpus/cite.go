package corpus

import (
	"context"

	"github.com/citekit/citekit/cite"
)

// Cite returns a citation of the part that an id names, an address, a node as
// "resource.node" or a resource, as [cite.Citer.Cite] does. A quote that is not "" must
// occur there, and the citation is then of its exact place. The citation is written in
// Markdown, without the version of the source; for another form, and one that holds the
// version, call Corpus.Citer with a [cite.Request] that names its Form.
func (c *Corpus) Cite(ctx context.Context, id, quote string) (*cite.Cited, error) {
	return c.Citer.Cite(ctx, cite.Request{ID: id, Quote: quote})
}
