package mcpadapter

import (
	"cmp"
	"context"
	"errors"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/plain"
)

// sayWhereNow adds the new place to err, if err is about an address that pins an
// old version of its source, and the cited part is found in the current version.
// The time, as that of a call, is for storage that hangs.
func (a *adapter) sayWhereNow(ctx context.Context, err error) error {
	var failed *citekit.ResolveError
	if !errors.As(err, &failed) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	return a.opts.Reanchorer.WithNewPlace(ctx, err, failed.Address)
}

// sayWhereItemsAre adds the new places to the errors of the items, and returns
// the answer. It leaves the places out if the answer would have too many tokens.
func (a *adapter) sayWhereItemsAre(ctx context.Context, read *contents.Contents, most int) ([]byte, error) {
	before := make([]error, len(read.Items))
	for i, item := range read.Items {
		if item.Err != nil {
			before[i] = item.Err
			item.Err = wordedError{a.advise(ctx, a.opts.Reanchorer.WithNewPlace(ctx, item.Err, item.Address))}
		}
	}
	read.Late = read.Late || ctx.Err() != nil
	data, err := read.MarshalJSON()
	if err != nil || plain.CountTokens(string(data)) <= cmp.Or(most, contents.DefaultTokens) {
		return data, err
	}
	for i, item := range read.Items {
		if item.Err != nil {
			item.Err = wordedError{before[i]}
		}
	}
	return read.MarshalJSON()
}
