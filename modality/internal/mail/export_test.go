package mail

import (
	"context"

	"github.com/citekit/citekit"
)

// PartsOf returns the numbers and the media types of the parts of a message, in
// its order.
func PartsOf(ctx context.Context, r *Resolver, src *citekit.Source, n int) ([][2]string, error) {
	f, err := r.open(ctx, src, citekit.Location{Modality: citekit.Text})
	if err != nil {
		return nil, err
	}
	m, err := f.message(ctx, n)
	if err != nil {
		return nil, err
	}
	var parts [][2]string
	for _, number := range m.order {
		parts = append(parts, [2]string{number, m.parts[number].kind})
	}
	return parts, nil
}
