package config

import (
	"reflect"
	"slices"
	"strings"
)

// Changes returns the names of the settings that differ, in order: those that a
// running server can apply, and those that need a restart.
func Changes(before, after *Settings) (now, restart []string) {
	old := values(&before.Config)
	for p, value := range values(&after.Config) {
		if was, ok := old[p]; !ok || !reflect.DeepEqual(was, value) {
			now, restart = sortChange(p, now, restart)
		}
		delete(old, p)
	}
	for p := range old {
		now, restart = sortChange(p, now, restart)
	}
	slices.Sort(now)
	slices.Sort(restart)
	return now, restart
}

func sortChange(p path, now, restart []string) ([]string, []string) {
	m, _ := find(p)
	if m.rules.reload {
		return append(now, p.String()), restart
	}
	return now, append(restart, p.String())
}

// values returns the value of each setting. An empty list equals a missing one.
func values(c *Config) map[path]any {
	all := make(map[path]any)
	walk("", member{typ: configType}, reflect.ValueOf(*c), func(p path, _ member, v reflect.Value) {
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if list, ok := v.Interface().([]string); ok {
			all[p] = strings.Join(list, "\x00")
			return
		}
		all[p] = v.Interface()
	})
	return all
}

// Reloaded returns the settings of a server that has applied those changes in
// after that a running server can apply. All other settings keep their values
// until a restart.
func (s *Settings) Reloaded(after *Settings) *Settings {
	both := *s
	both.Timeouts = nil // not those that are gone
	walk("", member{typ: configType}, reflect.ValueOf(after.Config), func(p path, m member, v reflect.Value) {
		if m.rules.reload {
			assign(reflect.ValueOf(&both.Config).Elem(), p.names(), v.Interface())
		}
	})
	return &both
}
