package command

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

// pruneFlags are the flags of prune.
type pruneFlags struct {
	yes, dryRun, force bool
	earlier            bool // texts of earlier versions too
	emptied            bool // maps of emptied folders too

	unused age       // delete evidence unused for this long
	most   byteCount // keep at most this much evidence
}

func pruneCommand(s *session) *cobra.Command {
	var flags pruneFlags
	c := &cobra.Command{
		Use:         "prune",
		Annotations: anyMaps,
		Short:       "Delete unused maps, evidence and leftovers",
		Long: `Finds maps whose source vanished, with their evidence; evidence of deleted maps
and of earlier versions of sources, but not their texts, which 'citekit reanchor'
needs; permissions to cite files outside the base
directory that no map names; and leftovers of killed processes. Shows them with
their size in bytes, asks, and deletes them. Without a terminal, --yes is
needed: without it the exit code is 1 if there was something to delete, and 0 if
not. Sources are never touched, nor are maps that were made or changed by hand,
unless --force is given.

With --evidence-older-than or --evidence-max only evidence is deleted, without
asking: it is made again when it is resolved again. Evidence that was used in
the last 10 minutes stays, and so does an index that was used in the last 30
days. Texts of earlier versions count as evidence here: move citations with
'citekit reanchor' before. Use this with a timer; it may run while a server is
running.

Is a disk not mounted, or was a folder renamed? 'citekit ingest' lets maps
follow sources that moved. Maps of sources of which the whole folder is empty,
or the whole bucket, stay, unless --emptied is given.`,
		Example: lines("citekit prune", "citekit prune --dry-run", "citekit prune --yes", "citekit prune --evidence-older-than 30d --evidence-max 5G"),
		Args:    between(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.prune(cmd.Context(), flags) },
	}
	f := c.Flags()
	f.BoolVarP(&flags.yes, "yes", "y", false, "do not ask")
	f.BoolVarP(&flags.dryRun, "dry-run", "n", false, "only show what would be deleted")
	f.BoolVarP(&flags.force, "force", "f", false, "also delete maps made or changed by hand, if their source vanished")
	f.BoolVar(&flags.emptied, "emptied", false, "also delete maps of sources that vanished with all others of their folder")
	f.BoolVar(&flags.earlier, "earlier-texts", false, "also delete the texts of earlier versions of sources, which reanchor needs")
	f.Var(&flags.unused, "evidence-older-than", "delete evidence unused for this `TIME`, such as 30d or 12h")
	f.Var(&flags.most, "evidence-max", "then delete the least recently used evidence until at most `SIZE` is left, such as 5G")
	return c
}

func (s *session) prune(ctx context.Context, flags pruneFlags) error {
	if flags.unused > 0 || flags.most > 0 {
		return s.trim(ctx, flags)
	}
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	stop := s.spin(ctx, "looking for unused maps and evidence")
	plan, err := ingest.PlanPrune(ctx, lib, &ingest.PruneOptions{Force: flags.force, Emptied: flags.emptied, EarlierTexts: flags.earlier})
	stop()
	if err != nil {
		return err
	}
	if !s.json {
		s.printPlan(plan)
	}
	switch {
	case flags.dryRun, len(plan.Items) == 0:
		return s.pruned(plan, nil)
	case flags.yes:
	case !s.canAsk():
		return fmt.Errorf("%s not deleted, as there is no terminal to ask on; --yes deletes without asking, --dry-run shows what would be deleted%w",
			countedAre(len(plan.Items), "thing"), silent{citekit.ErrSyntax})
	default:
		if ok, err := s.confirm(ctx, "Delete them?", false); err != nil || !ok {
			return cmp.Or(err, errNotConfirmed)
		}
	}
	done, err := ingest.Prune(ctx, lib, plan)
	if err != nil {
		return err
	}
	return s.pruned(plan, done)
}

// printPlan prints what would be deleted: each map and grant, and totals of the
// rest.
func (s *session) printPlan(plan *ingest.PrunePlan) {
	rest := make(map[string]ingest.PruneItem) // with the number of files
	var reasons []string
	for _, item := range plan.Items {
		switch item.Kind {
		case "map":
			line := fmt.Sprintf("map %s: %s: %s", item.ResourceID, item.Reason, item.SourcePath)
			if item.Evidence > 0 {
				line += fmt.Sprintf("; with %s, %s", message.Count(item.Evidence, "evidence file"), byteSize(item.Bytes))
			}
			s.printf("%s\n", term.Line(line))
		case string(workspace.KeptGrant):
			s.printf("%s\n", term.Line("grant "+filepath.FromSlash(item.Path)+": "+item.Reason))
		default:
			key := item.Kind + ": " + item.Reason
			sum, known := rest[key]
			if !known {
				reasons = append(reasons, key)
			}
			sum.Evidence++
			sum.Bytes += item.Bytes
			rest[key] = sum
		}
	}
	for _, key := range reasons {
		s.printf("%d × %s; %s\n", rest[key].Evidence, key, byteSize(rest[key].Bytes))
	}
	for _, item := range plan.ByHand {
		s.printf("%s\n", term.Line(fmt.Sprintf("kept %s: %s, but the map was made or changed by hand (--force)", item.ResourceID, item.Reason)))
	}
	for _, item := range plan.Emptied {
		s.printf("%s\n", term.Line(fmt.Sprintf("kept %s: its whole folder is empty; is a disk not mounted? (--emptied): %s", item.ResourceID, item.SourcePath)))
	}
	if len(plan.Items) == 0 {
		s.printf("nothing to prune\n")
		return
	}
	s.printf("%s, %s\n", message.Count(len(plan.Items), "thing"), byteSize(plan.Bytes()))
}

// pruned prints what was deleted.
func (s *session) pruned(plan *ingest.PrunePlan, done []ingest.PruneItem) error {
	if s.json {
		return s.printJSON(struct {
			Items   []ingest.PruneItem `json:"items"`
			ByHand  []ingest.PruneItem `json:"by_hand,omitempty"`
			Emptied []ingest.PruneItem `json:"emptied,omitempty"`
			Bytes   int64              `json:"bytes"`
			Pruned  []ingest.PruneItem `json:"pruned"`
		}{plan.Items, plan.ByHand, plan.Emptied, plan.Bytes(), append([]ingest.PruneItem{}, done...)})
	}
	if len(done) > 0 {
		did := ingest.PrunePlan{Items: done}
		s.printf("deleted %s, %s\n", message.Count(len(done), "thing"), byteSize(did.Bytes()))
	}
	return nil
}
