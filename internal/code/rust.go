package code

import "context"

func mapRust(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
