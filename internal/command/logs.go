package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/logfile"
)

// logs are the logs of a server.
type logs struct {
	logger, audit *slog.Logger // audit is nil if there is none
	level         *slog.LevelVar
	files         map[string]*logfile.File // by section of the settings: log or audit
}

// openLogs opens the logs that the settings name.
func openLogs(settings *config.Settings, stderr io.Writer) (l *logs, err error) {
	l = &logs{level: new(slog.LevelVar), files: make(map[string]*logfile.File)}
	l.level.Set(levelOf(settings))
	out := stderr
	format := logfile.Format(settings.Log.Format) // which Load has checked
	if settings.Log.File != "" {
		if out, err = l.open(settings, "log", settings.Log.File, format, stderr); err != nil {
			return nil, err
		}
	}
	l.logger = slog.New(logfile.NewHandler(out, format, l.level))
	if settings.Audit.File != "" {
		file, err := l.open(settings, "audit", settings.Audit.File, logfile.JSON, stderr)
		if err != nil {
			l.close()
			return nil, err
		}
		l.audit = slog.New(logfile.NewHandler(file, logfile.JSON, nil))
	}
	return l, nil
}

func (l *logs) open(settings *config.Settings, section, name string, format logfile.Format, stderr io.Writer) (io.Writer, error) {
	file, err := logfile.Open(name, stderr)
	if err != nil {
		return nil, faultOf(settings, fmt.Sprintf("'%s' cannot be written: %v", name, systemError(err)), section, "file")
	}
	file.Gap = logfile.GapLine(format)
	l.files[section] = file
	return file, nil
}

func levelOf(settings *config.Settings) (level slog.Level) {
	if level.UnmarshalText([]byte(settings.Log.Level)) != nil {
		return slog.LevelWarn // cannot happen: Load has checked it
	}
	return level
}

// reopen opens all files again, as they may have been renamed. If that fails for a
// file, logging to its old file goes on.
func (l *logs) reopen() (failed error) {
	for section, file := range l.files {
		if err := file.Reopen(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s.file: %w", section, err))
		}
	}
	return failed
}

func (l *logs) close() (failed error) {
	for _, file := range l.files {
		failed = errors.Join(failed, file.Close())
	}
	return failed
}

// lost returns a counter per file of the lines that could not be written.
func (l *logs) lost() map[string]func() int64 {
	all := make(map[string]func() int64)
	for section, file := range l.files {
		all[section] = file.Lost
	}
	return all
}

// ready returns a check that fails if lines were lost since its last call.
func (l *logs) ready() func() error {
	var mu sync.Mutex
	before := make(map[string]int64)
	return func() (failed error) {
		mu.Lock()
		defer mu.Unlock()
		for section, file := range l.files {
			if lost := file.Lost(); lost > before[section] {
				before[section] = lost
				failed = errors.Join(failed, fmt.Errorf("lines of %s.file could not be written", section))
			}
		}
		return failed
	}
}

// A demoted handler handles records of level info as debug: package server already
// logs each request, so the records of the protocol add nothing.
type demoted struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (d demoted) Enabled(ctx context.Context, level slog.Level) bool {
	return d.Handler.Enabled(ctx, lower(level))
}

// Handle implements [slog.Handler].
func (d demoted) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lower(r.Level)
	return d.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (d demoted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return demoted{d.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (d demoted) WithGroup(name string) slog.Handler { return demoted{d.Handler.WithGroup(name)} }

func lower(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}
