package code

import "context"

func mapScript(ctx context.Context, lang Language, src []byte) (outline, error) {
	return outline{}, ctx.Err()
}
