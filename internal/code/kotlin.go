package code

import "context"

func mapKotlin(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
