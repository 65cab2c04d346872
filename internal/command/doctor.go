package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
)

func doctorCommand(s *session) *cobra.Command {
	var flags doctorFlags
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing, stale or misconfigured, and the remedy",
		Long: `Checks the machine, the base directory and the settings of a server, and prints
a line for each check: ok, warning or fault, with what to do about it. The exit
code is 1 if there are faults. Nothing is changed, no secret is printed, and
nothing is sent over a network, except that --online asks the servers of models.

doctor reads the settings that serve reads: see 'citekit help config'. If they
name workspaces, these are checked instead of the base directory.`,
		Example: lines("citekit doctor", "citekit doctor --config /etc/citekit/citekit.yaml", "citekit doctor --json"),
		Args:    between(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.doctor(cmd.Context(), flags) },
	}
	f := c.Flags()
	f.StringVar(&flags.config, "config", "", "YAML `FILE` of settings (default $CITEKIT_CONFIG, else $SAGE_CONFIG, else citekit.yaml in your folder for settings)")
	f.BoolVar(&flags.online, "online", false, "also ask whether the servers of models can be reached")
	return c
}

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	config string
	online bool
}

// The levels of findings.
const (
	levelOK      = "ok"
	levelWarning = "warning"
	levelFault   = "fault"
)

// A symptom is the result of one check.
type symptom struct {
	Level   string `json:"level"`
	Subject string `json:"subject"`          // such as "base directory /srv/docs"
	Message string `json:"message"`          // what was found
	Remedy  string `json:"remedy,omitempty"` // what to do; "" if nothing
}

// A doctor checks things and collects the symptoms.
type doctor struct {
	session  *session
	settings *config.Settings // nil if they are invalid
	flags    doctorFlags
	now      time.Time
	findings []symptom
}

func (d *doctor) ok(subject, format string, args ...any) {
	d.findings = append(d.findings, symptom{Level: levelOK, Subject: subject, Message: fmt.Sprintf(format, args...)})
}

func (d *doctor) warning(subject, remedy, format string, args ...any) {
	d.findings = append(d.findings, symptom{levelWarning, subject, fmt.Sprintf(format, args...), remedy})
}

func (d *doctor) fault(subject, remedy, format string, args ...any) {
	d.findings = append(d.findings, symptom{levelFault, subject, fmt.Sprintf(format, args...), remedy})
}

func (d *doctor) count(level string) (n int) {
	for _, f := range d.findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

func (s *session) doctor(ctx context.Context, flags doctorFlags) error {
	d := &doctor{session: s, flags: flags, now: time.Now()}
	stop := s.spin(ctx, "looking")
	d.checkMachine(ctx)
	d.checkSettings(ctx)
	d.checkSpaces(ctx)
	if d.settings != nil {
		d.checkServer(ctx)
	}
	stop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	faults := d.count(levelFault)
	if s.json {
		err := s.printJSON(struct {
			OK       bool      `json:"ok"`
			Faults   int       `json:"faults"`
			Warnings int       `json:"warnings"`
			Findings []symptom `json:"findings"`
		}{faults == 0, faults, d.count(levelWarning), d.findings})
		if err != nil {
			return err
		}
	} else {
		d.print()
	}
	if faults > 0 {
		return errReported
	}
	return nil
}

func (d *doctor) print() {
	for _, f := range d.findings {
		d.session.printf("%-7s  %s\n", f.Level, term.Line(f.Subject+": "+joined(f.Message)))
		if f.Remedy != "" {
			d.session.printf("%9s%s\n", "", term.Line("→ "+joined(f.Remedy)))
		}
	}
	d.session.printf("%s, %s\n", message.Count(d.count(levelFault), "fault"), message.Count(d.count(levelWarning), "warning"))
}

func joined(text string) string { return strings.Join(strings.Fields(text), " ") }

// checkSettings loads the settings of a server, if there are any.
func (d *doctor) checkSettings(ctx context.Context) {
	from := &settingFlags{command: "doctor", file: d.flags.config, flags: new(pflag.FlagSet)}
	settings, err := from.load()
	const remedy = "correct it; 'citekit config --schema' has all settings"
	name := from.settingsFile()
	if wrong, ok := err.(*settingsError); ok {
		for _, line := range wrong.lines() {
			d.fault("settings", remedy, "%s", line)
		}
		return
	}
	if err != nil {
		d.fault("settings", remedy, "%v", err)
		return
	}
	for _, warning := range settings.Warnings {
		d.warning("settings", "", "%s", warning)
	}
	d.settings = settings
	if wrong, ok := checkServing(ctx, settings, func(warning string) { d.warning("settings", "", "%s", warning) }).(*settingsError); ok {
		for _, line := range wrong.lines() {
			d.fault("settings", remedy, "%s", line)
		}
		return
	}
	if name == "" {
		d.ok("settings", "no settings file; the defaults and environment variables apply")
		return
	}
	d.ok("settings", "%s can be used", name)
}
