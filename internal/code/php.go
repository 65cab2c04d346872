package code

import "context"

func mapPHP(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
