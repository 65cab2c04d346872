package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

const prefix = "CITEKIT_"

// otherVariables are not settings: they are secrets and other inputs of the
// command.
var otherVariables = []string{
	"CITEKIT_CONFIG", "CITEKIT_FILE_MODE", "CITEKIT_GROUP", "CITEKIT_KEY_FILE", "CITEKIT_WORKSPACE", "CITEKIT_EMBEDDER_KEY", "CITEKIT_RERANKER_KEY",
	"CITEKIT_EVENTS_TOKEN",
}

// ofTests are prefixes of variables that only the tests read.
var ofTests = []string{
	"CITEKIT_AGAIN", "CITEKIT_BENCH_", "CITEKIT_CODE_", "CITEKIT_CONFORMANCE", "CITEKIT_DOCS", "CITEKIT_HEADINGS", "CITEKIT_HELD", "CITEKIT_LOAD", "CITEKIT_LONG",
	"CITEKIT_MANUAL", "CITEKIT_MARKDOWN", "CITEKIT_MISSES",
	"CITEKIT_NODE_MODULES", "CITEKIT_PASSAGES", "CITEKIT_PDFS", "CITEKIT_PROGRAMS", "CITEKIT_QUOTES", "CITEKIT_READERS", "CITEKIT_SAME",
	"CITEKIT_SEARCH_", "CITEKIT_SEED", "CITEKIT_SHARED",
	"CITEKIT_TABLES", "CITEKIT_TEST_", "CITEKIT_WORKBOOKS",
}

func isOfTests(name string) bool {
	return slices.ContainsFunc(ofTests, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Variable returns the name of the environment variable of a setting.
func (p path) variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(string(p), separator, "_"))
}

// readEnvironment returns the settings of an environment. An empty variable is
// treated as not given. Unknown variables are reported as warnings, except
// those that Kubernetes sets in containers.
func readEnvironment(environ []string) (l *layer, warnings []string) {
	l = newLayer()
	settings := make(map[string]path)
	for _, p := range everySetting() {
		settings[p.variable()] = p
	}
	tools, _ := find("timeouts")
	for _, tool := range tools.rules.oneOf {
		p := path("timeouts").to(tool)
		settings[p.variable()] = p
	}
	known := slices.Clone(otherVariables)
	for name := range settings {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		p, ok := settings[name]
		switch {
		case !strings.HasPrefix(name, prefix), value == "", isOfKubernetes(name, value), isOfTests(name):
		case ok:
			m, _ := find(p)
			l.setText(p, m, value, Origin{Variable: name})
		case !slices.Contains(otherVariables, name):
			warnings = append(warnings, unknownVariable(name, known))
		}
	}
	return l, warnings
}

// unknownVariable returns the warning about a variable that is not a setting.
func unknownVariable(name string, known []string) string {
	for _, near := range message.Closest(name, slices.Values(known), 1, 1) {
		if message.Distance(name, near, 2) <= 2 {
			return fmt.Sprintf("environment variable %s is not a setting; did you mean %s?", message.Clip(name), near)
		}
	}
	return fmt.Sprintf("environment variable %s is not a setting; 'citekit config' prints all settings", message.Clip(name))
}

// isOfKubernetes reports whether a variable is one that Kubernetes sets in each
// container of a namespace with a service named citekit, or citekit-mcp: CITEKIT_PORT is
// then an address.
func isOfKubernetes(name, value string) bool {
	name = strings.Replace(name, "CITEKIT_MCP_", prefix, 1)
	return strings.HasPrefix(name, "CITEKIT_SERVICE_") || strings.HasPrefix(name, "CITEKIT_PORT") && (strings.Contains(value, "://") || name != "CITEKIT_PORT")
}
