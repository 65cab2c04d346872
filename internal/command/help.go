package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit/internal/command/internal/term"
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
var actionsOf = map[string][]string{"completion": completionActions, "jobs": slices.Sorted(maps.Keys(jobActions)), "key": keyActions, "mcp": mcpActions}

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

// printOverview prints the help of the program, and tells a person in a folder that has
// no maps how to begin.
func (s *session) printOverview(c *cobra.Command) error {
	s.printHelp(c)
	if err := s.out.Flush(); err != nil || s.storeURL != "" || !term.IsTTY(s.stdout) {
		return err
	}
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	ids, err := lib.Resources(c.Context())
	if err == nil && len(ids) == 0 {
		s.hintAtIngest()
	}
	return err
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
