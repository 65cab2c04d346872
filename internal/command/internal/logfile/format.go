package logfile

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Format is how records are written, as the setting says it.
type Format string

// The formats: lines of "key=value" for people, or one JSON object in each
// line.
const (
	Text Format = "text"
	JSON Format = "json"
)

// NewHandler returns a handler that writes records from a level on to w, one
// line each. A nil level means [slog.LevelInfo]. Invisible characters, and
// bytes that are not UTF-8, are escaped, wherever they come from.
func NewHandler(w io.Writer, format Format, level slog.Leveler) slog.Handler {
	opts := &slog.HandlerOptions{Level: level}
	if format == JSON {
		return slog.NewJSONHandler(&escaper{w: w}, opts)
	}
	return slog.NewTextHandler(&escaper{w: w}, opts) // it does not escape DEL
}

// An escaper escapes invisible characters in lines, such as marks that change
// the direction of text, which JSON allows in strings.
type escaper struct {
	w  io.Writer
	mu sync.Mutex
	b  []byte
}

// Write implements [io.Writer], for whole lines.
func (e *escaper) Write(line []byte) (int, error) {
	if shows(line) {
		return e.w.Write(line)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.b = appendEscaped(e.b[:0], line)
	if _, err := e.w.Write(e.b); err != nil {
		return 0, err
	}
	return len(line), nil
}

// shows reports whether all characters of a line are visible, so that nothing
// needs escaping.
func shows(line []byte) bool {
	for i := 0; i < len(line); {
		if c := line[i]; c < utf8.RuneSelf {
			if c == 0x7f || c < ' ' && i != len(line)-1 {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		if !showing(r, size) {
			return false
		}
		i += size
	}
	return true
}

func showing(r rune, size int) bool {
	return unicode.IsPrint(r) && (r != utf8.RuneError || size > 1)
}

// appendEscaped appends a line with invisible characters escaped as in JSON
// strings.
func appendEscaped(b, line []byte) []byte {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case r == '\n' || showing(r, size):
			b = append(b, line[i:i+size]...)
		case r == utf8.RuneError:
			b = append(b, `\ufffd`...)
		case r > 0xffff:
			r -= 0x10000
			b = fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		i += size
	}
	return b
}

// printable returns text that is safe in a line on a terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.Quote(text)
	}
	return text
}
