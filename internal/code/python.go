package code

import "context"

func mapPython(ctx context.Context, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
