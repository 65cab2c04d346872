package command

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/pathpattern"
	"github.com/citekit/citekit/workspace"
)

func allowedCommand(s *session) *cobra.Command {
	var all, revoke bool
	c := &cobra.Command{
		Use:   "allowed [path]...",
		Short: "List the files outside the base directory that may be cited, or revoke them",
		Long: `Lists the files outside the base directory that 'citekit ingest --allow-outside'
and 'citekit adapt --allow-outside' made sources, with the maps that they are
for. Such a file may be cited as long as one of its maps exists; grants without
effect are dropped. Paths select files or everything in a folder; any other path
is a pattern, with ** for any number of folders. Relative paths are relative to
the base directory.

With --revoke the selected files may no longer be cited. The maps stay.`,
		Example: lines(
			"citekit allowed",
			"citekit allowed --all",
			"citekit allowed --revoke ~/Downloads",
			"citekit allowed --revoke '/data/*.pdf'",
		),
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if revoke && len(args) == 0 {
				return usagef("allowed", "--revoke needs paths; --revoke / revokes all")
			}
			return s.allowed(cmd.Context(), args, all, revoke)
		},
	}
	f := c.Flags()
	f.BoolVarP(&all, "all", "a", false, "list the files of every base directory, not only of this one")
	f.BoolVar(&revoke, "revoke", false, "no longer allow the files that the paths select")
	return c
}

func (s *session) allowed(ctx context.Context, args []string, all, revoke bool) error {
	if err := s.needsDirectory("'citekit allowed'", "the sources of another store are those of its bucket alone"); err != nil {
		return err
	}
	ws, err := s.openGranter()
	if err != nil {
		return err
	}
	defer ws.Close()
	if err := s.tidyGrants(ctx, ws); err != nil {
		return err
	}
	list := ws.Allowed
	if all {
		list = ws.AllAllowed
	}
	grants, err := list(ctx)
	if err != nil {
		return err
	}
	if grants, err = s.selectGrants(grants, args); err != nil {
		return err
	}
	if revoke {
		for _, g := range grants {
			if err := ws.Revoke(ctx, g); err != nil {
				return err
			}
		}
	}
	return s.printGrants(grants, all, revoke)
}

// selectGrants returns the grants that the paths select, or all if there are no
// paths. A path that selects nothing is an error.
func (s *session) selectGrants(grants []workspace.Allowed, args []string) ([]workspace.Allowed, error) {
	if len(args) == 0 {
		return grants, nil
	}
	placer, err := s.placer()
	if err != nil {
		return nil, err
	}
	selected := make(map[int]bool)
	for _, arg := range args {
		pattern := arg
		if !filepath.IsAbs(arg) {
			pattern = filepath.Join(placer.base, arg)
		}
		found := false
		selects := selectorOf(filepath.Clean(pattern), grants)
		for i, g := range grants {
			if selects(g.Path) {
				selected[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s: no file there was allowed: %w", arg, fs.ErrNotExist)
		}
	}
	var chosen []workspace.Allowed
	for i, g := range grants {
		if selected[i] {
			chosen = append(chosen, g)
		}
	}
	return chosen, nil
}

// selectorOf returns a function that reports whether a path selects a granted file:
// it is that file or a folder above it, with or without symbolic links. If it is
// neither for any of the files, it is a pattern.
func selectorOf(given string, grants []workspace.Allowed) (selects func(granted string) bool) {
	isLiteral := func(granted string) bool { return inside(given, granted) || inside(resolveLinks(given), granted) }
	if slices.ContainsFunc(grants, func(g workspace.Allowed) bool { return isLiteral(g.Path) }) {
		return isLiteral
	}
	pattern := pathpattern.Literal(filepath.ToSlash(given), func(name string) bool {
		return slices.ContainsFunc(grants, func(g workspace.Allowed) bool { return inside(filepath.FromSlash(name), g.Path) })
	})
	return func(granted string) bool {
		granted = filepath.ToSlash(granted)
		return pathpattern.Match(pattern, granted) || pathpattern.Below(pattern, granted)
	}
}

func (s *session) printGrants(grants []workspace.Allowed, all, revoked bool) error {
	if s.json {
		name := "allowed"
		if revoked {
			name = "revoked"
		}
		return s.printJSON(map[string][]workspace.Allowed{name: append([]workspace.Allowed{}, grants...)})
	}
	base := ""
	for _, g := range grants {
		if all && g.Base != base {
			base = g.Base
			s.printf("%s:\n", term.Line(base))
		}
		line := g.Path
		if len(g.Maps) > 0 {
			line += "  for " + strings.Join(g.Maps, ", ")
		}
		if revoked {
			line = "revoked " + g.Path
		}
		if all {
			line = "  " + line
		}
		s.printf("%s\n", term.Line(line))
	}
	if len(grants) == 0 {
		s.warn("no file outside " + s.baseName() + " may be cited")
	}
	return nil
}

// describeDeletion returns a line about what was deleted.
func describeDeletion(verb string, d ingest.Deletion) string {
	line := verb + " " + d.ResourceID
	if d.SourcePath != "" {
		line += " (map of " + d.SourcePath + ")"
	}
	if d.Evidence > 0 {
		line += fmt.Sprintf(" with %s, %s", message.Count(d.Evidence, "evidence file"), byteSize(d.Bytes))
	}
	return line
}
