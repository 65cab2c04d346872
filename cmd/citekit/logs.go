package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/citekit/citekit/internal/config"
)

// logs are those of a server.
type logs struct {
	logger, audit *slog.Logger // audit is nil if there is none
	level         *slog.LevelVar
	files         []*logFile
}

// openLogs opens the logs that the settings name.
func openLogs(settings *config.Settings, stderr io.Writer) (l *logs, err error) {
	l = &logs{level: new(slog.LevelVar)}
	l.level.Set(levelOf(settings))
	out := stderr
	if settings.Log.File != "" {
		if out, err = l.open(settings, "log", settings.Log.File); err != nil {
			return nil, err
		}
	}
	l.logger = slog.New(logHandler(settings.Log.Format, out, l.level))
	if settings.Audit.File != "" {
		file, err := l.open(settings, "audit", settings.Audit.File)
		if err != nil {
			l.close()
			return nil, err
		}
		l.audit = slog.New(slog.NewJSONHandler(file, nil))
	}
	return l, nil
}

func logHandler(format string, out io.Writer, level slog.Leveler) slog.Handler {
	if format == "json" {
		return slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})
	}
	return slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})
}

func levelOf(settings *config.Settings) (level slog.Level) {
	if level.UnmarshalText([]byte(settings.Log.Level)) != nil {
		return slog.LevelWarn // Load has checked it
	}
	return level
}

func (l *logs) open(settings *config.Settings, section, name string) (io.Writer, error) {
	file := &logFile{setting: section + ".file", name: name}
	if err := file.reopen(); err != nil {
		return nil, &settingsError{"serve", config.Faults{settings.Fault(fmt.Sprintf("it cannot be written: %v", systemError(err)), section, "file")}}
	}
	l.files = append(l.files, file)
	return file, nil
}

// reopen opens all files anew, as they may have been renamed. One that cannot be
// opened goes on where it was.
func (l *logs) reopen() error {
	var failed error
	for _, file := range l.files {
		if err := file.reopen(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", file.setting, err))
		}
	}
	return failed
}

func (l *logs) close() {
	for _, file := range l.files {
		file.close()
	}
}

// failure returns why what was last written to a file could not be, or nil.
func (l *logs) failure() error {
	var failed error
	for _, file := range l.files {
		failed = errors.Join(failed, file.failure())
	}
	return failed
}

// A logFile is appended to, and can be opened anew by its name.
type logFile struct {
	setting, name string

	mu     sync.Mutex
	file   *os.File
	failed error // of the last write
}

func (f *logFile) reopen() error {
	file, err := os.OpenFile(f.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		f.file.Close()
	}
	f.file, f.failed = file, nil
	return nil
}

// Write implements [io.Writer].
func (f *logFile) Write(data []byte) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, f.failed = f.file.Write(data)
	return n, f.failed
}

func (f *logFile) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

func (f *logFile) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.file.Close()
}
