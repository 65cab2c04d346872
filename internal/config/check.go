package config

import (
	"maps"
	"slices"
	"strings"
)

// check returns what is wrong with settings that are each right alone.
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
		fault("sse", "does not go with "+s.called("sse", "stateless")+": that transport has sessions")
	}
	structural := s.Mapper.Name == "" || s.Mapper.Name == "structure"
	needs("mapper.config", "another mapper.name than structure", s.Mapper.Config != "" && structural)
	needs("mapper.enrich", "mapper.name gemini or openai", s.Mapper.Enrich && s.Mapper.Name != "gemini" && s.Mapper.Name != "openai")
	if s.Audit.File != "" && s.Audit.File == s.Log.File {
		fault("audit.file", "is the file of "+s.called("audit.file", "log.file")+": the audit log is kept apart")
	}
	return append(faults, s.checkWorkspaces()...)
}

// called returns how the person who gave a setting gives another one: by its flag, if
// the first was one.
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
		if w.Dir == "" {
			faults = append(faults, Fault{Origin: at, Setting: "workspaces." + name, Message: "has no dir: write the folder with its files", Verb: true})
			continue
		}
		if other, ok := dirs[w.Dir]; ok {
			faults = append(faults, s.Fault("it is the folder of workspace "+other+"; each has its own", "workspaces", name, "dir"))
		}
		dirs[w.Dir] = name
	}
	return faults
}
