package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"

	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server"
)

// An adjusted holds the settings that the servers of all workspaces read at each
// request.
type adjusted struct {
	current atomic.Pointer[mcpadapter.Adjustment]
}

func newAdjusted(settings *config.Settings) *adjusted {
	a := new(adjusted)
	a.set(settings)
	return a
}

func (a *adjusted) get() mcpadapter.Adjustment { return *a.current.Load() }

func (a *adjusted) set(settings *config.Settings) {
	a.current.Store(&mcpadapter.Adjustment{
		Timeouts: timeoutsOf(settings), Toolsets: emptyIsNil(settings.Toolsets), Tools: emptyIsNil(settings.Tools), ReadOnly: settings.ReadOnly,
	})
}

// A reloader applies changed settings to a running server.
type reloader struct {
	flags    *settingFlags
	settings *config.Settings // in effect, except changes that need a restart
	logs     *logs
	team     *server.Server
	now      *adjusted
}

// run reloads at each request until ctx is done.
func (r *reloader) run(ctx context.Context, requests <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-requests:
			r.reload(ctx)
		}
	}
}

// reload reads the settings and opens the logs again. Faulty settings change
// nothing.
func (r *reloader) reload(ctx context.Context) {
	logger := r.logs.logger
	if err := r.logs.reopen(); err != nil {
		logger.LogAttrs(ctx, slog.LevelError, "a log could not be reopened, and continues in the old file", slog.String("error", err.Error()))
	}
	after, err := r.read()
	var faulty *settingsError
	if errors.As(err, &faulty) {
		for _, fault := range faulty.faults {
			logger.LogAttrs(ctx, slog.LevelError, "the settings stay as they were", slog.String("fault", fault.Error()))
		}
		return
	}
	if err != nil {
		logger.LogAttrs(ctx, slog.LevelError, "the settings stay as they were", slog.String("error", err.Error()))
		return
	}
	now, restart := config.Changes(r.settings, after)
	r.team.SetLimits(after.Limits.Server())
	r.now.set(after)
	r.logs.level.Set(levelOf(after))
	r.settings = r.settings.Reloaded(after)
	for _, setting := range restart {
		logger.LogAttrs(ctx, slog.LevelWarn, "a setting changed that needs a restart", slog.String("setting", setting))
	}
	level := slog.LevelWarn
	if len(now) == 0 {
		level = slog.LevelInfo // such as after log rotation
	}
	logger.LogAttrs(ctx, level, "settings reloaded", slog.String("changed", strings.Join(now, " ")))
}

// read reads the settings for a server with several callers. A file that is gone is
// an error: without it all limits would be the defaults, and all tools would be
// allowed.
func (r *reloader) read() (*config.Settings, error) {
	after, err := r.flags.load()
	if err != nil {
		return nil, err
	}
	if r.settings.File != "" && after.File == "" {
		return nil, fmt.Errorf("the file of settings %s is gone; put it back, or restart the server to do without it", term.Line(r.settings.File))
	}
	after.FillTeam()
	return after, nil
}
