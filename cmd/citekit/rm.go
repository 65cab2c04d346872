package main

import (
	"context"
	"errors"

	"github.com/citekit/citekit/cmd/citekit/internal/term"
	"github.com/citekit/citekit/ingest"
)

func rmCommand() *command {
	var force, dryRun bool
	return &command{
		name:    "rm",
		maps:    anyMaps,
		args:    "<resource>...",
		summary: "Delete resources: their maps and evidence, not their sources",
		about: `Deletes the map of each resource with what belongs to it: its evidence, the
notes of ingest, the pinned version of its source, and the permission to cite a
source outside the base directory. Sources are never touched: the next
'citekit ingest .' maps a file again that is still there. If one of the resources
does not exist, or was made or changed by hand, none is deleted.`,
		example: []string{"citekit rm old-report", "citekit rm --dry-run a b c", "citekit rm notes --force"},
		minArgs: 1,
		maxArgs: -1,
		flags: func(f *flagSet) {
			f.BoolVar(&force, "force", false, "also delete maps that were made or changed by hand")
			f.BoolVar(&dryRun, "dry-run", false, "only show what would be deleted")
			f.alias("f", "force")
			f.alias("n", "dry-run")
		},
		run: func(ctx context.Context, s *session, args []string) error {
			return s.rm(ctx, args, ingest.DeleteOptions{KeepByHand: !force, DryRun: dryRun})
		},
	}
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
