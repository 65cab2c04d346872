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
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/internal/command/internal/term"
)

// settingsName is the file that init writes. A server reads it only where --config names
// it: a folder from elsewhere must not set up a server.
const settingsName = ".citekit.yaml"

const settingsText = `# Settings of 'citekit serve --config ` + settingsName + `'. What is commented out is the
# default; 'citekit config --config ` + settingsName + `' shows all settings there are.
workspaces:
  default:
    dir: .
    # roots: [../more]     # further folders that sources may be in
    # ingest: false        # true lets agents map files here
    # toolsets: []         # of the tools, only those of read, search and so on; none means all
`

func initCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Prepare a folder: settings, and what version control ignores",
		Long: `Writes ` + settingsName + ` into the base directory, with the settings of a server
of this folder, unless it is there. If there is a file .gitignore, the folders of
maps and evidence are added to it, as they can be made again.

The settings are read only where they are named: 'citekit serve --config
` + settingsName + `'. Other commands need none.`,
		Example: lines("citekit init", "citekit init --dir ~/papers"),
		Args:    between(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.init(cmd.Context()) },
	}
}

// A prepared says what init wrote.
type prepared struct {
	Settings string   `json:"settings"`
	Written  bool     `json:"written"` // false if it was there
	Ignored  []string `json:"ignored"` // the lines that were added to .gitignore
}

func (s *session) init(ctx context.Context) error {
	if s.storeURL != "" {
		return usagef("init", "init prepares a folder; a workspace in another store needs no such file")
	}
	if info, err := os.Stat(s.dir); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("'%s' is not a folder", s.dir)
	}
	done := prepared{Settings: filepath.Join(s.dir, settingsName), Ignored: []string{}}
	f, err := os.OpenFile(done.Settings, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case err == nil:
		_, err = f.WriteString(settingsText)
		if err = errors.Join(err, f.Close()); err != nil {
			return errors.Join(err, os.Remove(done.Settings))
		}
		done.Written = true
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if done.Ignored, err = s.ignore(ctx); err != nil {
		return err
	}
	if s.json {
		return s.printJSON(done)
	}
	if done.Written {
		s.printf("Wrote %s\n", term.Line(done.Settings))
	} else {
		s.printf("%s is there already.\n", term.Line(done.Settings))
	}
	if len(done.Ignored) > 0 {
		s.printf("Added to .gitignore: %s\n", strings.Join(done.Ignored, ", "))
	}
	return nil
}

// ignore adds the folders of maps and evidence to .gitignore, if there is one, and
// returns the lines that it added.
func (s *session) ignore(ctx context.Context) ([]string, error) {
	name := filepath.Join(s.dir, ".gitignore")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	had := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		had[strings.Trim(strings.TrimSpace(line), "/")] = true
	}
	newline := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		newline = "\r\n"
	}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(data, newline...)
	}
	added := []string{}
	for _, dir := range []string{cmp.Or(s.mapsDir, ".resource_maps"), cmp.Or(s.outputDir, ".citekit_output")} {
		if dir = filepath.ToSlash(dir); !filepath.IsAbs(dir) && !had[strings.Trim(dir, "/")] {
			added = append(added, dir+"/")
			data = append(data, dir+"/"+newline...)
		}
	}
	if len(added) == 0 {
		return added, nil
	}
	return added, replaceFile(name, data, func(string) error { return ctx.Err() })
}
