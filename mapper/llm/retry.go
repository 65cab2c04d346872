package llm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An Error is an unsuccessful answer of a server, or a failed connection. It
// matches [fs.ErrPermission] if the key was not accepted, and
// [context.DeadlineExceeded] if no answer came in time.
type Error struct {
	Status      int           // of HTTP; 0 if there was no answer
	Message     string        // one line, without the key
	Temporary   bool          // a retry may help
	RetryAfter  time.Duration // time to wait before a retry, if the server gave one
	KeyRejected bool          // the server did not accept the key
	Attempts    int           // number of attempts

	cause error
}

// Error returns the message, the status and the number of attempts on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, ", %d times", e.Attempts)
	}
	if e.RetryAfter > 0 && e.Temporary {
		fmt.Fprintf(&b, "; try again in %v", e.RetryAfter.Round(time.Second))
	}
	return b.String()
}

// Unwrap returns the error of the connection, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is [fs.ErrPermission] and a key was not accepted.
func (e *Error) Is(target error) bool {
	return target == fs.ErrPermission && (e.KeyRejected || e.Status == http.StatusForbidden)
}

// Retry sets how often a failing call is tried. The zero value is ready to use.
type Retry struct {
	Attempts int           // in all; zero means 4; negative means one
	Delay    time.Duration // before the second attempt; doubled for each further one; zero means 1 second
	MaxDelay time.Duration // the longest delay; zero means 1 minute
}

const (
	defaultAttempts = 4
	defaultDelay    = time.Second
	defaultMaxDelay = time.Minute
)

// NewRetry returns the Retry for the options of a model: the number of retries,
// where zero means 3 and a negative number none, and the pause before the
// first.
func NewRetry(retries int, delay Seconds) Retry {
	r := Retry{Attempts: 1 + max(retries, 0), Delay: delay.Duration(0)}
	if retries == 0 {
		r.Attempts = defaultAttempts
	}
	return r
}

// Do calls f until it succeeds, fails with an error that is not a temporary
// [*Error], or has been called often enough, and returns the number of calls.
// Between calls it waits for the delay, shortened by a random part so that many
// clients do not return at once. It waits longer if the server asks for that,
// and gives up if the server asks for more than MaxDelay.
func (r Retry) Do(ctx context.Context, f func() error) (attempts int, err error) {
	limit := r.Attempts
	if limit == 0 {
		limit = defaultAttempts
	}
	for attempts = 1; ; attempts++ {
		if err := ctx.Err(); err != nil {
			return attempts, err
		}
		if err = f(); err == nil {
			return attempts, nil
		}
		var failed *Error
		if !errors.As(err, &failed) || !failed.Temporary || attempts >= limit {
			return attempts, err
		}
		pause, ok := r.pause(attempts, failed.RetryAfter)
		if !ok {
			return attempts, err
		}
		if err := Sleep(ctx, pause); err != nil {
			return attempts, err
		}
	}
}

// pause returns the time to wait after the given number of attempts, and
// whether to wait.
func (r Retry) pause(attempts int, asked time.Duration) (time.Duration, bool) {
	longest := r.MaxDelay
	if longest <= 0 {
		longest = defaultMaxDelay
	}
	if asked > longest {
		return 0, false
	}
	delay := r.Delay
	if delay <= 0 {
		delay = defaultDelay
	}
	for i := 1; i < attempts && delay < longest; i++ {
		delay *= 2
	}
	delay = min(delay, longest)
	delay -= time.Duration(rand.Int64N(int64(delay)/2 + 1))
	return max(delay, asked), true
}

// Sleep waits, and returns ctx.Err() if ctx is done earlier.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// retryAfter reads the Retry-After of RFC 9110, section 10.2.3: seconds or a
// date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}
