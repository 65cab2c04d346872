package stats

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// programs asks all resolvers at once: a program takes a moment to say its
// version. Of two that are configured for one name, one that is found counts.
func (c *Collector) programs(ctx context.Context) []Program {
	var mu sync.Mutex
	all := make(map[string]Program)
	add := func(p Program) {
		mu.Lock()
		defer mu.Unlock()
		if before := all[p.Name]; !before.Found {
			p.Version = cmp.Or(p.Version, before.Version)
			all[p.Name] = p
		}
	}
	var asking sync.WaitGroup
	for _, resolver := range c.lib.Resolvers() {
		user, ok := resolver.(ProgramUser)
		if !ok {
			continue
		}
		asking.Go(func() {
			found, missing := user.Programs(ctx)
			for name, version := range found {
				add(Program{Name: name, Found: true, Version: version})
			}
			for _, name := range missing {
				add(Program{Name: name})
			}
		})
	}
	asking.Wait()
	programs := slices.AppendSeq(make([]Program, 0, len(all)), maps.Values(all)) // never null in JSON
	slices.SortFunc(programs, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return programs
}
