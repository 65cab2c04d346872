package main

import (
	"context"
	_ "embed"
)

// The scripts ask "citekit __complete" for the words that may come next.
var (
	//go:embed completion/citekit.bash
	bashCompletion string
	//go:embed completion/_citekit
	zshCompletion string
	//go:embed completion/citekit.fish
	fishCompletion string
)

func completionCommand() *command {
	return &command{
		name:    "completion",
		args:    "bash|zsh|fish",
		summary: "Print a completion script for a shell",
		about: `Prints a script that completes commands, flags, resources, nodes and files.
  bash  source <(citekit completion bash)      in ~/.bashrc
  zsh   source <(citekit completion zsh)       in ~/.zshrc, after compinit
  fish  citekit completion fish | source       in ~/.config/fish/config.fish`,
		example: []string{"citekit completion bash > /etc/bash_completion.d/citekit"},
		minArgs: 1, maxArgs: 1,
		run: func(_ context.Context, s *session, args []string) error {
			script, ok := completionScript(args[0])
			if !ok {
				return usagef("completion", "no completion for shell %q; there is bash, zsh and fish", args[0])
			}
			s.printf("%s", script)
			return nil
		},
	}
}

func completionScript(shell string) (script string, ok bool) {
	switch shell {
	case "bash":
		return bashCompletion, true
	case "zsh":
		return zshCompletion, true
	case "fish":
		return fishCompletion, true
	}
	return "", false
}
