package code

import "context"

func mapSwift(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
