package config

import (
	"maps"
	"slices"
	"strings"
)

// check returns what is wrong with settings that are each right alone.
func (s *Settings) check() (faults Faults) {
	add := func(message string, setting ...string) { faults = append(faults, s.Fault(message, setting...)) }
	needs := func(given, other string, wanting bool) {
		if wanting {
			add("it needs "+other+", which is not given", strings.Split(given, ".")...)
		}
	}
	needs("tls.cert", "tls.key", s.TLS.Cert != "" && s.TLS.Key == "")
	needs("tls.key", "tls.cert", s.TLS.Key != "" && s.TLS.Cert == "")
	needs("oauth.audience", "oauth.issuer", s.OAuth.Audience != "" && s.OAuth.Issuer == "")
	needs("oauth.resource", "oauth.issuer", s.OAuth.Resource != "" && s.OAuth.Issuer == "")
	needs("oauth.scopes", "oauth.issuer", len(s.OAuth.Scopes) > 0 && s.OAuth.Issuer == "")
	needs("oauth.issuer", "oauth.resource", s.OAuth.Issuer != "" && s.OAuth.Resource == "")
	needs("model.config", "model.name", s.Model.Config != "" && s.Model.Name == "")
	needs("traces.enabled", "traces.endpoint", s.Traces.Enabled && s.Traces.Endpoint == "")
	needs("metrics.enabled", "metrics.listen", s.Metrics.Enabled && s.Metrics.Listen == "")
	if s.Stateless && s.SSE {
		add("it does not go with stateless: that transport has sessions", "sse")
	}
	structural := s.Mapper.Name == "" || s.Mapper.Name == "structure"
	needs("mapper.config", "another mapper.name than structure", s.Mapper.Config != "" && structural)
	needs("mapper.enrich", "mapper.name gemini or openai", s.Mapper.Enrich && s.Mapper.Name != "gemini" && s.Mapper.Name != "openai")
	if s.Audit.File != "" && s.Audit.File == s.Log.File {
		add("it is the file of log.file; the audit log is kept apart", "audit", "file")
	}
	return append(faults, s.checkWorkspaces()...)
}

func (s *Settings) checkWorkspaces() (faults Faults) {
	dirs := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(s.Workspaces)) {
		w := s.Workspaces[name]
		at := s.Origin("workspaces", name)
		if w.Dir == "" {
			faults = append(faults, Fault{at, "workspaces." + name, "it has no dir: write the folder with its files"})
			continue
		}
		if other, ok := dirs[w.Dir]; ok {
			faults = append(faults, Fault{s.Origin("workspaces", name, "dir"), "workspaces." + name + ".dir", "it is the folder of workspace " + other + "; each has its own"})
		}
		dirs[w.Dir] = name
	}
	return faults
}
