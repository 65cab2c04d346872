package main

import "context"

// A command is a subcommand of citekit.
type command struct {
	name    string
	args    string   // such as "<resource>"
	actions []string // the words that its first argument may be; nil if it may be any
	summary string   // begins with a verb; no full stop
	about   string   // paragraphs
	example []string // lines for a shell

	minArgs, maxArgs int // a negative maximum means any number

	maps mapUse

	hidden bool // not in help
	raw    bool // its arguments are not parsed

	flags func(*flagSet) // defines the flags; may be nil
	run   func(ctx context.Context, s *session, args []string) error
}

// commands returns all commands in the order in which help lists them.
func commands() []*command {
	return []*command{
		ingestCommand(),
		adaptCommand(),
		resolveCommand(),
		inspectCommand(),
		searchCommand(),
		similarCommand(),
		answerCommand(),
		verifyCommand(),
		readCommand(),
		citeCommand(),
		listCommand(),
		structureCommand(),
		contextCommand(),
		infoCommand(),
		checkMapCommand(),
		reanchorCommand(),
		rmCommand(),
		pruneCommand(),
		doctorCommand(),
		backupCommand(),
		restoreCommand(),
		allowedCommand(),
		keyCommand(),
		serveCommand(),
		configCommand(),
		versionCommand(),
		completionCommand(),
		manCommand(),
		helpCommand(),
		completeCommand(),
	}
}

func findCommand(name string) (*command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		if !c.hidden {
			names = append(names, c.name)
		}
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
	"open": "resolve --open", "view": "resolve --open", "get": "resolve", "extract": "resolve", "cut": "resolve", "clip": "resolve",
	"show": "read", "cat": "read", "print": "read", "head": "read", "text": "read",
	"ls": "list", "dir": "list", "tree": "list", "outline": "list", "toc": "list", "nodes": "list", "resources": "list",
	"status": "list --long", "stat": "info", "stats": "info", "diagnose": "doctor", "health": "doctor",
	"find": "search", "grep": "search", "query": "search", "ask": "answer", "check": "verify", "quote": "cite",
	"add": "ingest", "map": "ingest", "index": "ingest", "import": "ingest", "update": "ingest", "sync": "ingest", "watch": "ingest --watch",
	"delete": "rm", "remove": "rm", "move": "reanchor", "clean": "prune", "gc": "prune",
	"mcp": "serve", "server": "serve", "start": "serve", "export": "backup", "import-backup": "restore",
}

// flagSet returns a new set with only the flags of the command.
func (c *command) flagSet() *flagSet {
	f := newFlagSet(c.name)
	if c.flags != nil {
		c.flags(f)
	}
	return f
}
