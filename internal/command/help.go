package command

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func helpCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "help [command]",
		Short:   "Show help",
		Example: "citekit help resolve",
		Args:    between(0, 2), // such as 'key new', a command and one of its actions
		RunE: func(cmd *cobra.Command, args []string) error {
			c := cmd.Root()
			if len(args) > 0 {
				var err error
				if c, err = s.findCommand(c, args[0]); err == nil && len(args) > 1 {
					err = checkAction(c, args[1])
				}
				if err != nil {
					return err
				}
			}
			s.printHelp(c)
			return nil
		},
	}
}

// actionsOf are the words that the first argument of a command may be, if it has some.
var actionsOf = map[string][]string{"completion": completionActions, "jobs": slices.Sorted(maps.Keys(jobActions)), "key": keyActions, "mcp": mcpActions, "skill": skillActions}

// checkAction returns an error unless the word is an action of the command.
func checkAction(c *cobra.Command, word string) error {
	name, actions := c.Name(), actionsOf[c.Name()]
	if slices.Contains(actions, word) {
		return nil
	}
	near := closest(word, actions)
	switch {
	case len(actions) == 0:
		return usagef("", "%s has no action %q; 'citekit help %s' is its help", name, word, name)
	case near != "":
		return usagef(name, "%s has no action %q; did you mean '%s'?", name, word, near)
	}
	return usagef(name, "%s has no action %q; there is %s", name, word, strings.Join(actions, ", "))
}

const introduction = `citekit cites and extracts exact evidence from local files: pages of
documents, seconds of video and audio, regions of images, lines of text.

`

const closing = `
A map lists the parts of a resource. Maps are in .resource_maps/, evidence
goes to .citekit_output/, both below the base directory.

Exit codes: 0, 1 for a failure, 2 for an invalid command line, 130 for
Ctrl-C. Errors are one line on the standard error.
`

// lineWidth is the width of the help, in bytes.
const lineWidth = 80

// printHelp prints the help of the program or of a command.
func (s *session) printHelp(c *cobra.Command) {
	if !c.HasParent() {
		s.printf("%sUsage:\n  citekit <command> [arguments] [flags]\n\nCommands:\n", introduction)
		for _, known := range s.options.commands() {
			s.printf("  %-11s %s\n", known.name, known.make(s).Short)
		}
		s.printf("\nExamples:\n%s", indented(overviewExamples()))
		s.printf("\nFlags of every command:\n%s", flagUsages(c.PersistentFlags()))
		s.printf("\n'citekit help <command>' says more about a command.\n%s", closing)
		return
	}
	s.printf("%s.\n\nUsage:\n  citekit %s [flags]\n", c.Short, c.Use)
	if c.Long != "" {
		s.printf("\n%s\n", c.Long)
	}
	s.printf("\nExamples:\n%s", indented(c.Example))
	if c.HasLocalFlags() {
		s.printf("\nFlags:\n%s", flagUsages(c.LocalFlags()))
	}
	s.printf("\nFlags of every command:\n%s", flagUsages(c.Root().PersistentFlags()))
}

// printOverview prints the help of the program. In a folder that has no maps it offers a
// person to make them, and tells others how.
func (s *session) printOverview(c *cobra.Command) error {
	mapped, err := s.hasMaps(c.Context())
	if err == nil && !mapped && s.storeURL == "" && s.canAsk() {
		if yes, err := s.confirm(c.Context(), "There are no maps in "+s.whereIs()+" yet. Map its files now?", !s.isHome()); err != nil {
			return err
		} else if yes {
			ingest, err := s.findCommand(c.Root(), "ingest")
			if err != nil {
				return err
			}
			ingest.SetContext(c.Context())
			return ingest.RunE(ingest, []string{"."})
		}
	}
	s.printHelp(c)
	if err := s.out.Flush(); err != nil || mapped {
		return err
	}
	if err == nil {
		s.hintAtIngest()
	}
	return err
}

// hasMaps reports whether there is a map in the workspace.
func (s *session) hasMaps(ctx context.Context) (bool, error) {
	if s.storeURL != "" {
		return true, nil // help asks no other store
	}
	lib, err := s.open()
	if err != nil {
		return false, err
	}
	defer lib.Close()
	ids, err := lib.Resources(ctx)
	return len(ids) > 0, err
}

// whereIs names the base directory in a sentence.
func (s *session) whereIs() string {
	if s.dir == "." {
		return "this folder"
	}
	return s.dir
}

// isHome reports whether the base directory is that of the person, or one above it, where
// nobody means to map all files.
func (s *session) isHome() bool {
	dir, err := filepath.Abs(s.dir)
	home, homeErr := os.UserHomeDir()
	if err != nil || homeErr != nil {
		return true
	}
	inside, err := filepath.Rel(dir, home)
	return err == nil && filepath.IsLocal(inside)
}

// flagUsages returns each flag with its short name and what it does.
func flagUsages(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(lineWidth) }

// overviewExamples returns the examples in the help of the program.
func overviewExamples() string {
	return lines(strings.Split(resolveCommand(nil).Example, "\n")[:3]...)
}

// indented returns a text with each line indented.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	return b.String()
}
