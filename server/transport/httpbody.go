package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/internal/mcpcall"
)

const (
	// writeTimeout is how long a client may take to read 64 KiB of an answer.
	writeTimeout = 30 * time.Second

	// writePiece is how many bytes of an answer each deadline covers.
	writePiece = 64 << 10

	// smallBody is the length, in bytes, up to which a body is not counted.
	smallBody = 16 << 10

	// bodyMemory bounds the longer bodies of all requests together, in bytes. It
	// is raised to four times the limit of one body if that is more.
	bodyMemory = 32 << 20
)

// bodies reads the bodies of requests, and limits the memory that they take
// together. Each holder may have as much as is left free. If that is too little, a
// body of which nothing comes loses its memory to one that moves.
type bodies struct {
	limit int64 // of one body, in bytes
	pulse atomic.Int64

	mu       sync.Mutex
	memory   mcpcall.Shares     // for all bodies longer than smallBody, in bytes
	arriving map[*body]struct{} // those of them that have not arrived
}

// A body is one that is being read, or that a call still needs.
type body struct {
	holder  string
	begun   int64  // pulse when it began
	moved   int64  // pulse when something of it last came
	counted int64  // of memory, in bytes
	shared  bool   // it is or was in arriving; used by its reader alone
	extend  func() // gives the rest of it time
	stop    func() // ends its reading
	lost    bool   // its memory was given to another
}

func newBodies(limit int64) *bodies {
	return &bodies{limit: limit, memory: mcpcall.NewShares(max(bodyMemory, 4*limit), 1), arriving: make(map[*body]struct{})}
}

// grow counts memory for size bytes of a body, and reports whether there is room
// for them.
func (b *bodies) grow(one *body, size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	more := size - one.counted
	for !one.lost && !b.memory.Fits(one.holder, more) {
		stalled := b.stalled(one, more)
		if stalled == nil {
			return false
		}
		stalled.lost = true
		b.dropLocked(stalled)
		stalled.stop()
	}
	if one.lost {
		return false
	}
	b.memory.Take(one.holder, more)
	one.counted, one.moved, one.shared = size, b.pulse.Add(1), true
	b.arriving[one] = struct{}{}
	return true
}

// stalled returns a body of which nothing has come since another one began, or nil:
// one of the holder that has most memory, and more than the other one would have, or
// else one of the same holder.
func (b *bodies) stalled(other *body, more int64) (found *body) {
	enough := b.memory.Held(other.holder) + more
	for one := range b.arriving {
		if one == other || one.moved > other.begun {
			continue
		}
		held := b.memory.Held(one.holder)
		if one.holder != other.holder && held <= enough {
			continue
		}
		if found == nil || held > b.memory.Held(found.holder) || held == b.memory.Held(found.holder) && one.moved < found.moved {
			found = one
		}
	}
	return found
}

// came records that something of a body came: the rest has time again.
func (b *bodies) came(one *body) {
	if !one.shared {
		one.extend()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	one.moved = b.pulse.Add(1)
	if !one.lost {
		one.extend()
	}
}

// arrived records that all of a body came, and reports whether it still has its
// memory.
func (b *bodies) arrived(one *body) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.arriving, one)
	return !one.lost
}

// drop gives the memory of a body back.
func (b *bodies) drop(one *body) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropLocked(one)
}

func (b *bodies) dropLocked(one *body) {
	delete(b.arriving, one)
	b.memory.Take(one.holder, -one.counted)
	one.counted = 0
}

// A refusal is an answer to a request that is not served.
type refusal struct {
	status  int
	message string
}

func (e *refusal) Error() string { return e.message }

// write answers a request. It closes the connection, as the rest of the request
// is not read.
func (e *refusal) write(w http.ResponseWriter) {
	e.end(w.Header())
	http.Error(w, e.message, e.status)
}

// answer is write for a request whose body may be a message, which is answered with
// an error of the protocol.
func (e *refusal) answer(w http.ResponseWriter, body []byte) {
	if len(body) == 0 {
		e.write(w)
		return
	}
	e.end(w.Header())
	(&rejection{findID(body), codeBusy, e.message}).respond(w, e.status)
}

// end sets the headers of the last answer on a connection.
func (e *refusal) end(h http.Header) {
	h.Set("Connection", "close")
	if e.status == http.StatusServiceUnavailable || e.status == http.StatusTooManyRequests {
		h.Set("Retry-After", retryAfter)
	}
}

// retryAfter is how many seconds a refused client should wait.
const retryAfter = "5"

// The refusals of bodies for which there is no memory.
var (
	bodyTooMany = &refusal{http.StatusServiceUnavailable, "too many long requests at a time; try again"}
	bodyOfMany  = &refusal{http.StatusTooManyRequests, "you have too many long requests at a time; wait until one is answered"}
	bodyStalled = &refusal{http.StatusServiceUnavailable, "nothing of the body came while others needed the memory for it; try again"}
)

// read returns the body of a request, each part of which has some time to come; the
// caller calls release once it no longer holds the body. The error is a [*refusal].
func (b *bodies) read(r *http.Request, control *http.ResponseController, patience time.Duration) (data []byte, release func(), err error) {
	tooLarge := &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", b.limit)}
	if r.ContentLength > b.limit {
		return nil, nil, tooLarge
	}
	one := &body{
		holder: holderOf(r), begun: b.pulse.Load(),
		extend: func() { _ = control.SetReadDeadline(time.Now().Add(patience)) },
		stop:   func() { _ = control.SetReadDeadline(time.Now()) },
	}
	release = func() { b.drop(one) }
	if data, err = b.readAll(r.Body, one, r.ContentLength); int64(len(data)) > b.limit {
		err = tooLarge
	}
	isThere := b.arrived(one)
	switch {
	case !isThere:
		err = bodyStalled
	case err == nil:
		return data, release, nil
	}
	release()
	return nil, nil, err
}

// readAll reads all of a body, whose memory it counts, or a little more than the
// limit. The length may be -1.
func (b *bodies) readAll(from io.Reader, one *body, length int64) ([]byte, error) {
	data := make([]byte, 0, min(smallBody, max(length, 511)+1))
	for int64(len(data)) <= b.limit {
		n, err := from.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, unreadable(err)
		}
		b.came(one)
		if len(data) < cap(data) {
			continue
		}
		size := min(2*int64(cap(data)), b.limit+1)
		if size > smallBody && !b.grow(one, size) {
			return nil, b.noRoom(one)
		}
		data = append(make([]byte, 0, size), data...)
	}
	return data, nil
}

// noRoom returns why there is no memory for more of a body.
func (b *bodies) noRoom(one *body) *refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.memory.Held(one.holder) > one.counted {
		return bodyOfMany
	}
	return bodyTooMany
}

func unreadable(err error) *refusal {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &refusal{http.StatusRequestTimeout, "the body did not arrive in time"}
	}
	return &refusal{http.StatusBadRequest, "the body could not be read"}
}

// restTime is how long to wait for the rest of a body that nobody reads.
const restTime = time.Second

// A followedBody records whether all of it was read.
type followedBody struct {
	io.ReadCloser
	ended bool
}

// Read implements [io.Reader].
func (b *followedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

// A deadlineWriter writes an answer piece by piece. The client must take each
// piece before a deadline, however long the answer is and however late it begins.
type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	answers *longAnswers    // which replace their keys; may be nil
	request context.Context // of the whole request; set in that of the handler
	refused func() *refusal // called before the header is written; may be nil
	body    *followedBody   // of the request; nil if it has none
	begun   bool
	dropped bool // the answer is replaced by a refusal

	mu     sync.Mutex
	caller context.Context // of the caller, while it is served; may be nil
	cut    bool            // the caller may get nothing more
}

func newDeadlineWriter(w http.ResponseWriter) *deadlineWriter {
	d := &deadlineWriter{ResponseWriter: w, control: http.NewResponseController(w)}
	d.extend()
	return d
}

// extend moves the deadline for the next write. Only the writers of tests have no
// deadlines, and those of servers that set their own.
func (w *deadlineWriter) extend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.cut {
		_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
}

// isCut reports whether the caller may get nothing more.
func (w *deadlineWriter) isCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut || w.caller != nil && w.caller.Err() != nil && w.request.Err() == nil
}

// errCut reports an answer whose caller may get nothing more.
var errCut = errors.New("the caller may not have the rest of the answer")

// cutWith cuts an answer off when ctx, the context of its caller, ends before that of
// the whole request, as when a key is revoked. What is not sent yet, or waits in a
// buffer of this machine, is not sent any more. The handler calls done at its end,
// before it ends ctx.
func cutWith(ctx context.Context, w http.ResponseWriter) (done func()) {
	answer := outermost(w)
	if answer == nil { // the writer of another program's middleware
		return func() {}
	}
	answer.mu.Lock()
	defer answer.mu.Unlock()
	answer.caller = ctx
	stop := context.AfterFunc(ctx, answer.cutOff)
	return func() {
		if !stop() {
			answer.cutOff() // also if it has only begun
		}
		answer.mu.Lock()
		defer answer.mu.Unlock()
		answer.caller = nil
	}
}

// cutOff ends an answer, unless the whole request has ended.
func (w *deadlineWriter) cutOff() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut || w.request.Err() != nil {
		return
	}
	w.cut = true
	now := time.Now()
	_, _ = w.control.SetReadDeadline(now), w.control.SetWriteDeadline(now)
	if c, ok := w.request.Value(connectionKey{}).(*connection); ok && c != nil {
		c.abort()
	}
}

// outermost returns the writer of a handler to which all others write, or nil.
func outermost(w http.ResponseWriter) (found *deadlineWriter) {
	for {
		if of, ok := w.(*deadlineWriter); ok {
			found = of
		}
		of, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return found
		}
		w = of.Unwrap()
	}
}

// Unwrap is for [http.ResponseController].
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *deadlineWriter) WriteHeader(status int) {
	w.extend()
	switch {
	case w.isCut():
		return
	case w.begun:
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.begun = true
	if w.request != nil && endsWithAnswer(w.request) { // the SDK would keep it
		w.Header().Set("Connection", "close")
	}
	if w.body != nil && !w.body.ended { // the server waits for the rest before it sends the answer
		_ = w.control.SetReadDeadline(time.Now().Add(restTime))
	}
	if w.refused != nil {
		if refused := w.refused(); refused != nil {
			w.dropped = true
			w.Header().Del(sessionHeader)
			refused.write(w.ResponseWriter)
			return
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *deadlineWriter) Write(data []byte) (n int, err error) {
	if w.isCut() {
		return 0, errCut
	}
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.dropped {
		return len(data), nil
	}
	if before, key, after := w.answers.find(data); key != "" {
		return len(data), w.writeLong(before, key, after)
	}
	return w.writePieces(data, w.extend)
}

// writeLong writes a message in which a key stands for a long answer.
func (w *deadlineWriter) writeLong(before []byte, key string, after []byte) error {
	a := w.answers.take(key, w)
	if a == nil {
		return errAnswerDropped
	}
	defer w.answers.done(key)
	var err error
	write := func(data []byte) {
		if err == nil {
			_, err = w.writePieces(data, func() { w.answers.extend(a) })
		}
	}
	write(before)
	a.body.write(write)
	write(after)
	return err
}

// writePieces writes data, and calls extend before each piece.
func (w *deadlineWriter) writePieces(data []byte, extend func()) (n int, err error) {
	for {
		extend()
		if w.isCut() {
			return n, errCut
		}
		piece := data[n:min(len(data), n+writePiece)]
		written, err := w.ResponseWriter.Write(piece)
		n += written
		if err != nil || n == len(data) {
			return n, err
		}
	}
}

// bytesWritten returns how many bytes of the answer's body were written.
func bytesWritten(w http.ResponseWriter) int64 {
	for {
		switch of := w.(type) {
		case *countingWriter:
			return of.bytes
		case interface{ Unwrap() http.ResponseWriter }:
			w = of.Unwrap()
		default:
			return 0
		}
	}
}

// A countingWriter counts the bytes of an answer's body.
type countingWriter struct {
	http.ResponseWriter
	bytes int64
}

// Unwrap is for [http.ResponseController].
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements [io.Writer].
func (w *countingWriter) Write(data []byte) (n int, err error) {
	n, err = w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	return n, err
}
