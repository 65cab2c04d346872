package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A namedCommand is made when it is needed: most runs need one of all.
type namedCommand struct {
	name string
	make func(*session) *cobra.Command
}

// commands returns all commands in the order in which help lists them.
func (o *Options) commands() []namedCommand {
	all := []namedCommand{
		{"init", initCommand},
		{"ingest", ingestCommand},
		{"adapt", adaptCommand},
		{"resolve", resolveCommand},
		{"inspect", inspectCommand},
		{"search", searchCommand},
		{"similar", similarCommand},
		{"answer", answerCommand},
		{"verify", verifyCommand},
		{"read", readCommand},
		{"cite", citeCommand},
		{"dossier", dossierCommand},
		{"view", viewCommand},
		{"list", listCommand},
		{"structure", structureCommand},
		{"context", contextCommand},
		{"info", infoCommand},
		{"check-map", checkMapCommand},
		{"reanchor", reanchorCommand},
		{"rm", rmCommand},
		{"prune", pruneCommand},
		{"doctor", doctorCommand},
		{"backup", backupCommand},
		{"restore", restoreCommand},
		{"copy", copyCommand},
		{"allowed", allowedCommand},
		{"key", keyCommand},
		{"serve", serveCommand},
		{"mcp", mcpCommand},
		{"skill", skillCommand},
		{"config", configCommand},
		{"version", versionCommand},
		{"completion", completionCommand},
		{"man", manCommand},
		{"help", helpCommand},
	}
	if o.Queue != nil {
		all = slices.Insert(all, 2, namedCommand{"worker", workerCommand}, namedCommand{"jobs", jobsCommand})
	}
	return all
}

// root returns the program without commands: addAll and findCommand add them.
func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "citekit",
		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { s.ran = c; return s.chooseWorkspace() },
		RunE:              func(c *cobra.Command, _ []string) error { return s.printOverview(c) },
		TraverseChildren:  true, // flags of every command may precede it
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	s.register(root.PersistentFlags())
	root.Flags().AddFlagSet(root.PersistentFlags())
	root.SetHelpCommand(helpCommand(s))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { s.printHelp(c) })
	root.SetOut(s.out)
	root.SetErr(s.stderr)
	return root
}

// lines joins the examples of a command.
func lines(examples ...string) string { return strings.Join(examples, "\n") }

// addAll adds all commands to the program.
func (s *session) addAll(root *cobra.Command) {
	for _, c := range s.options.commands() {
		if c.name != "help" { // the program has it
			root.AddCommand(c.make(s))
		}
	}
	root.InitDefaultHelpCmd()
}

// findCommand returns the command of a name, and adds it to the program.
func (s *session) findCommand(root *cobra.Command, name string) (*cobra.Command, error) {
	var names []string
	for _, c := range s.options.commands() {
		if c.name == name {
			found := c.make(s)
			root.AddCommand(found)
			return found, nil
		}
		names = append(names, c.name)
	}
	if meant := habits[name]; meant != "" {
		return nil, usagef("", "unknown command '%s'; 'citekit %s' does that", name, meant)
	}
	if near := closest(name, names); near != "" {
		return nil, usagef("", "unknown command '%s'; did you mean '%s'?", name, near)
	}
	return nil, usagef("", "unknown command '%s'; see 'citekit help'", name)
}

// habits are words of other programs, with the commands that do what they mean.
var habits = map[string]string{
	"open": "resolve --open", "browse": "view", "ui": "view", "get": "resolve", "extract": "resolve", "cut": "resolve", "clip": "resolve",
	"show": "read", "cat": "read", "print": "read", "head": "read", "text": "read",
	"ls": "list", "dir": "list", "tree": "list", "outline": "list", "toc": "list", "nodes": "list", "resources": "list",
	"status": "list --long", "stat": "info", "stats": "info", "diagnose": "doctor", "health": "doctor",
	"find": "search", "grep": "search", "query": "search", "ask": "answer", "check": "verify", "quote": "cite",
	"add": "ingest", "map": "ingest", "index": "ingest", "import": "ingest", "update": "ingest", "sync": "ingest", "watch": "ingest --watch",
	"delete": "rm", "remove": "rm", "move": "reanchor", "clean": "prune", "gc": "prune",
	"server": "serve", "start": "serve", "export": "backup", "import-backup": "restore",
	"cp": "copy", "clone": "copy", "migrate": "copy",
}

// between checks that a command has at least and at most some arguments; a negative
// maximum means any number.
func between(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef(c.Name(), "%s needs %s", c.Name(), arguments(c))
		case most >= 0 && len(args) > most:
			return unexpected(c.Name(), args, most)
		}
		return nil
	}
}

// arguments returns what a command takes besides flags, such as "<what>".
func arguments(c *cobra.Command) string {
	_, args, _ := strings.Cut(c.Use, " ")
	return args
}

// unexpected returns the error for more arguments than a command takes. Usually the
// shell has split an argument, or has treated its "#" as a comment.
func unexpected(command string, args []string, most int) error {
	extra := args[most]
	if most != 1 {
		return usagef(command, "unexpected argument %q", extra)
	}
	if isThere(args[0]) && isThere(extra) {
		return usagef(command, "%s takes one file, and not also %q", command, extra)
	}
	whole := args[0]
	for _, arg := range args[1:] {
		gap := " "
		if name, _, isParameter := strings.Cut(arg, "="); isParameter && isSelector(name) && !strings.Contains(whole, "#") {
			gap = "#"
		}
		whole += gap + arg
	}
	return usagef(command, "unexpected argument %q; what belongs together is quoted: citekit %s '%s'", extra, command, whole)
}

// isSelector reports whether a word is the name of an address parameter.
func isSelector(word string) bool {
	switch word {
	case "pages", "page", "t", "lines", "line", "bbox", "xywh", "v",
		"blocks", "block", "sheet", "cells", "rows", "cols", "part", "message", "table", "member":
		return true
	}
	return false
}
