package code

import "context"

func mapJava(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
