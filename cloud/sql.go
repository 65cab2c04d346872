package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	databaseFault = "the database of the workspace cannot be used"
	bucketFault   = "the object store of the workspace cannot be used"
)

// A storeError reports that the database or the bucket is at fault.
type storeError struct {
	what  string
	cause error
}

func (e *storeError) Error() string { return e.what + ": " + e.cause.Error() }

func (e *storeError) Unwrap() error { return e.cause }

// StorageFault describes the fault without what the store says, which may name hosts
// and accounts. Callers that show errors to others find it with [errors.As] and an
// interface.
func (e *storeError) StorageFault() string { return e.what }

// Temporary reports whether the store did not answer, or not as it does when it is well,
// so that it is worth calling again.
func (e *storeError) Temporary() bool {
	if answer := new(pgconn.PgError); errors.As(e.cause, &answer) {
		refused, _ := lost(answer)
		return refused
	}
	var refusal interface{ Refused() bool }
	if errors.As(e.cause, &refusal) && refusal.Refused() {
		return false
	}
	return e.what == databaseFault || e.what == bucketFault
}

// ErrUnknown reports a change of which it is not known whether it was stored, because
// the connection broke before the answer came. Read what is stored to find out.
var ErrUnknown = errors.New("the connection broke after the change was sent: it may be stored or not")

func missing(what string) error { return fmt.Errorf("%s: %w", what, fs.ErrNotExist) }

const (
	defaultAttempts = 7
	waitMin         = 50 * time.Millisecond // between attempts
	waitMax         = time.Second
)

// sql returns a statement for the schema of the workspace.
func (w *Workspace) sql(text string) string { return strings.ReplaceAll(text, "{s}", `"`+w.schema+`"`) }

// A reach says what may be sent to the database again if it is not known whether it
// was done.
type reach bool

const (
	once      reach = false // nothing
	repeating reach = true  // it does no harm twice
)

// try calls do until it succeeds, or fails for another reason than that the database
// did not take it. It returns the error for the caller, or ctx.Err().
func (w *Workspace) try(ctx context.Context, r reach, do func() error) error {
	wait := waitMin
	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := do()
		if err == nil || isAnswer(err) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.failures.Add(1)
		refused, unknown := lost(err)
		if isStalePlan(err) {
			w.pool.Reset()
		}
		if !refused && !(unknown && r == repeating) || attempt >= w.attempts {
			w.faults.Add(1)
			return w.fault(err, unknown && r == once)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait = min(2*wait, waitMax)
	}
}

// isAnswer reports whether err is what the database found, and no fault of it.
func isAnswer(err error) bool {
	if errors.As(err, new(*pgconn.ConnectError)) {
		return false // a socket that is not there is no missing map
	}
	return errors.Is(err, citekit.ErrConflict) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, citekit.ErrTooLarge) || errors.Is(err, citekit.ErrDamaged)
}

// lost reports whether the database did not do what it was asked to, so that it may be
// asked again, or whether that is not known.
func lost(err error) (refused, unknown bool) {
	var answer *pgconn.PgError
	var connect *pgconn.ConnectError
	switch {
	case errors.As(err, &answer):
		switch answer.Code {
		case "40001", "40P01", // of two transactions that collided
			"0A000", "26000", // see isStalePlan
			"53300",                   // too many connections
			"57P01", "57P02", "57P03": // it ends, crashed or starts
			return true, false
		}
		return strings.HasPrefix(answer.Code, "08"), false
	case errors.As(err, &connect), pgconn.SafeToRetry(err):
		return true, false
	}
	var network net.Error
	return false, errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// isStalePlan reports an error of a statement that was prepared before a migration, or on
// another connection.
func isStalePlan(err error) bool {
	answer := new(pgconn.PgError)
	return errors.As(err, &answer) && (answer.Code == "0A000" || answer.Code == "26000")
}

// noRight is the code of the error of a role that may not do what it was asked to.
const noRight = "42501"

// fault returns the error for the caller.
func (w *Workspace) fault(err error, unknown bool) error {
	if errors.As(err, new(*storeError)) {
		return err
	}
	var answer *pgconn.PgError
	if errors.As(err, new(*pgconn.ConnectError)) && !errors.As(err, &answer) {
		err = errors.New(err.Error()) // it must not match fs.ErrNotExist
	}
	switch {
	case unknown:
		err = fmt.Errorf("%w: %w", ErrUnknown, err)
	case errors.As(err, &answer) && answer.Code == noRight && !strings.Contains(err.Error(), "GRANT"):
		err = fmt.Errorf("%w; %s", err, w.grants())
	case answer != nil && (answer.Code == "42P01" || answer.Code == "42703" || answer.Code == "3F000"): // no such table, column or schema
		err = fmt.Errorf("%w; was the schema deleted, or changed by a later version of citekit? Then use that version", err)
	}
	return &storeError{databaseFault, err}
}

// row reads the only row that a statement returns. If there is none, the error is
// [pgx.ErrNoRows], and no fault.
func (w *Workspace) row(ctx context.Context, r reach, into []any, text string, args ...any) error {
	found := true
	err := w.try(ctx, r, func() error {
		err := w.pool.QueryRow(ctx, w.sql(text), args...).Scan(into...)
		found = !errors.Is(err, pgx.ErrNoRows)
		if !found {
			return nil
		}
		return err
	})
	if err == nil && !found {
		return pgx.ErrNoRows
	}
	return err
}

// exec runs a statement, and returns how many rows it changed.
func (w *Workspace) exec(ctx context.Context, r reach, text string, args ...any) (n int64, err error) {
	err = w.try(ctx, r, func() error {
		tag, err := w.pool.Exec(ctx, w.sql(text), args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// all reads all rows that a statement returns.
func all[T any](ctx context.Context, w *Workspace, scan pgx.RowToFunc[T], text string, args ...any) (found []T, err error) {
	err = w.try(ctx, repeating, func() error {
		rows, err := w.pool.Query(ctx, w.sql(text), args...)
		if err == nil {
			found, err = pgx.CollectRows(rows, scan)
		}
		return err
	})
	return found, err
}
