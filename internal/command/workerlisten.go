package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/command/internal/telemetry"
)

// eventsVariable has the token of those who tell of changes.
const eventsVariable = "CITEKIT_EVENTS_TOKEN"

// minToken is the length of the shortest token, in bytes.
const minToken = 16

// A workerListener serves the metrics of a worker, and takes what buckets tell of their
// objects.
type workerListener struct {
	address string // "" is none
	queue   string // the URL of a queue of SQS, or ""

	mu      sync.Mutex
	jobs    map[string]int // that ended here, by their state
	sources map[string]int // of these, by what became of them
}

func (l *workerListener) register(f *pflag.FlagSet) {
	f.StringVar(&l.address, "listen", "", "serve metrics, probes and the webhook of events at `HOST:PORT`, such as 127.0.0.1:9809")
	f.StringVar(&l.queue, "events-queue", "", "take the events of the bucket from the queue of SQS at `URL`")
}

// start begins to serve, until ctx is done or stop is called.
func (l *workerListener) start(ctx context.Context, s *session, ws citekit.Workspace, q Queue) (stop func(), err error) {
	logger := slog.New(slog.NewTextHandler(s.stderr, nil))
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	end := func() {
		cancel()
		running.Wait()
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	events, isEventQueue := q.(eventQueue)
	token := os.Getenv(eventsVariable)
	handlers := map[string]http.Handler{
		"GET /healthz": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		"GET /readyz":  readyHandler(storeReadiness(ws), logger),
	}
	switch {
	case token == "" && l.queue == "":
	case !isEventQueue:
		return nil, fmt.Errorf("events: %w", errors.ErrUnsupported)
	case token != "" && len(token) < minToken:
		return nil, fmt.Errorf("%s is shorter than %d characters: take one by chance, such as that of 'openssl rand -hex 24'", eventsVariable, minToken)
	}
	if token != "" && l.address != "" {
		if handlers["POST /events"], err = events.Webhook(ws, token); err != nil {
			return nil, err
		}
	}
	if l.address != "" {
		served, listener, err := l.listen(ctx, s, ws, handlers, logger)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(s.stderr, "citekit: serving metrics at http://%s/metrics\n", listener.Addr())
		running.Go(func() {
			if err := served.Serve(ctx, listener); err != nil {
				logger.LogAttrs(ctx, slog.LevelError, "metrics are no longer served", slog.String("error", err.Error()))
			}
		})
	}
	if l.queue != "" {
		receive, err := events.Receiver(ws, l.queue, logger)
		if err != nil {
			return nil, err
		}
		running.Go(func() { receive(ctx) })
	}
	return end, nil
}

func (l *workerListener) listen(ctx context.Context, s *session, ws citekit.Workspace, handlers map[string]http.Handler, logger *slog.Logger) (*telemetry.Telemetry, net.Listener, error) {
	served, err := telemetry.New(ctx, &telemetry.Options{
		Version: buildVersion().Version, Children: child.Running, Logger: logger, Handlers: handlers,
		Numbers: func(ctx context.Context) []Number {
			numbers := l.numbers()
			if store, ok := ws.(Store); ok && s.options.Numbers != nil {
				numbers = append(numbers, s.options.Numbers(ctx, store)...)
			}
			return numbers
		},
	})
	if err != nil {
		return nil, nil, err
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", l.address)
	if err != nil {
		err = fmt.Errorf("--listen %s: %w", l.address, cause(err))
		if hint := listenHint(err); hint != "" {
			err = hinted{err, hint}
		}
	}
	return served, listener, err
}

// readyHandler answers 503 while a worker cannot use its store.
func readyHandler(ready func(context.Context) error, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := ready(r.Context()); err != nil {
			logger.LogAttrs(r.Context(), slog.LevelError, "not ready", slog.String("error", err.Error()))
			http.Error(w, "the workspace cannot be used", http.StatusServiceUnavailable)
		}
	})
}

// count counts a job that ended, or is to be tried again.
func (l *workerListener) count(j *QueueJob) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.jobs == nil {
		l.jobs, l.sources = make(map[string]int), make(map[string]int)
	}
	l.jobs[j.State]++
	for status, n := range j.Counts {
		l.sources[status] += n
	}
}

// numbers returns what was counted.
func (l *workerListener) numbers() (numbers []Number) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, state := range []string{"done", "waiting", "cancelled", "discarded"} {
		numbers = append(numbers, Number{Name: "citekit_jobs_ended_total", Help: "Attempts of jobs that ended in this process; those that are tried again are waiting.", Labels: map[string]string{"state": state}, Value: float64(l.jobs[state])})
	}
	for _, status := range []ingest.Status{ingest.Mapped, ingest.Copied, ingest.Renamed, ingest.Unchanged, ingest.Skipped, ingest.Vanished, ingest.Failed} {
		numbers = append(numbers, Number{Name: "citekit_sources_total", Help: "Sources of jobs that this process has done, by what became of them.", Labels: map[string]string{"status": string(status)}, Value: float64(l.sources[string(status)])})
	}
	return numbers
}
