package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/lazyregexp"
)

// ours occurs in every completion script; a file without it is not replaced.
var ours = lazyregexp.New(`completion (V2 )?for citekit`)

// An installedCompletion says where a script was installed and what the person must
// still do.
type installedCompletion struct {
	Shell   string `json:"shell"`
	Path    string `json:"path"`
	Changed bool   `json:"changed"`        // false if the file already had this content
	Line    string `json:"line,omitempty"` // to add to File by hand
	File    string `json:"file,omitempty"`
}

func (s *session) installCompletion(ctx context.Context, shell string) error {
	done, err := installCompletion(ctx, shell)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(done)
	}
	path := term.Line(done.Path)
	if done.Changed {
		s.printf("Installed the completion for %s: %s\n", shell, path)
	} else {
		s.printf("The completion for %s is up to date: %s\n", shell, path)
	}
	if done.Line != "" {
		s.printf("\nAdd this line to %s, before compinit is called, unless it is there:\n\n  %s\n\n", term.Line(done.File), term.Line(done.Line))
	}
	if shell == "bash" {
		s.printf("bash reads it by itself if the package bash-completion is installed.\n")
	}
	s.printf("New shells complete citekit.\n")
	return nil
}

// installCompletion writes the script to where the shell looks for scripts of a
// user. It edits no startup files.
func installCompletion(ctx context.Context, shell string) (installedCompletion, error) {
	script, _ := completionScript(shell)
	done, err := completionPlace(shell)
	if err != nil {
		return done, err
	}
	old, err := os.ReadFile(done.Path)
	switch {
	case err == nil && string(old) == script:
		return done, nil
	case err == nil && !ours.Match(old):
		return done, fmt.Errorf("'%s' exists and was not written by citekit; move it away, or print the completion with 'citekit completion %s'", done.Path, shell)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return done, err
	}
	target := done.Path
	if linked, err := filepath.EvalSymlinks(target); err == nil {
		target = linked // keep the link, replace its target
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return done, err
	}
	if err := copyToFile(ctx, bytes.NewReader([]byte(script)), target); err != nil {
		return done, err
	}
	done.Changed = true
	return done, nil
}

// completionPlace returns where a shell looks for the scripts of a user: for bash by
// the rules of bash-completion, for fish by its own. zsh has no such place, so it
// gets a folder that the person must add to fpath.
func completionPlace(shell string) (installedCompletion, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return installedCompletion{}, err
	}
	data := absoluteEnv("XDG_DATA_HOME", filepath.Join(home, ".local", "share"))
	place := installedCompletion{Shell: shell}
	switch shell {
	case "bash":
		user := absoluteEnv("BASH_COMPLETION_USER_DIR", filepath.Join(data, "bash-completion"))
		place.Path = filepath.Join(user, "completions", "citekit")
	case "fish":
		place.Path = filepath.Join(absoluteEnv("XDG_CONFIG_HOME", filepath.Join(home, ".config")), "fish", "completions", "citekit.fish")
	case "zsh":
		dir := filepath.Join(data, "zsh", "site-functions")
		place.Path = filepath.Join(dir, "_citekit")
		place.Line = "fpath=(" + quoteShell(dir) + " $fpath)"
		place.File = filepath.Join(absoluteEnv("ZDOTDIR", home), ".zshrc")
	}
	return place, nil
}

// absoluteEnv returns the folder that an environment variable names, or otherwise if
// the variable is empty or not absolute, as the XDG specification requires.
func absoluteEnv(name, otherwise string) string {
	if dir := os.Getenv(name); filepath.IsAbs(dir) {
		return dir
	}
	return otherwise
}

// quoteShell quotes a word for a shell if necessary.
func quoteShell(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+,:@", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// userShell returns the shell that $SHELL names.
func userShell() (string, error) {
	path := os.Getenv("SHELL")
	shell := strings.TrimSuffix(filepath.Base(path), ".exe")
	switch _, known := completionScript(shell); {
	case path == "":
		return "", usagef("completion", "SHELL is not set; name the shell: 'citekit completion install bash', zsh or fish")
	case !known:
		return "", usagef("completion", "no completion for shell %q of $SHELL; name bash, zsh or fish", shell)
	}
	return shell, nil
}
