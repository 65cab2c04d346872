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
	lineWidth = 79 // columns of the whole; a line that wraps could not be erased
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
	b.line = fmt.Sprintf("[%s%s] %s ", strings.Repeat("█", filled), strings.Repeat("░", barWidth-filled), Line(text))
	b.line += shorten(Line(name), lineWidth-utf8.RuneCountInString(b.line))
	b.drawn = now
	io.WriteString(b.w, eraseLine+b.line)
}

// shorten returns s, or the end of it with an ellipsis before, in at most max
// columns.
func shorten(s string, max int) string {
	runes := []rune(s)
	all, columns, start := 0, 1, len(runes) // one for the ellipsis
	for i := len(runes) - 1; i >= 0; i-- {
		all += columnsOf(runes[i])
		if columns+columnsOf(runes[i]) <= max && start == i+1 {
			columns += columnsOf(runes[i])
			start = i
		}
	}
	switch {
	case all <= max:
		return s
	case max < 1:
		return ""
	}
	return "…" + string(runes[start:])
}

// columnsOf returns how many columns a character takes at most: two if it is of
// the scripts of East Asia or a picture, which come after nearly all others.
func columnsOf(r rune) int {
	if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 {
		return 2
	}
	return 1
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
