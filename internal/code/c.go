package code

import "context"

func mapC(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}

func mapCPP(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
