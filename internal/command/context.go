package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/command/internal/term"
)

func contextCommand(s *session) *cobra.Command {
	var all, plain bool
	var tokens int
	var task string
	f := searchFlags{command: "context"}
	c := &cobra.Command{
		Use:         "context [<resource>...]",
		Annotations: anyMaps,
		Short:       "Print what resources hold, or the evidence for a task, for an agent to read",
		Long: `With --task prints the evidence that says most about a task or a question, from
all resources, within a number of tokens: as Markdown, each piece below its
address. Text that occurs in several places is printed once.

Without it prints the maps of resources in a compact form, with the id, title
and location of each node, within a number of tokens. If not all fits, nodes
near the top come first, from all resources alike, then summaries if there is
room. Tokens are estimated from the bytes; the estimate tends to be too high.`,
		Example: lines("citekit context --task 'How is a kettle descaled?' --tokens 2000", "citekit context book lecture", "citekit context --all --tokens 8000", "citekit context book --json"),
		Args:    between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s.extra = f.extra
			if task != "" {
				if tokens < contents.MinTokens || tokens > contents.MaxBriefingTokens {
					return usagef("context", "--tokens %d; with --task it is %d to %d", tokens, contents.MinTokens, contents.MaxBriefingTokens)
				}
				return s.printBriefing(ctx, task, tokens, args, f)
			}
			if len(args) == 0 && !all {
				return usagef("context", "context needs a resource, or --all")
			}
			if tokens < 1 {
				return usagef("context", "--tokens %d; it is at least 1", tokens)
			}
			return s.printContext(ctx, args, all, &contents.DigestOptions{MaxTokens: tokens, NoSummaries: plain})
		},
	}
	flags := c.Flags()
	flags.StringVar(&task, "task", "", "print the evidence for the task or question `TEXT`")
	flags.BoolVar(&all, "all", false, "all resources")
	flags.IntVar(&tokens, "tokens", 4000, "print at most `TOKENS`")
	flags.BoolVar(&plain, "no-summaries", false, "leave summaries out")
	f.registerFilters(flags)
	return c
}

func (s *session) printContext(ctx context.Context, ids []string, all bool, opts *contents.DigestOptions) error {
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	if ids, err = s.resources(ctx, lib, ids); err != nil {
		return err
	}
	if all {
		if ids, err = s.readable(ctx, lib); err != nil {
			return err
		}
	}
	if s.json {
		opts.Format = contents.JSON
	}
	c, err := contents.DigestOf(ctx, lib, ids, opts)
	if errors.Is(err, citekit.ErrTooLarge) {
		return hinted{err, "--tokens sets how many; or name some resources instead of all"}
	}
	if err != nil {
		return adviseResource(ctx, lib, err, ids...)
	}
	if s.json {
		_, err = s.out.Write(term.JSON([]byte(c.Text)))
		return err
	}
	_, err = s.out.WriteString(c.Text)
	return err
}

// readable returns the ids of the resources whose maps can be read, and warns of the
// others.
func (s *session) readable(ctx context.Context, lib *citekit.Library) ([]string, error) {
	all, err := lib.Resources(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := lib.Map(ctx, id); err != nil {
			fmt.Fprintf(s.stderr, "citekit: warning: left out: %s\n", term.Line(plainMessage(err)))
			continue
		}
		ids = append(ids, id)
	}
	return ids, nil
}
