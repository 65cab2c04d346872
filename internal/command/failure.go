package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/term"
)

// A usageError reports an invalid command line.
type usageError struct {
	command string // the command whose help says more, or ""
	message string
}

func (e *usageError) Error() string {
	if e.command == "" {
		return e.message
	}
	return e.message + " (see 'citekit help " + e.command + "')"
}

// Is makes a usageError match citekit.ErrSyntax, and so have the code of invalid
// input.
func (e *usageError) Is(target error) bool { return target == citekit.ErrSyntax }

func usagef(command, format string, args ...any) error {
	return &usageError{command, fmt.Sprintf(format, args...)}
}

// asUsage turns an error about a request into a usage error.
func asUsage(command string, err error) error {
	if !errors.Is(err, citekit.ErrSyntax) || errors.As(err, new(*usageError)) {
		return err
	}
	return usagef(command, "%s", term.Line(plainMessage(err)))
}

// An interruption reports that a signal ended the program.
type interruption struct{}

func (interruption) Error() string { return "interrupted" }

func (interruption) Is(target error) bool { return target == context.Canceled }

var errInterrupted = interruption{}

// errTerminated is the cause of a context canceled by a request to terminate, such
// as SIGTERM from a supervisor.
var errTerminated = errors.New("terminated")

// errStopped reports that an interruption ended a command that runs until it is
// stopped. It prints nothing.
var errStopped = errors.New("stopped")

// stopped returns the error of a command that runs until a signal: nil if it was
// asked to terminate, else errStopped.
func stopped(ctx context.Context) error {
	if context.Cause(ctx) == errInterrupted {
		return errStopped
	}
	return nil
}

// A hinted error adds what the person could do.
type hinted struct {
	error
	hint string
}

func (h hinted) Error() string { return h.error.Error() + "; " + h.hint }

func (h hinted) Unwrap() error { return h.error }

// errReported is returned by a command that has already reported the failure.
var errReported = errors.New("reported")

// fail reports an error to the person and returns the exit code.
func (s *session) fail(err error, asJSON bool) int {
	switch {
	case errors.Is(err, errStopped):
		return exitInterrupted
	case errors.Is(err, errReported):
		return exitFailure
	}
	if !errors.As(err, new(hinted)) {
		err = explained(err)
	}
	report := errorReport{detail(err)}
	var settings *settingsError
	if errors.As(err, &settings) {
		report.Error.Faults = settings.details()
		for _, line := range settings.lines() {
			s.warn(line)
		}
	} else {
		s.warn(report.Error.Message)
	}
	if asJSON {
		s.printJSON(report)
		s.out.Flush()
	}
	var usage *usageError
	switch {
	case errors.As(err, &usage), settings != nil && settings.isUsage():
		return exitUsage
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	}
	return exitFailure
}

// warn writes a line to the standard error.
func (s *session) warn(message string) {
	fmt.Fprintf(s.stderr, "citekit: %s\n", term.Line(message))
}

// An errorReport is the JSON form of an error.
type errorReport struct {
	Error *errorDetail `json:"error"`
}

type errorDetail struct {
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Faults  []faultDetail `json:"faults,omitempty"` // of settings
}

func detail(err error) *errorDetail {
	return &errorDetail{Code: citekit.CodeOf(err), Message: plainMessage(err)}
}

// plainMessage returns what an error says, without the words that its code stands for.
func plainMessage(err error) string {
	var with hinted
	if errors.As(err, &with) && err.Error() == with.Error() {
		return plainMessage(with.error) + "; " + with.hint
	}
	return strings.TrimSuffix(strings.TrimPrefix(err.Error(), "citekit: "), ": "+citekit.ErrSyntax.Error())
}

// printJSON prints v as indented JSON.
func (s *session) printJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	s.out.Write(term.JSON(data))
	return s.out.WriteByte('\n')
}

// printJSONLine prints a value as one line of JSON and flushes it.
func (s *session) printJSONLine(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.out.Write(append(term.JSON(data), '\n'))
	return s.out.Flush()
}

// printf prints text of our own. Text from others must first pass [term.Line].
func (s *session) printf(format string, args ...any) {
	fmt.Fprintf(s.out, format, args...)
}
