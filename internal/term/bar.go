package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	barWidth  = 24
	nameWidth = 40 // characters of the name behind the bar
)

// A Bar shows on a terminal how much of some work is done. Make one with
// [NewBar]. It is safe for concurrent use; a nil Bar shows nothing.
type Bar struct {
	mu    sync.Mutex
	w     io.Writer
	start time.Time
	drawn time.Time // when it was last drawn
	line  string    // as it is on the terminal, or ""
}

// NewBar returns a bar that appears on w once the work has taken a moment.
func NewBar(w io.Writer) *Bar { return &Bar{w: w, start: time.Now()} }

// Set shows that part, from 0 to 1, of the work is done, with a text and a
// name behind the bar. It draws only so often that it can be called at any
// rate.
func (b *Bar) Set(part float64, text, name string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Sub(b.start) < patience || now.Sub(b.drawn) < interval {
		return
	}
	filled := int(max(0, min(part, 1)) * barWidth)
	b.line = fmt.Sprintf("[%s%s] %s %s", strings.Repeat("█", filled), strings.Repeat("░", barWidth-filled), Line(text), shorten(Line(name), nameWidth))
	b.drawn = now
	io.WriteString(b.w, eraseLine+b.line)
}

// shorten returns s, or the end of it with an ellipsis before, in at most max
// characters.
func shorten(s string, max int) string {
	n := utf8.RuneCountInString(s)
	if n <= max {
		return s
	}
	runes := []rune(s)
	return "…" + string(runes[n-max+1:])
}

// Above calls print, which may write lines on the same terminal, with the bar
// out of the way.
func (b *Bar) Above(print func()) {
	if b == nil {
		print()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.line != "" {
		io.WriteString(b.w, eraseLine)
	}
	print()
	if b.line != "" {
		io.WriteString(b.w, b.line)
	}
}

// Stop removes the bar.
func (b *Bar) Stop() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.line != "" {
		io.WriteString(b.w, eraseLine)
		b.line = ""
	}
}
