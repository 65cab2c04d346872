package command

import (
	"context"
	"sync"

	"github.com/citekit/citekit/internal/command/internal/term"
)

// A spinner shows on a terminal that an operation is running. It can be held while
// something else is shown on its line.
type spinner struct {
	mu    sync.Mutex
	start func() (stop func()) // nil if there is nothing to show
	stop  func()               // nil while held
	cover func()               // ends what is shown instead, or nil
}

func (p *spinner) begin(start func() (stop func())) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start, p.stop = start, start()
}

// end stops the spinner, and what is shown instead, for good.
func (p *spinner) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, stop := range []func(){p.stop, p.cover} {
		if stop != nil {
			stop()
		}
	}
	p.start, p.stop, p.cover = nil, nil, nil
}

// hold stops the spinner until resume. cover ends what is shown instead.
func (p *spinner) hold(cover func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		p.stop()
	}
	p.stop, p.cover = nil, cover
}

func (p *spinner) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cover = nil; p.start != nil && p.stop == nil {
		p.stop = p.start()
	}
}

// showsProgress reports whether a person is watching.
func (s *session) showsProgress() bool { return !s.json && term.IsTerminal(s.stderr) }

// spin shows on a terminal that an operation is running.
func (s *session) spin(ctx context.Context, label string) (stop func()) {
	if !s.showsProgress() {
		return func() {}
	}
	s.spinning.begin(func() func() { return term.Spin(ctx, s.stderr, label) })
	return s.spinning.end
}

// preparing is the message while PDFium is being compiled.
const preparing = "preparing the PDF reader, this happens once"

// compiling shows on a terminal that PDFium is being compiled.
func (s *session) compiling(context.Context) (done func()) {
	if !s.showsProgress() {
		return nil
	}
	if bar := s.bar.Load(); bar != nil {
		return bar.Count(preparing)
	}
	bar := term.NewBar(s.stderr)
	s.spinning.hold(bar.Stop)
	stop := bar.Count(preparing)
	return func() {
		stop()
		s.spinning.resume()
	}
}
