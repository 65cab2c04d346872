package mcpcall

import (
	"context"
	"log/slog"
)

// A foreignLog handles log records of the SDK and of package http, which repeat
// callers' input unchanged. It escapes control characters, keeps each record on
// one line, and shortens it.
type foreignLog struct{ slog.Handler }

// ForForeign returns a logger for code of others. It logs at level debug at most,
// because callers cause much of the output and this package itself logs calls
// that fail.
func ForForeign(logger *slog.Logger) *slog.Logger { return slog.New(foreignLog{logger.Handler()}) }

// Enabled implements [slog.Handler].
func (f foreignLog) Enabled(ctx context.Context, level slog.Level) bool {
	return f.Handler.Enabled(ctx, min(level, slog.LevelDebug))
}

// Handle implements [slog.Handler].
func (f foreignLog) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, min(r.Level, slog.LevelDebug), Printable(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(printableAttr(a))
		return true
	})
	return f.Handler.Handle(ctx, clean)
}

// WithAttrs implements [slog.Handler].
func (f foreignLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, 0, len(attrs))
	for _, a := range attrs {
		clean = append(clean, printableAttr(a))
	}
	return foreignLog{f.Handler.WithAttrs(clean)}
}

// WithGroup implements [slog.Handler].
func (f foreignLog) WithGroup(name string) slog.Handler {
	return foreignLog{f.Handler.WithGroup(name)}
}

func printableAttr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString, slog.KindAny, slog.KindGroup:
		return slog.String(Printable(a.Key), Printable(v.String()))
	}
	return a
}
