package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// completionActions are install and the shells.
var completionActions = []string{"install", "bash", "zsh", "fish"}

func completionCommand(s *session) *cobra.Command {
	var onlyPrint bool
	c := &cobra.Command{
		Use:   "completion install [shell] | bash | zsh | fish",
		Short: "Install or print the completion for a shell",
		Long: `Completes commands, flags, resources, nodes and files. With install the script
is written to where your shell looks for it, and the path is printed. The shell
is that of $SHELL, or the one that you name: bash, zsh or fish. Run it again
after an update. No startup file is edited: for zsh the line to add to .zshrc is
printed.
  bash  ~/.local/share/bash-completion/completions/citekit
  zsh   ~/.local/share/zsh/site-functions/_citekit
  fish  ~/.config/fish/completions/citekit.fish
XDG_DATA_HOME, XDG_CONFIG_HOME and BASH_COMPLETION_USER_DIR are respected.

bash needs the package bash-completion. With only the name of a shell the script
is printed:
  bash  source <(citekit completion bash)      in ~/.bashrc
  zsh   source <(citekit completion zsh)       in ~/.zshrc, after compinit
  fish  citekit completion fish | source       in ~/.config/fish/config.fish`,
		Example: lines("citekit completion install", "citekit completion install zsh", "citekit completion bash > /etc/bash_completion.d/citekit"),
		Args:    between(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
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
				return s.installCompletion(cmd.Context(), args[0])
			}
			s.printf("%s", script)
			return nil
		},
	}
	f := c.Flags()
	f.BoolVar(&onlyPrint, "print", false, "with install: print the script instead")
	return c
}

// completionScript returns the script for a shell, or false for an unknown shell.
func completionScript(shell string) (script string, ok bool) {
	var b strings.Builder
	var err error
	switch root := new(session).root(); shell {
	case "bash":
		err = root.GenBashCompletionV2(&b, false)
	case "zsh":
		err = root.GenZshCompletionNoDesc(&b)
	case "fish":
		err = root.GenFishCompletion(&b, false)
	default:
		return "", false
	}
	return b.String(), err == nil
}
