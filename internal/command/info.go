package command

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/stats"
)

func infoCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:         "info",
		Annotations: anyMaps,
		Short:       "Show what there is: resources, sizes, the index, programs",
		Long: `Shows how many resources of each type there are, and how many of them have no
readable source; how much space maps, evidence, texts and the search index take;
what the index holds; and which of the programs that some formats need were
found. Nothing is made or changed.

--json adds how often evidence was requested and how often it was there (cache),
and the seconds since the start (uptime). Both are about this process: for a
server that has run for a while, ask its tool info.`,
		Example: lines("citekit info", "citekit info --json"),
		Args:    between(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.info(cmd.Context()) },
	}
}

func (s *session) info(ctx context.Context) error {
	return s.withCorpus(nil, func(c *corpus.Corpus) error {
		info, err := stats.New(c.Library, &stats.Options{Version: buildVersion().Version, Searcher: c.Searcher}).Collect(ctx)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.json {
			return s.printJSON(info)
		}
		s.printInfo(info)
		return nil
	})
}

func (s *session) printInfo(info *stats.Stats) {
	rows := []row{
		{"version", info.Version},
		{"resources", describeCounts(info.Counts)},
		{"maps", byteSize(info.Sizes.Maps)},
		{"evidence", byteSize(info.Sizes.Evidence)},
		{"texts", byteSize(info.Sizes.Text)},
		{"index", byteSize(info.Sizes.Index)},
	}
	if held := info.Index; held != nil {
		rows[len(rows)-1].value += fmt.Sprintf(", %s of %s", message.Count(held.Entries, "entry"), message.Count(held.Resources, "resource"))
	}
	for _, part := range []struct {
		name, why string
		ids       []string
	}{
		{"only begun", "the index has the beginning, as all would take more work than it gives a source of such a size", info.SetAside},
		{"cut", "the index has the beginning of the text, as it is too large", info.Cut},
		{"unread", "some of the text cannot be read; 'citekit read' tells which pages", info.Unread},
	} {
		if len(part.ids) > 0 {
			rows = append(rows, row{part.name, strings.Join(part.ids, ", ") + ": " + part.why})
		}
	}
	for _, p := range info.Programs {
		rows = append(rows, row{p.Name, describeProgram(p)})
	}
	s.printRows(rows)
	if !info.Complete {
		s.warn("not all could be counted")
	}
}

// describeCounts says how many resources of each type there are, and how many have
// problems.
func describeCounts(c stats.Counts) string {
	var types, lines []string
	for _, m := range slices.Sorted(maps.Keys(c.Modalities)) {
		types = append(types, fmt.Sprintf("%d %s", c.Modalities[m], m))
	}
	total := fmt.Sprint(c.Resources)
	if len(types) > 0 {
		total += ": " + strings.Join(types, ", ")
	}
	lines = append(lines, total, message.Count(c.Nodes, "node"))
	for _, fault := range []struct {
		number int
		text   string
	}{
		{c.Unreadable, "with a map that cannot be read"},
		{c.OutsideRoots, "with a source outside the roots, left out of searches"},
		{c.Vanished, "with a source that is gone"},
		{c.Modalities["other"], "of a type that has no resolver here, left out of searches"},
	} {
		if fault.number > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", fault.number, fault.text))
		}
	}
	return strings.Join(lines, "\n")
}

func describeProgram(p stats.Program) string {
	switch {
	case !p.Found:
		return "not found"
	case p.Version == "":
		return "found"
	}
	return p.Version
}
