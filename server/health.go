package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

func serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok\n"))
}

// probes answers whether a server can serve.
type probes struct {
	checks map[string][]*check
	logger *slog.Logger

	full map[string]func() bool // by workspace: whether its evidence is full

	mu      sync.Mutex // held while the checks run: one run at a time
	checked time.Time
	found   condition
	known   map[string]string

	gone sync.Map // the names of workspaces whose folder is missing, or whose store does not answer

	stopping atomic.Bool // the server was told to stop
}

// A condition is the result of all checks, by their names for probes, in order.
type condition struct {
	failing  []string
	degraded []string // what works in part, while the server is ready
}

// A check is one condition for serving.
type check struct {
	name    string // for the log
	do      func(context.Context) error
	running atomic.Bool
}

const (
	probeTime  = 10 * time.Second // for all checks; a folder that hangs is not ready then
	probeAgain = time.Second      // how long a result is used
	probeEvery = 2 * time.Second  // between looks without a probe
)

func newProbes(workspaces []Workspace, shared map[string]func(context.Context) error, logger *slog.Logger) *probes {
	p := &probes{checks: make(map[string][]*check), full: make(map[string]func() bool), logger: logger, known: make(map[string]string)}
	for _, w := range workspaces {
		if w.Full != nil {
			p.full[w.Name] = w.Full
		}
		if w.Ready != nil {
			p.checks[checkWorkspaces] = append(p.checks[checkWorkspaces], &check{name: w.Name, do: w.Ready})
		}
	}
	for kind, do := range shared {
		p.checks[kind] = append(p.checks[kind], &check{name: kind, do: do})
	}
	return p
}

// ServeHTTP implements [http.Handler].
func (p *probes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found := condition{failing: []string{checkStopping}}
	if !p.stopping.Load() {
		found = p.look(r.Context())
	}
	status := http.StatusOK
	if len(found.failing) > 0 {
		status = http.StatusServiceUnavailable
	}
	answer, _ := json.Marshal(struct { // names and a boolean always encode
		Ready    bool     `json:"ready"`
		Failing  []string `json:"failing,omitempty"`
		Degraded []string `json:"degraded,omitempty"`
	}{len(found.failing) == 0, found.failing, found.degraded})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(answer, '\n'))
}

// look returns what the checks find.
func (p *probes) look(ctx context.Context) condition {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.checked) < probeAgain {
		return p.found
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	found := make(map[*check]<-chan error) // all at once: a check that hangs takes no time from the others
	for _, checks := range p.checks {
		for _, c := range checks {
			found[c] = c.begin(ctx)
		}
	}
	failing := make(map[string]bool)
	for kind, checks := range p.checks {
		for _, c := range checks {
			err := awaitCheck(ctx, found[c])
			if kind == checkWorkspaces {
				var fault interface{ StorageFault() string }
				p.note(c.name, errors.Is(err, fs.ErrNotExist) || errors.As(err, &fault))
			}
			if err != nil {
				failing[kind] = true
				p.tell(ctx, kind, c.name, err.Error())
			} else {
				p.tell(ctx, kind, c.name, "")
			}
		}
	}
	p.found, p.checked = condition{slices.Sorted(maps.Keys(failing)), p.lookForRoom(ctx)}, time.Now()
	return p.found
}

// lookForRoom returns what works in part because the evidence of a workspace is full.
func (p *probes) lookForRoom(ctx context.Context) (degraded []string) {
	for _, name := range slices.Sorted(maps.Keys(p.full)) {
		failure := ""
		if p.full[name]() {
			degraded = []string{checkEvidence}
			failure = "the limit for its evidence is reached, and all of it is in use: new evidence is not stored, and texts that are not in the index are not searched; raise limits.evidence_per_workspace, and restart"
		}
		p.say(ctx, slog.LevelWarn, "degraded", checkEvidence, name, failure)
	}
	return degraded
}

// The names that a probe gets if a workspace fails its check, or has no room for
// evidence, or if the server stops.
const (
	checkWorkspaces = "workspaces"
	checkEvidence   = "evidence"
	checkStopping   = "stopping"
)

// note keeps whether the folder of a workspace is gone, or its store.
func (p *probes) note(workspace string, gone bool) {
	if gone {
		p.gone.Store(workspace, nil)
	} else {
		p.gone.Delete(workspace)
	}
}

// isGone reports whether the folder or the store of a workspace was gone at the last check.
// Calls to such a workspace must not be answered as if it were empty.
func (p *probes) isGone(workspace string) bool {
	_, gone := p.gone.Load(workspace)
	return gone
}

// watch looks every probeEvery until ctx ends, even without probes.
func (p *probes) watch(ctx context.Context) {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		p.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// errHangs reports a check that did not end in time.
var errHangs = errors.New("the previous check has not ended yet; does the file system respond?")

// begin starts a check, unless its previous run has not ended yet, and returns the
// channel of its error.
func (c *check) begin(ctx context.Context) <-chan error {
	ended := make(chan error, 1)
	if !c.running.CompareAndSwap(false, true) {
		ended <- errHangs
		return ended
	}
	go func() {
		defer c.running.Store(false)
		ended <- c.do(ctx)
	}()
	return ended
}

// awaitCheck returns the result of a check, and gives up when ctx ends: a file
// system that hangs ignores ctx.
func awaitCheck(ctx context.Context, ended <-chan error) error {
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended: // it ended while other checks were awaited
		return err
	default:
		return ctx.Err()
	}
}

// tell logs the result of a check if it differs from the last one.
func (p *probes) tell(ctx context.Context, kind, name, failure string) {
	p.say(ctx, slog.LevelError, "not ready", kind, name, failure)
}

// say is tell with the level and the text of the line about a failure.
func (p *probes) say(ctx context.Context, level slog.Level, text, kind, name, failure string) {
	key := text + "/" + kind + "/" + name
	if p.known[key] == failure {
		return
	}
	p.known[key] = failure
	if failure == "" {
		p.logger.LogAttrs(ctx, slog.LevelInfo, "well again", slog.String("check", kind), slog.String("name", name))
		return
	}
	p.logger.LogAttrs(ctx, level, text, slog.String("check", kind), slog.String("name", name), slog.String("error", safe(failure)))
}
