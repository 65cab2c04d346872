package code

import "context"

func mapCSharp(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
