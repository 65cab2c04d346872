// Package pdfium runs PDFium, compiled to WebAssembly, in a sandbox without
// files or network: it repairs PDF files and reads their text.
//
// It is started by the first call that needs it. Starting takes seconds when
// the compiled code is not in the cache directory, a fraction of one when it
// is.
package pdfium

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/citekit/citekit/internal/semaphore"
)

var (
	// ErrRefused reports a file that PDFium cannot open.
	ErrRefused = errors.New("PDFium cannot read the file")

	// ErrLimit reports a file that takes PDFium too much memory or time.
	ErrLimit = errors.New("PDFium needs too much memory or time for the file")

	// ErrSpent reports that a [Session] has no time left. It matches ErrLimit.
	ErrSpent = fmt.Errorf("%w", ErrLimit)
)

// DefaultTimeout is the [Engine.Timeout] where none is set.
const DefaultTimeout = 20 * time.Second

const (
	maxMemory    = 128 << 20 // bytes of the memory of PDFium
	instanceWait = time.Minute
	idleTime     = time.Minute // after which the memory is given back
)

// An Engine is PDFium. The zero value is ready to use. It is safe for
// concurrent use: one call runs at a time, others wait.
type Engine struct {
	// CacheDir is where compiled code is kept, so that later processes start
	// faster. If it is "" or cannot be used, code is compiled in memory.
	CacheDir string

	// Timeout bounds one call without the start; zero means [DefaultTimeout].
	Timeout time.Duration

	// Compiling, if it is not nil, is called with the context of the call that
	// starts PDFium when its code is neither in memory nor in CacheDir, so that
	// it must be compiled, which takes seconds. What it returns, if that is not
	// nil, is called once PDFium has started or has failed to.
	Compiling func(context.Context) (done func())

	mu      sync.Mutex // guards code
	code    wazero.CompilationCache
	turn    chan struct{} // holds a token while a call runs
	once    sync.Once
	current *machine    // used by whoever has the turn
	warm    bool        // likewise; it has started before, so that the code is in memory
	idle    *time.Timer // likewise; calls release
}

// A machine is a running instance in a runtime of its own. Cancelling its
// context stops it for good.
type machine struct {
	pool     pdfium.Pool
	instance pdfium.Pdfium
	cancel   context.CancelFunc
}

func (m *machine) close() {
	m.cancel()
	m.pool.Close() // its error says only that the instance is closed already
}

// A Session is the use of an Engine for one job, which bounds the processor
// time that all its calls together take. It is not safe for concurrent use.
type Session struct {
	engine *Engine
	left   time.Duration
}

// Session returns a session whose calls may take so much processor time, or
// time where the system does not tell that of a thread. Waiting for other
// calls and the start of PDFium do not count.
func (e *Engine) Session(most time.Duration) *Session { return &Session{e, most} }

// Set says how much time is left.
func (s *Session) Set(left time.Duration) { s.left = left }

// Grant adds to the time that is left, unless there is none.
func (s *Session) Grant(more time.Duration) {
	if !s.Spent() {
		s.left += more
	}
}

// Spent reports whether no time is left.
func (s *Session) Spent() bool { return s.left <= 0 }

// call runs work with PDFium, within what is left of the session.
func (s *Session) call(ctx context.Context, work func(pdfium.Pdfium) error) error {
	if s.Spent() {
		return ErrSpent
	}
	return s.engine.call(ctx, &s.left, work)
}

// call runs work with PDFium for as long as there is time left. Afterwards the
// machine is kept if work returned no error, or one that PDFium itself
// reported.
func (e *Engine) call(ctx context.Context, left *time.Duration, work func(pdfium.Pdfium) error) error {
	e.once.Do(func() { e.turn = make(chan struct{}, 1) })
	if err := semaphore.Acquire(ctx, e.turn); err != nil {
		return err
	}
	if err := e.started(ctx); err != nil {
		return err
	}
	defer e.rest()
	m := e.current
	timeout := e.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stop := context.AfterFunc(limited, m.cancel)
	clock := startClock(*left, cancel)
	err := guard(m.instance, work)
	*left -= clock.stop()
	stopped := stop()
	if err == nil && stopped {
		return nil
	}
	if !stopped || !errors.Is(err, ErrRefused) {
		e.current = nil
		m.close()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return nil
	case !stopped && *left <= 0:
		return ErrSpent
	case !stopped:
		return fmt.Errorf("more than %v: %w", timeout, ErrLimit)
	}
	return err
}

// rest gives up the turn and has the machine released if nobody calls soon.
func (e *Engine) rest() {
	if e.idle == nil {
		e.idle = time.AfterFunc(idleTime, e.release)
	}
	e.idle.Reset(idleTime)
	<-e.turn
}

// release closes the machine unless it is in use.
func (e *Engine) release() {
	select {
	case e.turn <- struct{}{}:
	default:
		return
	}
	if e.current != nil {
		e.current.close()
		e.current = nil
	}
	<-e.turn
}

func guard(instance pdfium.Pdfium, work func(pdfium.Pdfium) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("PDFium ended: %w", ErrLimit)
		}
	}()
	return work(instance)
}

// started makes sure that there is a machine. It returns when ctx is done,
// while the start, which cannot be stopped, goes on for the next call. If it
// returns an error, the turn is given up, or will be.
func (e *Engine) started(ctx context.Context) error {
	if e.current != nil {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- e.announced(ctx) }()
	select {
	case err := <-done:
		if err != nil {
			e.rest()
		}
		return err
	case <-ctx.Done():
		go func() {
			<-done
			e.rest()
		}()
		return ctx.Err()
	}
}

// announced starts PDFium, and tells of it if it must be compiled.
func (e *Engine) announced(ctx context.Context) error {
	if e.warm {
		return e.start()
	}
	mark := markOf(e.CacheDir)
	if e.Compiling != nil && !mark.isThere() {
		if done := e.Compiling(ctx); done != nil {
			defer done()
		}
	}
	err := e.start()
	if e.warm = err == nil; e.warm {
		mark.leave()
	}
	return err
}

// start makes a machine.
func (e *Engine) start() error {
	running, cancel := context.WithCancel(context.Background())
	pool, err := webassembly.Init(webassembly.Config{
		Context:  experimental.WithMemoryAllocator(running, experimental.MemoryAllocatorFunc(reserve)),
		MaxTotal: 1,
		MaxIdle:  1,
		FSConfig: wazero.NewFSConfig(),
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCompilationCache(e.compiled()).
			WithCloseOnContextDone(true),
	})
	if err != nil {
		cancel()
		return fmt.Errorf("starting PDFium: %w", err)
	}
	instance, err := pool.GetInstance(instanceWait)
	if err != nil {
		cancel()
		pool.Close()
		return fmt.Errorf("starting PDFium: %w", err)
	}
	e.current = &machine{pool: pool, instance: instance, cancel: cancel}
	return nil
}

// A memory is that of a machine. It is reserved at once, so that it never has
// to be copied to grow; the system backs only what is used.
type memory []byte

func reserve(_, _ uint64) experimental.LinearMemory { return make(memory, maxMemory) }

// Reallocate implements [experimental.LinearMemory].
func (m memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) {
		return nil
	}
	return m[:size]
}

// Free implements [experimental.LinearMemory].
func (m memory) Free() {}

// compiled returns the cache of compiled code.
func (e *Engine) compiled() wazero.CompilationCache {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.code != nil {
		return e.code
	}
	if e.CacheDir != "" {
		if code, err := wazero.NewCompilationCacheWithDir(e.CacheDir); err == nil {
			e.code = code
			return code
		}
	}
	e.code = wazero.NewCompilationCache()
	return e.code
}

// DefaultCacheDir returns the directory for compiled code of the user who
// runs the program; "" if there is none.
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "citekit", "pdfium")
}

// open opens a document of size bytes with the empty password.
func open(p pdfium.Pdfium, r io.ReaderAt, size int64) (references.FPDF_DOCUMENT, error) {
	doc, err := p.FPDF_LoadCustomDocument(&requests.FPDF_LoadCustomDocument{
		Reader: io.NewSectionReader(r, 0, size),
		Size:   size,
	})
	if err != nil {
		return "", refused(err)
	}
	return doc.Document, nil
}

// refused wraps an error of PDFium, whose own words are of no use to a reader
// of evidence. What ended the instance is an [ErrLimit].
func refused(err error) error {
	if ended(err) {
		return ErrLimit
	}
	return ErrRefused
}
