package main

import (
	"context"
	_ "embed"
)

// The completion scripts. They ask "citekit __complete" for candidates.
var (
	//go:embed completion/citekit.bash
	bashCompletion string
	//go:embed completion/_citekit
	zshCompletion string
	//go:embed completion/citekit.fish
	fishCompletion string
)

// completionActions are install and the shells.
var completionActions = []string{"install", "bash", "zsh", "fish"}

func completionCommand() *command {
	var onlyPrint bool
	return &command{
		name:    "completion",
		args:    "install [shell] | bash | zsh | fish",
		actions: completionActions,
		summary: "Install or print the completion for a shell",
		about: `Completes commands, flags, resources, nodes and files. With install the script
is written to where your shell looks for it, and the path is printed. The shell
is that of $SHELL, or the one that you name: bash, zsh or fish. Run it again
after an update. No startup file is edited: for zsh the line to add to .zshrc is
printed.
  bash  ~/.local/share/bash-completion/completions/citekit
  zsh   ~/.local/share/zsh/site-functions/_citekit
  fish  ~/.config/fish/completions/citekit.fish
XDG_DATA_HOME, XDG_CONFIG_HOME and BASH_COMPLETION_USER_DIR are respected.

With only the name of a shell the script is printed:
  bash  source <(citekit completion bash)      in ~/.bashrc
  zsh   source <(citekit completion zsh)       in ~/.zshrc, after compinit
  fish  citekit completion fish | source       in ~/.config/fish/config.fish`,
		example: []string{"citekit completion install", "citekit completion install zsh", "citekit completion bash > /etc/bash_completion.d/citekit"},
		minArgs: 1, maxArgs: 2,
		flags: func(f *flagSet) {
			f.BoolVar(&onlyPrint, "print", false, "with install: print the script instead")
		},
		run: func(ctx context.Context, s *session, args []string) error {
			install := args[0] == "install"
			if install {
				args = args[1:]
			}
			if len(args) > 1 {
				return usagef("completion", "unexpected argument %q", args[1])
			}
			if len(args) == 0 {
				shell, err := userShell()
				if err != nil {
					return err
				}
				args = []string{shell}
			}
			script, ok := completionScript(args[0])
			switch {
			case !ok:
				return usagef("completion", "no completion for shell %q; there is bash, zsh and fish", args[0])
			case install && !onlyPrint:
				return s.installCompletion(ctx, args[0])
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
