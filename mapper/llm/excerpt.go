package llm

import (
	"context"
	"errors"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// An excerpter reads the beginning of the text of nodes.
type excerpter struct {
	resolver citekit.Resolver
	src      *citekit.Source
	words    *transcript
}

const (
	maxExcerpt   = 1200 // bytes
	excerptPages = 2
	excerptLines = 60
)

// excerpt returns the beginning of the text at loc, or "" if there is no text.
func (x excerpter) excerpt(ctx context.Context, loc citekit.Location) (string, error) {
	runs, ok := textRuns(ctx, x.resolver, x.src, x.words, beginning(loc))
	if !ok {
		return "", ctx.Err()
	}
	var b strings.Builder
	for run, err := range runs {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if errors.Is(err, errors.ErrUnsupported) {
			break // no text at such a place
		}
		if err != nil {
			return "", err
		}
		b.WriteString(plain.Cut(run.Text, 4*maxExcerpt))
		b.WriteByte('\n')
		if b.Len() > 2*maxExcerpt {
			break
		}
	}
	return plain.Words(b.String(), maxExcerpt), nil
}

// beginning returns the part of loc that is enough for an excerpt.
func beginning(loc citekit.Location) citekit.Location {
	if loc.Lines.Len() > excerptLines {
		loc.Lines.Last = loc.Lines.First + excerptLines - 1
	}
	if loc.PageCount() > excerptPages {
		first := loc.Pages[0]
		first.Last = min(first.Last, first.First+excerptPages-1)
		loc.Pages = []citekit.Range{first}
	}
	return loc
}
