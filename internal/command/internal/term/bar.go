package term

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	barWidth  = 24
	lineWidth = 79 // columns of the whole line; a line that wraps could not be erased
)

// A Bar shows the progress of some work on a terminal. Make one with [NewBar]. It is
// safe for concurrent use; a nil Bar shows nothing.
type Bar struct {
	mu    sync.Mutex
	w     io.Writer
	start time.Time
	drawn time.Time // when it was last drawn
	line  string    // what is on the terminal, or ""
	held  bool      // a counter is shown in its place
	over  bool      // stopped
}

// NewBar returns a bar that appears on w after a moment.
func NewBar(w io.Writer) *Bar { return &Bar{w: w, start: time.Now()} }

// Set shows that part of the work is done, from 0 to 1, with a text and a name after
// the bar. It limits how often it draws, so it can be called at any rate.
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
	part = max(0, min(part, 1))
	if left := remaining(now.Sub(b.start), part); left != "" {
		text += ", " + left
	}
	filled := int(part * barWidth)
	b.line = fmt.Sprintf("[%s%s] %s ", strings.Repeat("█", filled), strings.Repeat("░", barWidth-filled), Line(text))
	b.line += shorten(Line(name), lineWidth-utf8.RuneCountInString(b.line))
	b.drawn = now
	io.WriteString(b.w, eraseLine+b.line)
}

// remaining says how long the rest of some work takes, if it goes on as until now; "" if
// it is too early to say, or the work is done.
func remaining(since time.Duration, part float64) string {
	const early, least = 3 * time.Second, .02
	if since < early || part < least || part >= 1 {
		return ""
	}
	switch left := time.Duration(float64(since) * (1 - part) / part); {
	case left < 90*time.Second:
		return fmt.Sprintf("%d s left", int(math.Ceil(left.Seconds())))
	case left < 90*time.Minute:
		return fmt.Sprintf("%.0f min left", left.Minutes())
	default:
		return fmt.Sprintf("%.0f h left", left.Hours())
	}
}

// shorten returns s in at most max columns, if necessary the end of s after an
// ellipsis.
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

// columnsOf returns the maximum number of columns of a character: two for East Asian
// scripts and emoji, which come after nearly all other characters.
func columnsOf(r rune) int {
	if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 {
		return 2
	}
	return 1
}

// Count shows a text and the seconds passed, as in "text: 3 s", in place of the bar, at
// once, until stop removes it.
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
		b.show(fmt.Sprintf("%s: %d s", text, int(time.Since(start).Seconds())))
		select {
		case <-ended:
			return
		case <-ticks.C:
		}
	}
}

// hold stops drawing the bar, or resumes it, and erases its line.
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

// Above hides the bar while it calls print, which may write lines to the same terminal.
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
