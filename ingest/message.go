package ingest

import (
	"fmt"

	"github.com/citekit/citekit"
)

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}
