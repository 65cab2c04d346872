package code

import "context"

func mapGo(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
