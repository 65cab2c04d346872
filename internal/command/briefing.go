package command

import (
	"context"
	"fmt"

	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/message"
)

// printBriefing prints the evidence for a task. Without resources it searches all.
func (s *session) printBriefing(ctx context.Context, task string, tokens int, resources []string, f searchFlags) error {
	req, err := f.read()
	if err != nil {
		return err
	}
	req.Filters.Resources = append(req.Filters.Resources, resources...)
	var b *contents.Briefing
	err = s.withCorpus(nil, func(c *corpus.Corpus) (err error) {
		if err := s.nameFilters(ctx, c.Library, &req.Filters); err != nil {
			return err
		}
		b, err = c.Briefing.Write(ctx, contents.BriefingRequest{Task: task, Tokens: tokens, Filters: req.Filters})
		return err
	})
	if err != nil {
		return asUsage("context", adviseStorage(err))
	}
	if s.json {
		return s.printJSON(b)
	}
	s.printText(b.Content)
	switch {
	case len(b.Pieces) == 0 && b.Omitted == 0:
		s.warn("nothing found")
	case b.Omitted > 0:
		fmt.Fprintf(s.stderr, "citekit: %s did not fit; raise --tokens to see more\n", message.Count(b.Omitted, "further passage"))
	}
	if b.Hint != "" {
		s.warn(b.Hint)
	}
	if !b.Complete {
		s.warn("not everything was searched: the index could not be brought up to date")
	}
	return nil
}
