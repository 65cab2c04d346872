package stats

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
)

var errPanic = errors.New("panic")

// programsFor is how long the list of programs is cached: finding the programs
// takes tenths of a second of processor time.
const programsFor = time.Minute

// knownPrograms are the programs that were found at some time.
type knownPrograms struct {
	mu   sync.Mutex
	at   time.Time
	list []Program
}

// programs returns the programs that the resolvers run. The result is not
// cached if there was no time to ask all of them.
func (c *Collector) programs(ctx context.Context) []Program {
	known := &c.found
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.list != nil && time.Since(known.at) < programsFor {
		return known.list
	}
	list := findPrograms(ctx, c.lib.Resolvers())
	if ctx.Err() == nil {
		known.list, known.at = list, time.Now()
	}
	return list
}

// findPrograms asks all resolvers concurrently. If several programs are
// configured for one name, one that is found takes precedence.
func findPrograms(ctx context.Context, resolvers citekit.Resolvers) []Program {
	var mu sync.Mutex
	all := make(map[string]Program)
	add := func(p Program) {
		mu.Lock()
		defer mu.Unlock()
		if before := all[p.Name]; !before.Found || before.Version == "" && p.Found {
			all[p.Name] = p
		}
	}
	var asking sync.WaitGroup
	for _, resolver := range resolvers {
		if user, ok := resolver.(ProgramUser); ok {
			asking.Go(func() { ask(ctx, user, add) })
		}
	}
	asking.Wait()
	programs := slices.AppendSeq(make([]Program, 0, len(all)), maps.Values(all)) // never null in JSON
	slices.SortFunc(programs, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return programs
}

// ask asks one resolver. A resolver that panics runs no programs.
func ask(ctx context.Context, user ProgramUser, add func(Program)) {
	var found map[string]string
	var missing []string
	err := concurrent.Call(func() error {
		found, missing = user.Programs(ctx)
		return nil
	}, func(any) error { return errPanic })
	if err != nil {
		return
	}
	for name, version := range found {
		add(Program{Name: name, Found: true, Version: version})
	}
	for _, name := range missing {
		add(Program{Name: name})
	}
}
