package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit/ingest"

	"github.com/citekit/citekit/internal/message"
)

// followAll has all maps follow their sources. That only ever changes the path
// of a source to that of the same bytes, and keeps every address valid.
func followAll([]ingest.Rename) bool { return true }

// renames returns what decides whether maps follow sources that were renamed:
// the flags, the person, or where no one can be asked, that they do.
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

// countedWere returns such as "1 source was" or "2 sources were".
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
