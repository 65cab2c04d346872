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
	if near := closest(name, names); near != "" {
		return nil, usagef("", "unknown command '%s'; did you mean '%s'?", name, near)
	}
	return nil, usagef("", "unknown command '%s'; see 'citekit help'", name)
}

// flagSet returns a new set with only the flags of the command.
func (c *command) flagSet() *flagSet {
	f := newFlagSet(c.name)
	if c.flags != nil {
		c.flags(f)
	}
	return f
}
