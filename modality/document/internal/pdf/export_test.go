package pdf

import (
	"context"

	"github.com/citekit/citekit"
)

// AllowOneJob lets one job of r be at work at a time, on any machine.
func AllowOneJob(r *Resolver) {
	r.init()
	r.working = make(chan struct{}, 1)
}

// TablesOf returns the tables of pages, counted from 0; with plain, without the structure
// of the document.
func TablesOf(ctx context.Context, r *Resolver, src *citekit.Source, indexes []int, plain bool) ([]pageTables, error) {
	r.init()
	j, end, err := r.start(ctx, src, textWork)
	if err != nil {
		return nil, err
	}
	defer end()
	if !plain {
		return j.tablesOn(ctx, indexes)
	}
	t := tabler{job: j, plain: true}
	return t.on(ctx, indexes)
}
