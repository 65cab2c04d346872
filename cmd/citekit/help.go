package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
)

func helpCommand() *command {
	return &command{
		name:    "help",
		args:    "[command]",
		summary: "Show help",
		example: []string{"citekit help resolve"},
		maxArgs: 2, // such as 'key new', a command and one of its actions
		run: func(_ context.Context, s *session, args []string) error {
			if len(args) == 0 {
				return s.printOverview()
			}
			c, err := findCommand(args[0])
			if err == nil && len(args) > 1 {
				err = c.checkAction(args[1])
			}
			if err != nil {
				return err
			}
			return s.printHelp(c)
		},
	}
}

// checkAction returns an error unless the word is an action of the command.
func (c *command) checkAction(word string) error {
	if slices.Contains(c.actions, word) {
		return nil
	}
	near := closest(word, c.actions)
	switch {
	case len(c.actions) == 0:
		return usagef("", "%s has no action %q; 'citekit help %s' is its help", c.name, word, c.name)
	case near != "":
		return usagef(c.name, "%s has no action %q; did you mean '%s'?", c.name, word, near)
	}
	return usagef(c.name, "%s has no action %q; there is %s", c.name, word, strings.Join(c.actions, ", "))
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

// printOverview prints the help of the program.
func (s *session) printOverview() error {
	s.printf("%sUsage:\n  citekit <command> [arguments] [flags]\n\nCommands:\n", introduction)
	for _, c := range commands() {
		if !c.hidden {
			s.printf("  %-11s %s\n", c.name, c.summary)
		}
	}
	s.printf("\nExamples:\n")
	for _, line := range overviewExamples() {
		s.printf("  %s\n", line)
	}
	s.printf("\nFlags of every command:\n")
	s.printGlobalFlags()
	s.printf("\n'citekit help <command>' says more about a command.\n%s", closing)
	return nil
}

// overviewExamples returns the examples in the help of the program.
func overviewExamples() []string { return resolveCommand().example[:3] }

func (s *session) printGlobalFlags() { s.printFlags(globalFlagSet()) }

func globalFlagSet() *flagSet {
	global := newFlagSet("")
	new(globalFlags).register(global)
	return global
}

// printHelp prints the help of a command.
func (s *session) printHelp(c *command) error {
	s.printf("%s.\n\nUsage:\n  %s\n", c.summary, c.usage())
	if c.about != "" {
		s.printf("\n%s\n", c.about)
	}
	if len(c.example) > 0 {
		s.printf("\nExamples:\n  %s\n", strings.Join(c.example, "\n  "))
	}
	if c.flags != nil {
		s.printf("\nFlags:\n")
		s.printFlags(c.flagSet())
	}
	s.printf("\nFlags of every command:\n")
	s.printGlobalFlags()
	return nil
}

func (c *command) usage() string {
	words := []string{"citekit", c.name}
	if c.args != "" {
		words = append(words, c.args)
	}
	return strings.Join(append(words, "[flags]"), " ")
}

// printFlags prints each flag with its short name and what it does.
func (s *session) printFlags(f *flagSet) {
	var rows []row
	width := 0
	for _, help := range f.described() {
		name := "    " + dashed(help.name)
		if help.short != "" {
			name = dashed(help.short) + ", " + dashed(help.name)
		}
		if help.value != "" {
			name += " " + help.value
		}
		rows = append(rows, row{name, help.usage})
		width = max(width, len(name))
	}
	for _, r := range rows {
		for line := range strings.SplitSeq(wrap(r.value, lineWidth-width-4), "\n") {
			s.printf("  %-*s  %s\n", width, r.name, line)
			r.name = ""
		}
	}
}

// A flagHelp is the help on a flag.
type flagHelp struct {
	name, short string // without dashes; short may be ""
	value       string // placeholder for the value; "" for a boolean flag
	usage       string // includes the default
}

// described returns the flags sorted by name.
func (f *flagSet) described() (flags []flagHelp) {
	f.VisitAll(func(defined *flag.Flag) {
		if defined.Usage == "" { // a short name of another flag
			return
		}
		value, usage := flag.UnquoteUsage(defined)
		help := flagHelp{name: defined.Name, short: f.short[defined.Name], usage: usage}
		if !isBool(defined) {
			help.value = value
			help.usage += defaultOf(defined)
		}
		flags = append(flags, help)
	})
	return flags
}

func defaultOf(f *flag.Flag) string {
	if f.DefValue == "" {
		return ""
	}
	return fmt.Sprintf(" (default %s)", strings.ToLower(f.DefValue))
}

const lineWidth = 80

// wrap breaks text between words into lines of at most width bytes.
func wrap(text string, width int) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case length+1+len(word) > width:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}
