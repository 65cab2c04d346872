package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit/internal/command/internal/clients"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/localfile"
)

// mcpActions are the actions of the command.
var mcpActions = []string{"install"}

// backupSuffix ends the name of the file that has a configuration as it was before.
const backupSuffix = ".before-citekit"

var serverName = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

type mcpFlags struct {
	name            string
	project, ingest bool
	dryRun, undo    bool
}

func (m *mcpFlags) register(f *pflag.FlagSet) {
	f.StringVar(&m.name, "name", "citekit", "`NAME` of the server in the configuration; another one for each further folder")
	f.BoolVar(&m.project, "project", false, "write the file of the project in the current folder, not yours")
	f.BoolVar(&m.ingest, "ingest", false, "the agent may map files too ('citekit serve --ingest')")
	f.BoolVarP(&m.dryRun, "dry-run", "n", false, "only print the lines that would change")
	f.BoolVar(&m.undo, "undo", false, "take the server out again")
}

func mcpCommand(s *session) *cobra.Command {
	var flags mcpFlags
	c := &cobra.Command{
		Use:   "mcp install <client>",
		Short: "Add the server to the configuration of an MCP client",
		Long: `Writes into the configuration of an MCP client that it starts 'citekit serve' for
the base directory and the roots: ` + strings.Join(clients.Names(), ", ") + `.

Everything else in the file stays as it is, comments included. The file as it was
before is kept beside it, with ` + backupSuffix + ` at the end of its name, and --undo
takes the server out again; changes that were made since then stay. --dry-run
prints the lines that would change.

The paths that are written are absolute. Map the files first with 'citekit
ingest', or let the agent do it with --ingest.`,
		Example: lines(
			"citekit mcp install claude-desktop --dir ~/Documents",
			"citekit mcp install vscode --project --ingest",
			"citekit mcp install cursor --name papers --dir ~/papers --dry-run",
			"citekit mcp install cursor --name papers --undo",
		),
		Args: between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.mcp(cmd.Context(), args[0], args[1], &flags)
		},
	}
	flags.register(c.Flags())
	return c
}

// An installed says what became of the configuration of a client.
type installed struct {
	Client  string `json:"client"`
	Path    string `json:"path"`
	Name    string `json:"name"`
	Changed bool   `json:"changed"`          // false if the file was so before
	Backup  string `json:"backup,omitempty"` // the file as it was before, if there was one

	Replaced bool `json:"replaced,omitempty"` // there was another server of this name

	Change string `json:"change,omitempty"` // of a dry run: the lines that would go, with "-", and those that would come, with "+"

	next string
}

func (s *session) mcp(ctx context.Context, action, name string, flags *mcpFlags) error {
	client := clients.Find(name)
	switch {
	case !slices.Contains(mcpActions, action):
		return usagef("mcp", "unknown action %q; there is install", action)
	case client == nil:
		if near := closest(name, clients.Names()); near != "" {
			return usagef("mcp", "unknown client %q; did you mean '%s'?", name, near)
		}
		return usagef("mcp", "unknown client %q; there are %s. docs/clients.md has what to write for others", name, strings.Join(clients.Names(), ", "))
	case !serverName.MatchString(flags.name):
		return usagef("mcp", "flag --name: bad value %q: letters, digits, - and _, at most 64", flags.name)
	case s.storeURL != "":
		return usagef("mcp", "--workspace may hold credentials, which are not written into configurations; write the server there by hand, with CITEKIT_WORKSPACE in its environment")
	}
	path, err := s.configurationOf(client, flags.project)
	if err != nil {
		return err
	}
	var server clients.Server
	if !flags.undo {
		if server, err = s.serverFor(flags); err != nil {
			return err
		}
	}
	done := installed{Client: client.Name, Path: path, Name: flags.name, next: client.Next}
	if flags.undo {
		err = s.undoInstall(ctx, client, &done, flags)
	} else {
		err = s.install(ctx, client, server, &done, flags)
	}
	if err != nil {
		return fmt.Errorf("the configuration of %s, '%s': %w", client.Title, path, err)
	}
	return s.printInstalled(client, done, flags)
}

func (s *session) configurationOf(client *clients.Client, project bool) (string, error) {
	folder := ""
	if project {
		var err error
		if folder, err = os.Getwd(); err != nil {
			return "", err
		}
	}
	path, err := client.File(folder)
	if err != nil {
		return "", err
	}
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		return linked, nil // keep the link, replace its target
	}
	return path, nil
}

func (s *session) install(ctx context.Context, client *clients.Client, server clients.Server, done *installed, flags *mcpFlags) error {
	before, err := readConfiguration(done.Path)
	if err != nil {
		return err
	}
	after, err := client.Install(before, server)
	if err != nil {
		return byHand{err}
	}
	done.Changed = !bytes.Equal(before, after)
	has, err := client.Has(before, flags.name)
	done.Replaced = done.Changed && err == nil && has
	if flags.dryRun {
		done.Change = changedLines(before, after)
		return nil
	}
	if !done.Changed {
		return nil
	}
	if before != nil {
		done.Backup = done.Path + backupSuffix
		// A backup that was made when this server came stays: it has what was before.
		if !done.Replaced || !exists(done.Backup) {
			if err := writeConfiguration(ctx, done.Backup, done.Path, before, nil); err != nil {
				return err
			}
		}
	}
	return writeConfiguration(ctx, done.Path, done.Path, after, before)
}

func (s *session) undoInstall(ctx context.Context, client *clients.Client, done *installed, flags *mcpFlags) error {
	before, err := readConfiguration(done.Path)
	if err != nil {
		return err
	}
	if has, err := client.Has(before, flags.name); err != nil || !has {
		return err
	}
	backup, err := readConfiguration(done.Path + backupSuffix)
	if err != nil {
		return err
	}
	after, err := client.Undo(before, backup, flags.name)
	if err != nil {
		return byHand{err}
	}
	done.Changed = true
	switch {
	case flags.dryRun:
		done.Change = changedLines(before, after)
		return nil
	case after == nil:
		err = os.Remove(done.Path)
	default:
		err = writeConfiguration(ctx, done.Path, done.Path, after, before)
	}
	if err == nil && backup != nil && bytes.Equal(after, backup) {
		err = os.Remove(done.Path + backupSuffix)
	}
	return err
}

// serverFor returns the server that a client is to start.
func (s *session) serverFor(flags *mcpFlags) (clients.Server, error) {
	server := clients.Server{Name: flags.name, Args: []string{"serve"}}
	program, err := os.Executable()
	if err != nil {
		return server, err
	}
	if strings.Contains(filepath.ToSlash(program), "/go-build") {
		return server, errors.New("this program is one that 'go run' deletes again; 'go install ./cmd/citekit' first")
	}
	if command, args := runner(program); command != "" {
		server.Command, server.Args = command, append(args, server.Args...)
	} else {
		server.Command = program
	}
	for i, dir := range append([]string{s.dir}, s.roots...) {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return server, err
		}
		if info, err := os.Stat(dir); err != nil {
			return server, fmt.Errorf("the folder of --%s, '%s': %w", []string{"dir", "root"}[min(i, 1)], dir, localfile.WithoutPath(err))
		} else if !info.IsDir() {
			return server, fmt.Errorf("'%s' is not a folder", dir)
		}
		server.Args = append(server.Args, []string{"--dir", "--root"}[min(i, 1)], dir)
	}
	if s.mapsDir != "" {
		server.Args = append(server.Args, "--maps-dir", s.mapsDir)
	}
	if s.outputDir != "" {
		server.Args = append(server.Args, "--output-dir", s.outputDir)
	}
	if flags.ingest {
		server.Args = append(server.Args, "--ingest")
	}
	return server, nil
}

// runner returns the command that fetches and runs this program, if npx or uvx has put it
// into a cache from which it may be removed or replaced; else "".
func runner(program string) (command string, args []string) {
	switch path := filepath.ToSlash(program); {
	case strings.Contains(path, "/_npx/"):
		// What is in its cache starts at once, also without a network.
		return "npx", []string{"-y", "--prefer-offline", "@citekit/cli"}
	case strings.Contains(path, "/uv/") && strings.Contains(path, "/archive-v0/"):
		return "uvx", []string{"citekit"}
	}
	return "", nil
}

// changedLines returns the lines by which two texts differ. It shows nothing else of a
// file that may hold the keys of other servers.
func changedLines(before, after []byte) string {
	old, now := slices.Collect(bytes.Lines(before)), slices.Collect(bytes.Lines(after))
	for len(old) > 0 && len(now) > 0 && bytes.Equal(old[0], now[0]) {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && bytes.Equal(old[len(old)-1], now[len(now)-1]) {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	var b strings.Builder
	write := func(mark string, lines [][]byte) {
		for _, line := range lines {
			b.WriteString(mark + strings.TrimRight(string(line), "\r\n") + "\n")
		}
	}
	write("- ", old)
	write("+ ", now)
	return b.String()
}

// byHand is an error of a file that cannot be changed by a program.
type byHand struct{ error }

func (b byHand) Error() string {
	return b.error.Error() + "; nothing was written. https://github.com/citekit/citekit/blob/main/docs/clients.md has what to write by hand"
}
func (b byHand) Unwrap() error { return b.error }

// readConfiguration returns the content of a file, nil if there is none.
func readConfiguration(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// writeConfiguration writes a file whole, with the permissions of another one if that
// exists: configurations have the keys of other servers. It fails if the file is no
// longer as it was before; nil means that nobody else writes it.
func writeConfiguration(ctx context.Context, path, like string, data, before []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(like); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return writeWhole(path, mode, func(f *os.File) error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		if err := f.Chmod(mode); err != nil {
			return err
		}
		if now, err := readConfiguration(path); err != nil || before != nil && !bytes.Equal(now, before) {
			return errors.Join(err, errors.New("the client wrote it in this moment; try again, or close the client first"))
		}
		return ctx.Err()
	})
}

func (s *session) printInstalled(client *clients.Client, done installed, flags *mcpFlags) error {
	if s.json {
		return s.printJSON(done)
	}
	path := term.Line(done.Path)
	switch {
	case flags.dryRun && done.Changed:
		s.printf("In %s:\n\n", path)
		for line := range strings.Lines(done.Change) {
			s.printf("%s\n", strings.ReplaceAll(term.Line(strings.TrimRight(line, "\r\n")), `\t`, "  "))
		}
	case !done.Changed && flags.undo:
		s.printf("%s has no server %s.\n", path, done.Name)
	case !done.Changed:
		s.printf("%s has the server %s already.\n", path, done.Name)
	case flags.undo:
		s.printf("Took the server %s out of %s\n", done.Name, path)
	default:
		if done.Replaced {
			s.printf("Replaced the server %s in %s; with a --name of its own, this one would stand beside it.\n", done.Name, path)
		} else {
			s.printf("Added the server %s to %s\n", done.Name, path)
		}
		if done.Backup != "" && !done.Replaced {
			s.printf("As it was before it is in %s; --undo takes the server out again.\n", term.Line(done.Backup))
		}
		s.printf("%s\n", done.next)
		if !flags.ingest && !exists(within(s.dir, cmp.Or(s.mapsDir, ".resource_maps"))) {
			s.printf("No file of '%s' is mapped yet; 'citekit ingest' there maps them.\n", term.Line(s.dir))
		}
	}
	return nil
}
