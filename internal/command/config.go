package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/term"
)

func configCommand(s *session) *cobra.Command {
	flags := settingFlags{command: "config"}
	var check, schema bool
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings of a server, and where each comes from",
		Long: `Prints the settings that 'citekit serve' would have with the same flags, as YAML
with a comment that says where each comes from: the file, an environment
variable, a flag, or the default.

The file is the one that --config names, else the one that the environment
variable CITEKIT_CONFIG names, else the one that SAGE_CONFIG names, else
citekit.yaml in your folder for settings, such as ~/.config/citekit. A file in the
current folder is not read unless it is named. Environment variables, such as CITEKIT_LIMITS_CALLS for limits.calls,
override the file, and flags override both. Paths in the file are relative to
its folder.

Unknown settings, settings that are given twice, and invalid values are faults.
Each is printed with its file and line, and with the correct form.
With --check nothing else is printed, and the exit code is 1 if there are any.

Secrets are not settings: keys of models stay in the environment.`,
		Example: lines("citekit config", "citekit config --config /etc/citekit/citekit.yaml --check", "citekit config --schema > config.schema.json"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if schema {
				return s.printConfigSchema()
			}
			settings, err := flags.load()
			if err != nil {
				return err
			}
			for _, warning := range settings.Warnings {
				s.warn(warning)
			}
			if check {
				return checkServing(cmd.Context(), settings, s.warn)
			}
			return s.printSettings(settings)
		},
	}
	f := c.Flags()
	flags.register(f)
	f.BoolVar(&check, "check", false, "print only what is wrong")
	f.BoolVar(&schema, "schema", false, "print the JSON schema of the file")
	return c
}

// checkServing returns an error if a server could not start with these settings,
// although each is valid by itself. It warns of folders that
// are missing, as the settings may be for another machine, and of workspaces within others.
func checkServing(ctx context.Context, settings *config.Settings, warn func(string)) error {
	var faults config.Faults
	fault := func(message string, setting ...string) {
		faults = append(faults, settings.Fault(message, setting...))
	}
	if settings.Transport == transportHTTP {
		if _, err := listenAddress(ctx, settings); err != nil {
			wrong := new(settingsError)
			if !errors.As(err, &wrong) {
				return err
			}
			faults = append(faults, wrong.faults...)
		}
		if m := settings.Metrics; m.Enabled && m.Listen == net.JoinHostPort(settings.Host, strconv.Itoa(settings.Port)) {
			fault(fmt.Sprintf("bad value %q: clients connect there; give metrics another port", m.Listen), "metrics", "listen")
		}
	}
	for _, model := range []struct {
		setting string
		flags   semanticsFlags
	}{{"embedder", semanticsFlags{embedder: settings.Embedder}}, {"reranker", semanticsFlags{reranker: settings.Reranker}}} {
		if _, err := model.flags.open(); err != nil {
			fault("bad value: "+strings.TrimPrefix(err.Error(), "--"+model.setting+": "), model.setting)
		}
	}
	if missing := missingFolders(settings); len(missing) > 0 {
		for _, line := range (&settingsError{"config", missing}).lines() {
			warn(line)
		}
	}
	faults = append(faults, sharedFolders(settings, func(name, other string) {
		warn("workspaces." + name + ": its folder " + liesWithin + ": " + other)
	})...)
	if faults != nil {
		return &settingsError{"config", faults}
	}
	return nil
}

func (s *session) printConfigSchema() error {
	data, err := config.Schema()
	if err != nil {
		return err
	}
	_, err = s.out.Write(data)
	return err
}

func (s *session) printSettings(settings *config.Settings) error {
	if s.json {
		return s.printJSON(settings)
	}
	for line := range strings.Lines(string(settings.YAML())) {
		s.printf("%s\n", term.Line(strings.TrimSuffix(line, "\n")))
	}
	return nil
}
