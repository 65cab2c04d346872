package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
)

func rmCommand(s *session) *cobra.Command {
	var force, dryRun bool
	c := &cobra.Command{
		Use:         "rm <resource>...",
		Annotations: anyMaps,
		Short:       "Delete resources: their maps and evidence, not their sources",
		Long: `Deletes the map of each resource with what belongs to it: its evidence, the
notes of ingest, the required version of its source, and the permission to cite a
source outside the base directory. Sources are never touched: the next
'citekit ingest .' maps a file again that is still there. If one of the resources
does not exist, or was made or changed by hand, none is deleted.`,
		Example: lines("citekit rm old-report", "citekit rm --dry-run a b c", "citekit rm notes --force"),
		Args:    between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.rm(cmd.Context(), args, ingest.DeleteOptions{KeepByHand: !force, DryRun: dryRun})
		},
	}
	f := c.Flags()
	f.BoolVarP(&force, "force", "f", false, "also delete maps that were made or changed by hand")
	f.BoolVarP(&dryRun, "dry-run", "n", false, "only show what would be deleted")
	return c
}

func (s *session) rm(ctx context.Context, ids []string, opts ingest.DeleteOptions) error {
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	stop := s.spin(ctx, "deleting, or waiting for a running ingest")
	deletions, err := ingest.DeleteAll(ctx, lib, ids, &opts)
	stop()
	if errors.Is(err, ingest.ErrByHand) {
		err = hinted{err, "--force deletes it"}
	}
	if len(deletions) == 0 {
		err = adviseResource(ctx, lib, err, ids...)
	}
	if s.json && err == nil {
		return s.printJSON(map[string]any{"deleted": deletions, "dry_run": opts.DryRun})
	}
	if s.json {
		return err
	}
	verb := "deleted"
	if opts.DryRun {
		verb = "would delete"
	}
	for _, d := range deletions {
		s.printf("%s\n", term.Line(describeDeletion(verb, d)))
	}
	return err
}
