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
	held  bool      // something else is counted in its place
	over  bool      // nothing is drawn any more
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
	if b.held || b.over || now.Sub(b.start) < patience || now.Sub(b.drawn) < interval {
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

// Count shows in place of the bar, once it has taken a moment, what goes on and
// for how many seconds, as in "text: 3 s", until the returned function is
// called, which removes that.
func (b *Bar) Count(text string) (stop func()) {
	if b == nil {
		return func() {}
	}
	b.hold(true)
	ended := make(chan struct{})
	var counting sync.WaitGroup
	counting.Go(func() { b.count(Line(text), ended) })
	return sync.OnceFunc(func() {
		close(ended)
		counting.Wait()
		b.hold(false)
	})
}

func (b *Bar) count(text string, ended <-chan struct{}) {
	start := time.Now()
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticks.C:
		}
		if took := time.Since(start); took >= patience {
			b.show(fmt.Sprintf("%s: %d s", text, int(took.Seconds())))
		}
	}
}

// hold keeps the bar from being drawn, or lets it be drawn again, and erases
// what is on its line.
func (b *Bar) hold(held bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = held
	b.erase()
}

func (b *Bar) show(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	b.line = line
	io.WriteString(b.w, eraseLine+line)
}

func (b *Bar) erase() {
	if b.line != "" {
		io.WriteString(b.w, eraseLine)
		b.line = ""
	}
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

// Stop removes the bar for good.
func (b *Bar) Stop() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	b.erase()
}
