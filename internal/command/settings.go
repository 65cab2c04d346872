package command

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/mcpadapter"
)

// settingFlags are the flags of serve and config that set settings. Package config
// reads them together with the file and the environment.
type settingFlags struct {
	command    string
	flags      *pflag.FlagSet
	file       string
	workspaces []string
	store      string // the URL of the one workspace; or ""
	dialects   []string
}

// settingOf maps each flag to its setting.
var settingOf = map[string]string{
	"transport": "transport", "host": "host", "port": "port", "view": "view", "stateless": "stateless", "sse": "sse",
	"tls-cert": "tls.cert", "tls-key": "tls.key", "session-timeout": "session_timeout",
	"keys": "keys", "dialect": "dialects", "toolsets": "toolsets", "tools": "tools", "read-only": "read_only",
	"ingest": "capabilities.ingest", "ocr": "capabilities.ocr", "ocr-program": "capabilities.ocr_program", "comments": "capabilities.comments",
	"embedder": "embedder", "reranker": "reranker", "model": "model.name", "model-config": "model.config",
	"transcriber": "transcriber.name", "transcriber-config": "transcriber.config",
	"log-level": "log.level", "log-format": "log.format", "log-file": "log.file", "audit-log": "audit.file",
	"metrics": "metrics.enabled",
}

func (f *settingFlags) register(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVar(&f.file, "config", "", "YAML `FILE` of settings (default $CITEKIT_CONFIG, else $SAGE_CONFIG, else citekit.yaml in your folder for settings)")
	flags.StringArrayVar(&f.workspaces, "workspace", nil, "serve the folder `NAME=DIR`, or the store NAME=URL, under this name; repeatable; URL alone is the one workspace")
	flags.String("keys", "", "`FILE` of the keys that callers need with --transport http, made by 'citekit key'")
	flags.Bool("ingest", false, "let agents make maps of files inside the roots")
	flags.StringArrayVar(&f.dialects, "dialect", []string{mcpadapter.Native}, "offer the tools of `DIALECT`: "+strings.Join(corpus.Dialects(), ", ")+"; repeatable, and separated by commas")
	flags.String("toolsets", "", "offer only the tools of these `TOOLSETS`: "+strings.Join(mcpadapter.Toolsets(), ", ")+", separated by commas")
	flags.String("tools", "", "offer only these `TOOLS`, by name, separated by commas")
	flags.Bool("read-only", false, "no tool writes maps or evidence files, even with --ingest")
	registerHTTP(flags)
	new(semanticsFlags).register(flags)
	new(mapperFlags).registerWriter(flags)
	new(transcriberFlags).register(flags)
	new(extraText).register(flags)
	flags.String("log-level", "warn", "lowest `LEVEL` that is logged: debug, info, warn or error")
	flags.String("log-format", "text", "`FORM` of the log: text or json")
	flags.String("log-file", "", "append the log to this `FILE`; SIGHUP reopens it")
	flags.String("audit-log", "", "append who did what to this `FILE`, as JSON; SIGHUP reopens it")
	flags.Bool("metrics", false, "serve metrics for Prometheus at 127.0.0.1:9464, or at the address in the settings")
}

// given returns the settings of the command line.
func (f *settingFlags) given() ([]config.Flag, error) {
	var all []config.Flag
	f.flags.Visit(func(one *pflag.Flag) {
		if setting, ok := settingOf[one.Name]; ok {
			value := one.Value.String()
			if one.Name == "dialect" {
				value = strings.Join(f.dialects, ",")
			}
			all = append(all, config.Flag{Name: one.Name, Setting: strings.Split(setting, "."), Value: value})
		}
	})
	for _, value := range f.workspaces {
		name, place, ok := strings.Cut(value, "=")
		if _, isStore := directoryOf(name); isStore {
			if len(f.workspaces) > 1 {
				return nil, usagef(f.command, "flag --workspace: a URL alone is the one workspace; write NAME=URL for one of several")
			}
			f.store = value
			continue
		}
		if !ok || place == "" {
			return nil, usagef(f.command, "flag --workspace: bad value %q: write NAME=DIR", value)
		}
		setting := "dir"
		if dir, isStore := directoryOf(place); isStore {
			setting = "url"
		} else {
			place = dir
		}
		all = append(all, config.Flag{Name: "workspace", Setting: []string{"workspaces", name, setting}, Value: place})
	}
	return all, nil
}

// load loads the settings from the file, the environment and the command line.
func (f *settingFlags) load() (*config.Settings, error) {
	flags, err := f.given()
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	for name, setting := range settingOf {
		names[setting] = name
	}
	s, err := config.Load(config.Sources{File: f.settingsFile(), Environ: os.Environ(), Flags: flags, FlagNames: names})
	var faults config.Faults
	if errors.As(err, &faults) {
		return nil, &settingsError{f.command, faults}
	}
	return s, err
}

// settingsFile returns the settings file, or "" if there is none. A file in the
// current folder must be named explicitly, as anybody may have put it there.
func (f *settingFlags) settingsFile() string {
	if f.file != "" {
		return f.file
	}
	if name := cmp.Or(os.Getenv("CITEKIT_CONFIG"), os.Getenv("SAGE_CONFIG")); name != "" {
		return name
	}
	dir := settingsDir()
	if dir == "" {
		return ""
	}
	name := filepath.Join(dir, "citekit.yaml")
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return name
}

// A settingsError reports everything that is wrong with settings.
type settingsError struct {
	command string
	faults  config.Faults
}

// faultOf returns what is wrong with one setting of a server.
func faultOf(settings *config.Settings, message string, setting ...string) error {
	return &settingsError{"serve", config.Faults{settings.Fault(message, setting...)}}
}

func (e *settingsError) Error() string { return strings.Join(e.lines(), "; ") }

// Is makes a settingsError match citekit.ErrSyntax, and so have the code of invalid
// input.
func (e *settingsError) Is(target error) bool { return target == citekit.ErrSyntax }

// lines returns one line for each fault.
func (e *settingsError) lines() []string {
	var all []string
	for _, fault := range e.faults {
		all = append(all, term.Line(fault.Error()))
	}
	if e.isUsage() {
		all[len(all)-1] += " (see 'citekit help " + e.command + "')"
	}
	return all
}

// isUsage reports whether only the command line is wrong.
func (e *settingsError) isUsage() bool {
	for _, fault := range e.faults {
		if fault.Origin.Flag == "" {
			return false
		}
	}
	return true
}

// A faultDetail is the JSON form of a fault.
type faultDetail struct {
	From    string `json:"from"`
	Line    int    `json:"line,omitempty"`
	Setting string `json:"setting,omitempty"`
	Message string `json:"message"`
}

func (e *settingsError) details() []faultDetail {
	var all []faultDetail
	for _, fault := range e.faults {
		all = append(all, faultDetail{fault.Origin.String(), fault.Origin.Line, fault.Setting, fault.Message})
	}
	return all
}
