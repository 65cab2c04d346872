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

	mu      sync.Mutex // held while the checks run: one run at a time
	checked time.Time
	failing []string // by their names for probes
	known   map[string]string

	gone sync.Map // the names of workspaces whose folder is missing
}

// A check is one condition for serving.
type check struct {
	name    string // for the log
	do      func(context.Context) error
	running atomic.Bool
}

const (
	probeTime  = 3 * time.Second // for all checks
	probeAgain = time.Second     // how long a result is used
	probeEvery = 2 * time.Second // between looks without a probe
)

func newProbes(workspaces []Workspace, shared map[string]func(context.Context) error, logger *slog.Logger) *probes {
	p := &probes{checks: make(map[string][]*check), logger: logger, known: make(map[string]string)}
	for _, w := range workspaces {
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
	failing := p.look(r.Context())
	status := http.StatusOK
	if len(failing) > 0 {
		status = http.StatusServiceUnavailable
	}
	answer, _ := json.Marshal(struct { // names and a boolean always encode
		Ready   bool     `json:"ready"`
		Failing []string `json:"failing,omitempty"`
	}{len(failing) == 0, failing})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(answer, '\n'))
}

// look returns the names of the checks that fail, in order.
func (p *probes) look(ctx context.Context) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.checked) < probeAgain {
		return p.failing
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
				p.note(c.name, errors.Is(err, fs.ErrNotExist))
			}
			if err != nil {
				failing[kind] = true
				p.tell(ctx, kind, c.name, err.Error())
			} else {
				p.tell(ctx, kind, c.name, "")
			}
		}
	}
	p.failing, p.checked = slices.Sorted(maps.Keys(failing)), time.Now()
	return p.failing
}

// checkWorkspaces is the name that a probe gets if a workspace fails its check.
const checkWorkspaces = "workspaces"

// note keeps whether the folder of a workspace is gone.
func (p *probes) note(workspace string, gone bool) {
	if gone {
		p.gone.Store(workspace, nil)
	} else {
		p.gone.Delete(workspace)
	}
}

// isGone reports whether the folder of a workspace was missing at the last check.
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
	key := kind + "/" + name
	if p.known[key] == failure {
		return
	}
	p.known[key] = failure
	if failure == "" {
		p.logger.LogAttrs(ctx, slog.LevelInfo, "well again", slog.String("check", kind), slog.String("name", name))
		return
	}
	p.logger.LogAttrs(ctx, slog.LevelError, "not ready", slog.String("check", kind), slog.String("name", name), slog.String("error", safe(failure)))
}
