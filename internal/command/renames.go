package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
)

// followAll lets all maps follow their sources. That only changes a source path to
// one with the same bytes, and keeps every address valid.
func followAll([]ingest.Rename) bool { return true }

// renames returns a function that decides whether maps follow renamed sources. The
// flags decide, else the person; if nobody can be asked, maps follow.
func (in *ingestion) renames(ctx context.Context) func([]ingest.Rename) bool {
	switch {
	case in.flags.noFollow:
		return nil
	case in.flags.follow, in.flags.yes, in.watching, !in.canAsk():
		return followAll
	}
	return func(renames []ingest.Rename) bool {
		question := fmt.Sprintf("%s renamed (%s). Let their maps follow, so that what was cited stays valid?",
			countedWere(len(renames), "source"), describeRenames(renames))
		ok, err := in.confirm(ctx, question, true)
		return ok && err == nil
	}
}

// countedWere returns a count with a verb, such as "1 source was" or "2 sources
// were".
func countedWere(n int, noun string) string {
	if n == 1 {
		return message.Count(n, noun) + " was"
	}
	return message.Count(n, noun) + " were"
}

func describeRenames(renames []ingest.Rename) string {
	const most = 3
	var shown []string
	for _, r := range renames[:min(len(renames), most)] {
		shown = append(shown, r.From+" → "+r.To)
	}
	if more := len(renames) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, ", ")
}
