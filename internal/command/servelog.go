package command

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/internal/command/internal/config"
)

// logRun logs that a server starts, and returns the function that logs why it
// stopped, and after how long. The address is that of its port, or "".
func (s *session) logRun(ctx context.Context, logger *slog.Logger, settings *config.Settings, address string) (stopped func(failed error)) {
	workspaces, roots := s.served(settings)
	attrs := []slog.Attr{slog.String("version", buildVersion().Version), slog.String("transport", settings.Transport)}
	if address != "" {
		attrs = append(attrs, slog.String("address", address), slog.Bool("tls", settings.TLS.Cert != ""), slog.Bool("authentication", settings.Authenticates()))
	}
	attrs = append(attrs, slog.Int("workspaces", workspaces), slog.Int("roots", roots))
	logger.LogAttrs(ctx, slog.LevelInfo, "started", attrs...)
	start := time.Now()
	var asked atomic.Int64 // when it was asked to stop, since start
	forget := context.AfterFunc(ctx, func() { asked.Store(int64(time.Since(start))) })
	return func(failed error) {
		forget()
		attrs := []slog.Attr{slog.String("reason", stopReason(ctx, failed)), slog.Float64("ran_s", time.Since(start).Round(time.Millisecond).Seconds())}
		if at := time.Duration(asked.Load()); at > 0 {
			attrs = append(attrs, slog.Float64("stopping_s", float64((time.Since(start)-at).Milliseconds())/1000))
		}
		level := slog.LevelInfo
		if failed != nil {
			level = slog.LevelError
			attrs = append(attrs, slog.String("error", failed.Error()))
		}
		logger.LogAttrs(context.WithoutCancel(ctx), level, "stopped", attrs...)
	}
}

// stopReason says why a server stopped.
func stopReason(ctx context.Context, failed error) string {
	switch {
	case failed != nil:
		return "failed"
	case ctx.Err() == nil:
		return "end of input"
	}
	return context.Cause(ctx).Error() // terminated or interrupted
}

// served returns how many workspaces the settings serve, and how many further roots
// these have together.
func (s *session) served(settings *config.Settings) (workspaces, roots int) {
	if len(settings.Workspaces) == 0 {
		return 1, len(s.roots)
	}
	for _, w := range settings.Workspaces {
		roots += len(w.Roots)
	}
	return len(settings.Workspaces), roots
}
