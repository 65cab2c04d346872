package code

import "context"

func mapRuby(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
