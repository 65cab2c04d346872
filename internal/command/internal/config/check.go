package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// check returns the faults in combinations of settings that are each valid
// alone.
func (s *Settings) check() (faults Faults) {
	fault := func(setting, message string) {
		f := s.Fault(message, strings.Split(setting, ".")...)
		f.Verb = true
		faults = append(faults, f)
	}
	needs := func(given, other string, wanting bool) {
		if wanting {
			fault(given, "needs "+s.called(given, other))
		}
	}
	needs("tls.cert", "tls.key", s.TLS.Cert != "" && s.TLS.Key == "")
	needs("tls.key", "tls.cert", s.TLS.Key != "" && s.TLS.Cert == "")
	needs("oauth.audience", "oauth.issuer", s.OAuth.Audience != "" && s.OAuth.Issuer == "")
	needs("oauth.resource", "oauth.issuer", s.OAuth.Resource != "" && s.OAuth.Issuer == "")
	needs("oauth.scopes", "oauth.issuer", len(s.OAuth.Scopes) > 0 && s.OAuth.Issuer == "")
	needs("oauth.issuer", "oauth.resource", s.OAuth.Issuer != "" && s.OAuth.Resource == "")
	needs("model.config", "model.name", s.Model.Config != "" && s.Model.Name == "")
	needs("metrics.enabled", "metrics.listen", s.Metrics.Enabled && s.Metrics.Listen == "")
	if s.Stateless && s.SSE {
		fault("sse", "cannot be combined with "+s.called("sse", "stateless")+": that transport has sessions")
	}
	structural := s.Mapper.Name == "" || s.Mapper.Name == "structure"
	needs("mapper.config", "a mapper.name other than structure", s.Mapper.Config != "" && structural)
	needs("transcriber.config", "transcriber.name", s.Transcriber.Config != "" && s.Transcriber.Name == "")
	needs("mapper.enrich", "mapper.name gemini or openai", s.Mapper.Enrich && s.Mapper.Name != "gemini" && s.Mapper.Name != "openai")
	if s.Audit.File != "" && s.Audit.File == s.Log.File {
		fault("audit.file", "is the file of "+s.called("audit.file", "log.file")+": the audit log needs a file of its own")
	}
	for i, name := range s.Dialects {
		if slices.Contains(s.Dialects[:i], name) {
			fault("dialects", "has "+name+" twice")
		}
	}
	needs("oauth.grants", "oauth.issuer", len(s.OAuth.Grants) > 0 && s.OAuth.Issuer == "")
	return slices.Concat(faults, s.checkWorkspaces(), s.checkGrants())
}

// onlyHTTP are the settings that have no effect over the standard streams.
var onlyHTTP = []string{
	"host", "port", "tls", "hosts", "origins", "view", "stateless", "sse", "session_timeout", "drain", "keys", "oauth", "audit", "metrics", "traces",
}

// warnings returns warnings about settings in a file that have no effect
// because it does not set how clients connect.
func (s *Settings) warnings() (all []string) {
	if s.Transport == "http" || s.Given("transport") {
		return nil
	}
	for _, name := range onlyHTTP {
		if s.Origin(name) == s.Origin("mcp", name) {
			continue // where clients start the server too
		}
		f := s.Fault("has no effect without transport: http", name)
		if f.Verb = true; f.Origin.File != "" {
			all = append(all, f.Error())
		}
	}
	return all
}

// checkGrants returns the scopes that name unknown workspaces.
func (s *Settings) checkGrants() (faults Faults) {
	known := slices.Sorted(maps.Keys(s.Workspaces))
	if len(known) == 0 {
		known = []string{BaseWorkspace}
	}
	for _, scope := range slices.Sorted(maps.Keys(s.OAuth.Grants)) {
		for _, name := range s.OAuth.Grants[scope].Workspaces {
			if !slices.Contains(known, name) {
				faults = append(faults, s.Fault("there is no workspace "+message.Quote(name)+"; "+orNear(name, known), "oauth", "grants", scope, "workspaces"))
			}
		}
	}
	return faults
}

// called returns the name of another setting in the form of the given one: its
// flag, if the given one was a flag.
func (s *Settings) called(given, other string) string {
	if name := s.flags[other]; name != "" && s.Origin(strings.Split(given, ".")...).Flag != "" {
		return "--" + name
	}
	return other
}

func (s *Settings) checkWorkspaces() (faults Faults) {
	dirs := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(s.Workspaces)) {
		w := s.Workspaces[name]
		at := s.Origin("workspaces", name)
		if w.URL != "" {
			if w.Dir != "" || len(w.Roots) > 0 || w.MapsDir != "" || w.EvidenceDir != "" {
				faults = append(faults, s.Fault("is of another store, which has no dir, roots, maps_dir and evidence_dir: leave them out", "workspaces", name, "url"))
			}
			if other, ok := dirs[w.URL]; ok {
				faults = append(faults, s.Fault("it is the store of workspace "+other+"; each needs its own", "workspaces", name, "url"))
			}
			dirs[w.URL] = name
			continue
		}
		if w.Dir == "" {
			faults = append(faults, Fault{Origin: at, Setting: "workspaces." + name, Message: "has no dir: write the folder with its files", Verb: true})
			continue
		}
		if other, ok := dirs[w.Dir]; ok {
			faults = append(faults, s.Fault("it is the folder of workspace "+other+"; each needs its own", "workspaces", name, "dir"))
		}
		dirs[w.Dir] = name
	}
	return faults
}
