package markup

import "context"

func readLaTeX(ctx context.Context, src []byte, doc *outline) error { return ctx.Err() }
func readOrg(ctx context.Context, src []byte, doc *outline) error   { return ctx.Err() }
