package command

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"time"

	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/telemetry"
	"github.com/citekit/citekit/server"
)

// exportGrace is the time to send the last spans.
const exportGrace = 5 * time.Second

// Instruments are the telemetry and metrics of a server, as the settings ask.
type instruments struct {
	telemetry *telemetry.Telemetry // nil if the settings ask for none
	listener  net.Listener         // of the metrics; nil if there are none
	logger    *slog.Logger
}

// openTelemetry opens what the settings ask for. It listens on the address of the
// metrics at once, so that an address in use is reported before the server starts.
func (s *session) openTelemetry(ctx context.Context, settings *config.Settings, all []*hosted, logs *logs) (*instruments, error) {
	i := &instruments{logger: logs.logger}
	if !settings.Metrics.Enabled && !settings.Traces.Enabled {
		return i, nil
	}
	opts := &telemetry.Options{
		Version: buildVersion().Version, LogErrors: logs.lost(), Evidence: make(map[string]func() (hits, misses int64)), EvidenceFull: make(map[string]func() bool), Children: child.Running,
		Traces: settings.Traces.Enabled, Endpoint: settings.Traces.Endpoint, Logger: logs.logger,
	}
	for _, one := range all {
		opts.Workspaces = append(opts.Workspaces, one.name)
		if counter, ok := one.Workspace().(interface{ EvidenceUse() (hits, misses int64) }); ok {
			opts.Evidence[one.name] = counter.EvidenceUse
		}
		if one.full != nil {
			opts.EvidenceFull[one.name] = one.full
		}
	}
	if s.options.Numbers != nil {
		opts.Numbers = func(ctx context.Context) []Number { return s.numbersOf(ctx, all) }
	}
	var err error
	if i.telemetry, err = telemetry.New(ctx, opts); err != nil {
		return nil, err
	}
	if !settings.Metrics.Enabled {
		return i, nil
	}
	var listening net.ListenConfig
	if i.listener, err = listening.Listen(ctx, "tcp", settings.Metrics.Listen); err != nil {
		message := fmt.Sprintf("cannot listen on %s: %v", settings.Metrics.Listen, cause(err))
		if hint := listenHint(err); hint != "" {
			message += "; " + hint
		}
		return nil, faultOf(settings, message, "metrics", "listen")
	}
	return i, nil
}

// numbersOf returns what the stores of workspaces count.
func (s *session) numbersOf(ctx context.Context, all []*hosted) (numbers []Number) {
	for _, one := range all {
		store, ok := one.Workspace().(Store)
		if !ok {
			continue
		}
		for _, n := range s.options.Numbers(ctx, store) {
			n.Labels = maps.Clone(n.Labels)
			if n.Labels == nil {
				n.Labels = make(map[string]string)
			}
			n.Labels["workspace"] = one.name
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// observer returns the observer of calls, or nil if there is none.
func (i *instruments) observer() server.Observer {
	if i.telemetry == nil {
		return nil
	}
	return i.telemetry
}

// serve serves the metrics until ctx is done.
func (i *instruments) serve(ctx context.Context, load func() server.Load) {
	if i.telemetry == nil {
		return
	}
	i.telemetry.Watch(load)
	if i.listener == nil {
		return
	}
	i.logger.LogAttrs(ctx, slog.LevelInfo, "serving metrics", slog.String("address", i.listener.Addr().String()))
	go func() {
		if err := i.telemetry.Serve(ctx, i.listener); err != nil {
			i.logger.LogAttrs(ctx, slog.LevelError, "metrics are no longer served", slog.String("error", err.Error()))
		}
	}()
}

// close sends the pending spans.
func (i *instruments) close() {
	if i.listener != nil {
		i.listener.Close()
	}
	if i.telemetry == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), exportGrace)
	defer cancel()
	if err := i.telemetry.Shutdown(ctx); err != nil {
		i.logger.LogAttrs(ctx, slog.LevelWarn, "the last spans were not sent", slog.String("error", err.Error()))
	}
}
