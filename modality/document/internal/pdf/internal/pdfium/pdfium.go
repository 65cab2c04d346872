// Package pdfium runs PDFium, compiled to WebAssembly, in a sandbox without files or
// network. It repairs PDF files, reads their text and draws their pages.
//
// The first call that needs PDFium starts it. That takes seconds if the compiled code
// is not in the cache directory, otherwise a fraction of a second.
package pdfium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/citekit/citekit/internal/concurrent"
)

var (
	// ErrRefused reports a file that PDFium cannot open.
	ErrRefused = errors.New("PDFium cannot read the file")

	// ErrLimit reports a file for which PDFium needs too much memory or work.
	ErrLimit = errors.New("PDFium needs too much memory or work for it; split the file, or have another program write it anew")

	// ErrSpent reports that a [Session] has no work left. It matches ErrLimit.
	ErrSpent = fmt.Errorf("%w", ErrLimit)
)

const (
	maxMemory = 128 << 20   // bytes of the memory of PDFium
	idleTime  = time.Minute // after which the memory is released
)

// An Engine is PDFium. The zero value is ready to use. It is safe for concurrent use:
// one call runs at a time, others wait.
type Engine struct {
	// CacheDir is the directory for compiled code, which makes later processes start
	// faster. If it is "" or unusable, code is compiled in memory.
	CacheDir string

	// Timeout bounds one call, not counting the start; zero means no bound, because
	// the work of a call is limited. The error of a call that takes longer matches
	// [context.DeadlineExceeded].
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
	current pdfium.Pool // only for the holder of the turn, as all that follows; nil unless PDFium has started
	warm    bool        // PDFium has started before, so its code is in memory
	idle    *time.Timer // calls release
	meter   meter
	memory  memory
}

// A Session uses an Engine for one job, and limits the work of all its calls together.
// It is not safe for concurrent use.
type Session struct {
	engine *Engine
	left   Work
}

// Session returns a session whose calls may do most work in total. Starting PDFium does
// not count.
func (e *Engine) Session(most Work) *Session { return &Session{e, most} }

// Set sets the remaining work.
func (s *Session) Set(left Work) { s.left = left }

// Grant adds to the remaining work, unless that is used up.
func (s *Session) Grant(more Work) {
	if !s.Spent() {
		s.left += more
	}
}

// Left returns the remaining work.
func (s *Session) Left() Work { return s.left }

// Spent reports whether no work is left.
func (s *Session) Spent() bool { return s.left <= 0 }

// call runs work with PDFium within the remaining work of the session.
func (s *Session) call(ctx context.Context, work func(pdfium.Pdfium) error) error {
	if s.Spent() {
		return ErrSpent
	}
	return s.engine.call(ctx, &s.left, work)
}

// call runs work with PDFium within the remaining work. Each call has an instance of its
// own: what earlier calls left behind would change how much work it needs.
func (e *Engine) call(ctx context.Context, left *Work, work func(pdfium.Pdfium) error) error {
	e.once.Do(func() { e.turn = make(chan struct{}, 1) })
	if err := concurrent.Acquire(ctx, e.turn); err != nil {
		return err
	}
	if err := e.started(ctx); err != nil {
		return err
	}
	defer e.rest()
	e.meter.begin(unlimited)
	instance, err := e.current.GetInstanceWithContext(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("starting PDFium: %w", err)
	}
	defer instance.Close() // its error only says what is lost with it
	limited, cancel := context.WithCancel(ctx)
	if e.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, e.Timeout)
	}
	defer cancel()
	end := e.meter.begin(*left)
	stop := context.AfterFunc(limited, end)
	err = guard(meteredInstance{instance, &e.meter}, work)
	stopped := !stop()
	end()
	*left = e.meter.rest()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case stopped:
		return fmt.Errorf("PDFium needs more than %v: %w", e.Timeout, context.DeadlineExceeded)
	case *left <= 0 && (err != nil || e.meter.ended):
		return ErrSpent
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

// release stops PDFium unless it is in use.
func (e *Engine) release() {
	select {
	case e.turn <- struct{}{}:
	default:
		return
	}
	if e.current != nil {
		e.current.Close() // its error only means that it is closed already
		e.current, e.memory = nil, memory{}
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

// started makes sure that PDFium has started. If ctx is done it returns at once; the start,
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

// start starts PDFium.
func (e *Engine) start() error {
	code, err := metered(module)
	if err != nil {
		return err
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(e.memory.reserve))
	e.current, err = webassembly.Init(webassembly.Config{
		Context:       experimental.WithFunctionListenerFactory(ctx, &e.meter),
		WASM:          code,
		MaxTotal:      1,
		MaxIdle:       1,
		FSConfig:      wazero.NewFSConfig(),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(e.compiled()),
	})
	if err != nil {
		e.current = nil
		return fmt.Errorf("starting PDFium: %w", err)
	}
	return nil
}

// A memory is the memory of an instance, and then of the next. It is reserved at once
// and so need not be copied to grow; the system backs only the part in use.
type memory struct {
	data []byte
	used uint64
}

// reserve returns the memory for a new instance, without what the last one wrote.
func (m *memory) reserve(_, _ uint64) experimental.LinearMemory {
	if m.data == nil {
		m.data = make([]byte, maxMemory)
	}
	var zero [64 << 10]byte // the part of the memory that an instance grows by
	for part := range slices.Chunk(m.data[:m.used], len(zero)) {
		if !bytes.Equal(part, zero[:]) { // writing would have the system back it
			clear(part)
		}
	}
	m.used = 0
	return m
}

// Reallocate implements [experimental.LinearMemory].
func (m *memory) Reallocate(size uint64) []byte {
	if size > maxMemory {
		return nil
	}
	m.used = max(m.used, size)
	return m.data[:size]
}

// Free implements [experimental.LinearMemory].
func (m *memory) Free() {}

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
