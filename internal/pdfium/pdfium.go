// Package pdfium runs PDFium, compiled to WebAssembly, in a sandbox without files or
// network. It repairs PDF files, reads their text and draws their pages.
//
// The first call that needs PDFium starts it. That takes seconds if the compiled code
// is not in the cache directory, otherwise a fraction of a second.
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

	// ErrLimit reports a file for which PDFium needs too much memory or time.
	ErrLimit = errors.New("PDFium needs too much memory or time for the file")

	// ErrSpent reports that a [Session] has no time left. It matches ErrLimit.
	ErrSpent = fmt.Errorf("%w", ErrLimit)
)

// DefaultTimeout is the timeout if [Engine.Timeout] is zero.
const DefaultTimeout = 20 * time.Second

const (
	maxMemory    = 128 << 20 // bytes of the memory of PDFium
	instanceWait = time.Minute
	idleTime     = time.Minute // after which the memory is released
)

// An Engine is PDFium. The zero value is ready to use. It is safe for concurrent use:
// one call runs at a time, others wait.
type Engine struct {
	// CacheDir is the directory for compiled code, which makes later processes start
	// faster. If it is "" or unusable, code is compiled in memory.
	CacheDir string

	// Timeout bounds one call, not counting the start; zero means [DefaultTimeout].
	Timeout time.Duration

	// Compiling, if not nil, is called when PDFium must be compiled, which takes
	// seconds, because its code is neither in memory nor in CacheDir. It gets the
	// context of the call that starts PDFium. If the done that it returns is not nil,
	// done is called once PDFium has started or failed to start.
	Compiling func(context.Context) (done func())

	mu      sync.Mutex // guards code
	code    wazero.CompilationCache
	turn    chan struct{} // holds a token while a call runs
	once    sync.Once
	current *machine    // only for the holder of the turn
	warm    bool        // likewise; PDFium has started before, so its code is in memory
	idle    *time.Timer // likewise; calls release
}

// A machine is a running instance in its own runtime. Cancelling its context stops it
// for good.
type machine struct {
	pool     pdfium.Pool
	instance pdfium.Pdfium
	cancel   context.CancelFunc
}

func (m *machine) close() {
	m.cancel()
	m.pool.Close() // its error only means that the instance is already closed
}

// A Session uses an Engine for one job, and bounds the processor time of all its calls
// together. It is not safe for concurrent use.
type Session struct {
	engine *Engine
	left   time.Duration
}

// Session returns a session whose calls may use most of processor time in total, or of
// elapsed time if the system does not report that of a thread. Waiting for other calls
// and starting PDFium do not count.
func (e *Engine) Session(most time.Duration) *Session { return &Session{e, most} }

// Set sets the remaining time.
func (s *Session) Set(left time.Duration) { s.left = left }

// Grant adds to the remaining time, unless that is used up.
func (s *Session) Grant(more time.Duration) {
	if !s.Spent() {
		s.left += more
	}
}

// Spent reports whether no time is left.
func (s *Session) Spent() bool { return s.left <= 0 }

// call runs work with PDFium within the remaining time of the session.
func (s *Session) call(ctx context.Context, work func(pdfium.Pdfium) error) error {
	if s.Spent() {
		return ErrSpent
	}
	return s.engine.call(ctx, &s.left, work)
}

// call runs work with PDFium within the remaining time. It keeps the machine afterwards
// if work returned no error, or one that PDFium itself reported.
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

// rest gives up the turn, and releases the machine if no call follows soon.
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

// started makes sure that a machine runs. If ctx is done it returns at once; the start,
// which cannot be stopped, continues for the next call. If it returns an error, the
// turn is or will be given up.
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

// announced starts PDFium, and calls Compiling if it must be compiled.
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

// start starts a machine.
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

// A memory is the memory of a machine. It is reserved at once and so need not be copied
// to grow; the system backs only the part in use.
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

// DefaultCacheDir returns the directory for the compiled code of the current user, or
// "" if there is none.
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "citekit", "pdfium")
}

// open opens a document of size bytes with an empty password.
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

// refused replaces an error of PDFium, whose text does not help a reader of evidence.
// An error that ended the instance becomes [ErrLimit].
func refused(err error) error {
	if ended(err) {
		return ErrLimit
	}
	return ErrRefused
}
