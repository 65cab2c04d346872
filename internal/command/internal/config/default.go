package config

import (
	"maps"
	"runtime"
	"time"

	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// Default returns the values of settings that are not given. Limits that depend
// on other settings are zero.
func Default() Config {
	return Config{
		Transport:      "stdio",
		Host:           "127.0.0.1",
		Port:           8808,
		SessionTimeout: Duration(10 * time.Minute),
		Dialects:       []string{mcpadapter.Native},
		Mapper:         Mapper{Retries: 3},
		Limits: Limits{
			Sessions: 1000, Connections: 4096, BodyBytes: 4 << 20,
			Extractions: 4 * runtime.NumCPU(), ExtractionTime: Duration(10 * time.Minute),
			ChildProcesses: 4, DecoderMemory: 384 << 20, EvidencePerSpace: 10 << 30,
		},
		Log:     Log{Level: "warn", Format: "text"},
		Metrics: Metrics{Listen: "127.0.0.1:9464"},
	}
}

// BaseWorkspace is the name of the base directory in keys, if the settings have
// no workspaces.
const BaseWorkspace = transport.DefaultWorkspace

// Team reports whether the settings are those of a server for several callers:
// a server over HTTP with workspaces, keys, limits, or logs and metrics for an
// operator.
func (s *Settings) Team() bool {
	if s.Transport != "http" {
		return false
	}
	for _, section := range []string{"workspaces", "keys", "oauth", "limits", "audit", "metrics", "traces"} {
		if s.Given(section) {
			return true
		}
	}
	return false
}

// Authenticates reports whether callers must authenticate.
func (s *Settings) Authenticates() bool { return s.Keys != "" || s.OAuth.Issuer != "" }

// FillTeam sets the defaults of a server for several callers in settings that
// are not given: a time limit for every tool, and a line in the log for each
// request. [Load] does so if [Settings.Team] is true. A server that runs for
// several callers keeps doing so after its file changes.
func (s *Settings) FillTeam() {
	if !s.Given("log", "level") {
		s.Log.Level = "info"
	}
	all := make(map[string]Duration)
	for tool, timeout := range server.Timeouts() {
		all[tool] = Duration(timeout)
	}
	maps.Copy(all, s.Timeouts)
	s.Timeouts = all
}
