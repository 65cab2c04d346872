package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/internal/command/internal/skill"
	"github.com/citekit/citekit/internal/command/internal/term"
)

// skillActions are the actions of the command.
var skillActions = []string{"install", "print"}

// skillFolders are where agents look for skills, below a person's folder or that of a
// project: Claude Code in its own, others in the one that they share.
var skillFolders = []string{".claude/skills", ".agents/skills"}

func skillCommand(s *session) *cobra.Command {
	var project bool
	c := &cobra.Command{
		Use:   "skill install|print",
		Short: "Teach an agent that runs commands how to cite with this one",
		Long: `Writes SKILL.md, which tells an agent with a shell how to find, read, quote and
check with this command, to where agents look for skills: ` + strings.Join(skillFolders, " (Claude\nCode) and ") + ` (Codex and others) in your folder, or with --project in
the current one. Run it again after an update. 'citekit skill print' only prints
it.

An agent that speaks MCP needs no skill: see 'citekit help mcp'.`,
		Example: lines("citekit skill install", "citekit skill install --project", "citekit skill print"),
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !slices.Contains(skillActions, args[0]):
				return usagef("skill", "unknown action %q; there are install and print", args[0])
			case args[0] == "print":
				s.printf("%s", skill.Text)
				return nil
			}
			return s.installSkill(cmd.Context(), project)
		},
	}
	c.Flags().BoolVar(&project, "project", false, "install: for the project in the current folder, not for you")
	return c
}

// An installedSkill says where the skill was written.
type installedSkill struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"` // false if the file was so before
}

func (s *session) installSkill(ctx context.Context, project bool) error {
	folder, err := os.UserHomeDir()
	if project {
		folder, err = os.Getwd()
	}
	if err != nil {
		return err
	}
	all := make([]installedSkill, len(skillFolders))
	for i, place := range skillFolders {
		path := filepath.Join(folder, filepath.FromSlash(place), skill.Name, "SKILL.md")
		changed, err := writeSkill(ctx, path)
		if err != nil {
			return err
		}
		all[i] = installedSkill{path, changed}
	}
	if s.json {
		return s.printJSON(all)
	}
	for _, one := range all {
		if one.Changed {
			s.printf("Wrote %s\n", term.Line(one.Path))
		} else {
			s.printf("%s is up to date.\n", term.Line(one.Path))
		}
	}
	return nil
}

func writeSkill(ctx context.Context, path string) (changed bool, err error) {
	old, err := readConfiguration(path)
	if err != nil || string(old) == skill.Text {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return false, err
	}
	return true, copyToFile(ctx, strings.NewReader(skill.Text), path)
}
