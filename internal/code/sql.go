package code

import "context"

func mapSQL(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
