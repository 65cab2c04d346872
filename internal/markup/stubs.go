package markup

import "context"

func readReST(ctx context.Context, src []byte, doc *outline) error     { return ctx.Err() }
func readAsciiDoc(ctx context.Context, src []byte, doc *outline) error { return ctx.Err() }
func readHTML(ctx context.Context, src []byte, doc *outline) error     { return ctx.Err() }
func readLaTeX(ctx context.Context, src []byte, doc *outline) error    { return ctx.Err() }
func readOrg(ctx context.Context, src []byte, doc *outline) error      { return ctx.Err() }
