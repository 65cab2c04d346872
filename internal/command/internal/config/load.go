package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// Sources are where settings come from. Each overrides those before it.
type Sources struct {
	File    string   // YAML; "" means none
	Environ []string // as returned by [os.Environ]
	Flags   []Flag

	// FlagNames has the names of all flags by their settings, such as
	// limits.calls, for messages.
	FlagNames map[string]string
}

// A Flag of a command line sets a setting.
type Flag struct {
	Name    string   // without dashes
	Setting []string // such as limits and calls
	Value   string
}

// Settings are the effective settings, with the origin of each.
type Settings struct {
	Config
	File     string   // that was read; "" if there was none
	Warnings []string // about mistakes that do not prevent serving

	origins map[path]Origin
	flags   map[string]string // as in Sources
}

// Load reads all sources. The error is a [Faults] with all mistakes.
func Load(from Sources) (*Settings, error) {
	file := newLayer()
	if from.File != "" {
		file = readFile(from.File)
	}
	return load(from, file)
}

func load(from Sources, file *layer) (*Settings, error) {
	environment, warnings := readEnvironment(from.Environ)
	flags := readFlags(from.Flags)
	s := &Settings{Config: Default(), File: from.File, Warnings: warnings, flags: from.FlagNames, origins: make(map[path]Origin)}
	var faults Faults
	for _, l := range []*layer{file, environment, flags} {
		faults = append(faults, l.faults...)
		maps.Copy(s.origins, l.origins)
		for p, value := range l.values {
			assign(reflect.ValueOf(&s.Config).Elem(), p.names(), value)
		}
	}
	if s.Transport == "sse" {
		s.Transport, s.SSE = "http", true
		s.origins["sse"] = s.origins["transport"]
	}
	s.fromMCP(from)
	s.Limits = s.Limits.filled()
	if s.Team() {
		s.FillTeam()
	}
	faults = append(faults, s.check()...)
	if len(faults) > 0 {
		return nil, faults.sorted()
	}
	s.Warnings = append(s.Warnings, s.warnings()...)
	return s, nil
}

// fromMCP takes what is not given otherwise from the settings of the SAGE reference, whose
// clients name their file in SAGE_CONFIG. Who gives a host or a port on the command line
// wants HTTP.
func (s *Settings) fromMCP(from Sources) {
	if !s.Given("dialects") && (s.Given("mcp") || from.File != "" && slices.Contains(from.Environ, "SAGE_CONFIG="+from.File)) {
		s.Dialects = []string{"sage"}
	}
	if s.Given("mcp", "host") && !s.Given("host") {
		s.Host, s.origins["host"] = s.MCP.Host, s.Origin("mcp", "host")
	}
	if s.Given("mcp", "port") && !s.Given("port") {
		s.Port, s.origins["port"] = s.MCP.Port, s.Origin("mcp", "port")
	}
	if s.Given("mcp", "max_connections") && !s.Given("limits", "connections") {
		s.Limits.Connections = s.MCP.MaxConnections // not given: limits are for several callers
	}
	if !s.Given("transport") && (s.Origin("host").Flag != "" || s.Origin("port").Flag != "") {
		s.Transport = "http"
	}
}

// assign sets the value at the end of the names, and makes the sections that lead there.
func assign(v reflect.Value, names []string, value any) {
	switch {
	case v.Kind() == reflect.Map && len(names) > 0:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		name, inner := reflect.ValueOf(names[0]), reflect.New(v.Type().Elem()).Elem()
		if before := v.MapIndex(name); before.IsValid() {
			inner.Set(before)
		}
		assign(inner, names[1:], value)
		v.SetMapIndex(name, inner)
	case len(names) > 0:
		for _, m := range members(v.Type()) {
			if m.name == names[0] {
				assign(v.Field(m.index), names[1:], value)
			}
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		v.Elem().Set(reflect.ValueOf(value))
	case value != nil:
		v.Set(reflect.ValueOf(value))
	}
}

func readFlags(flags []Flag) *layer {
	l := newLayer()
	for _, f := range flags {
		p, from := path(strings.Join(f.Setting, separator)), Origin{Flag: f.Name}
		if len(f.Setting) > 1 && f.Setting[0] == "workspaces" {
			if wrong := checkKey("workspaces", f.Setting[1]); wrong != "" {
				l.fault(from, p, "%s", bad(f.Setting[1], wrong))
				continue
			}
			l.origins[path("workspaces").to(f.Setting[1])] = from
		}
		m, ok := find(p)
		if !ok || m.isSection() {
			l.fault(from, p, "there is no setting %s", message.Clip(p.String()))
			continue
		}
		l.setText(p, m, f.Value, from)
	}
	return l
}

// Origin returns where the value of a setting comes from. Each argument is one
// name of the path, such as "limits", "calls".
func (s *Settings) Origin(setting ...string) Origin {
	return s.origins[path(strings.Join(setting, separator))]
}

// Given reports whether a setting, or any setting of a section, is not the
// default.
func (s *Settings) Given(setting ...string) bool {
	p := path(strings.Join(setting, separator))
	for given := range s.origins {
		if given == p || strings.HasPrefix(string(given), string(p)+separator) {
			return true
		}
	}
	return false
}

// Fault returns a fault of a setting, with its origin. The origin of a section
// is that of its first setting.
func (s *Settings) Fault(message string, setting ...string) Fault {
	p := path(strings.Join(setting, separator))
	origin, ok := s.origins[p]
	for given, from := range s.origins {
		if strings.HasPrefix(string(given), string(p)+separator) && (!ok || from.before(origin)) {
			origin, ok = from, true
		}
	}
	return Fault{Origin: origin, Setting: p.String(), Message: message}
}

// everySetting returns all settings except those within maps.
func everySetting() []path {
	var all []path
	walk("", member{typ: configType}, reflect.ValueOf(Config{}), func(p path, _ member, _ reflect.Value) { all = append(all, p) })
	return all
}
