package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/citekit/citekit/internal/config"
	"github.com/citekit/citekit/internal/logfile"
)

// logs are those of a server.
type logs struct {
	logger, audit *slog.Logger // audit is nil if there is none
	level         *slog.LevelVar
	files         map[string]*logfile.File // by what they are for: log or audit
}

// openLogs opens the logs that the settings name.
func openLogs(settings *config.Settings, stderr io.Writer) (l *logs, err error) {
	l = &logs{level: new(slog.LevelVar), files: make(map[string]*logfile.File)}
	l.level.Set(levelOf(settings))
	out := stderr
	if settings.Log.File != "" {
		if out, err = l.open(settings, "log", settings.Log.File, stderr); err != nil {
			return nil, err
		}
	}
	var format logfile.Format
	if err := format.UnmarshalText([]byte(settings.Log.Format)); err != nil {
		return nil, err // Load has checked it
	}
	l.logger = slog.New(logfile.NewHandler(out, format, l.level))
	if settings.Audit.File != "" {
		file, err := l.open(settings, "audit", settings.Audit.File, stderr)
		if err != nil {
			l.close()
			return nil, err
		}
		l.audit = slog.New(logfile.NewHandler(file, logfile.JSON, nil))
	}
	return l, nil
}

func (l *logs) open(settings *config.Settings, section, name string, stderr io.Writer) (io.Writer, error) {
	file, err := logfile.Open(name, stderr)
	if err != nil {
		return nil, &settingsError{"serve", config.Faults{settings.Fault(fmt.Sprintf("it cannot be written: %v", systemError(err)), section, "file")}}
	}
	l.files[section] = file
	return file, nil
}

func levelOf(settings *config.Settings) (level slog.Level) {
	if level.UnmarshalText([]byte(settings.Log.Level)) != nil {
		return slog.LevelWarn // Load has checked it
	}
	return level
}

// reopen opens all files anew, as they may have been renamed. One that cannot be
// opened goes on where it was.
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

// lost tells for each file how many lines could not be written.
func (l *logs) lost() map[string]func() int64 {
	all := make(map[string]func() int64)
	for section, file := range l.files {
		all[section] = file.Lost
	}
	return all
}

// ready returns what tells whether all lines were written since it was last asked.
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
