package api

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/server/transport"
)

// A Problem is an error as RFC 9457 has it.
type Problem = transport.Problem

// Meta tells about an answer.
type Meta = transport.CallMeta

// A fieldError is an error that is due to one field of a request.
type fieldError struct {
	where string // a JSON pointer, or the name of a parameter
	error
}

func (e fieldError) Unwrap() error { return e.error }

// wrongField returns the error of a field that is wrong, which matches
// [citekit.ErrSyntax].
func wrongField(pointer, detail string) error { return fieldError{pointer, inputError(detail)} }

// ofField returns an error that is due to a field.
func ofField(pointer string, err error) error { return fieldError{pointer, err} }

// An inputError is what is wrong with a request.
type inputError string

func (e inputError) Error() string { return string(e) }

func (inputError) Is(target error) bool { return target == citekit.ErrSyntax }

// maxMessage is how long a message of an error may be, in bytes.
const maxMessage = 2000

// failureOf returns the code and the message of an error, without details that concern
// the server alone.
func failureOf(err error) *Failure {
	code := citekit.CodeOf(err)
	return &Failure{string(code), plain.ShowLine(messageOf(err, code), maxMessage)}
}

// A storageFault is an error about a directory of the workspace, as package workspace
// returns it.
type storageFault interface{ StorageFault() string }

// doesNotAnswer reports whether err is the fault of a store that may answer again soon.
func doesNotAnswer(err error) bool {
	var storage interface {
		storageFault
		Temporary() bool
	}
	return errors.As(err, &storage) && storage.Temporary()
}

func messageOf(err error, code string) string {
	var storage storageFault
	var missing *citekit.NotFoundError
	switch {
	case errors.As(err, &missing): // without where its map would be
		text := "no " + missing.Kind + " " + message.Quote(plain.Shorten(missing.ID, maxKey))
		if len(missing.Suggestions) > 0 {
			text += "; " + message.DidYouMean(missing.ID, missing.Suggestions)
		}
		return text
	case errors.As(err, &storage):
		return storage.StorageFault()
	case code == message.CodeInternal:
		return "internal error"
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	}
	text := err.Error()
	var resolve *citekit.ResolveError
	if errors.As(err, &resolve) {
		text = resolve.Err.Error()
		if address, err := resolve.Address.MarshalText(); err == nil && resolve.Node == "" {
			text = string(address) + ": " + text
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) && path.Path != "" {
		text = strings.ReplaceAll(text, path.Path, filepath.Base(path.Path))
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "citekit: "), ": "+citekit.ErrSyntax.Error())
}

// problemOf returns an error as a problem.
func problemOf(err error) *Problem {
	var p *Problem
	if !errors.As(err, &p) {
		f := failureOf(err)
		p = transport.NewProblem(f.Code, 0, f.Message)
		if doesNotAnswer(err) {
			p = transport.NewProblem(transport.OutcomeUnavailable, http.StatusServiceUnavailable, f.Message+"; try again later")
		}
	}
	var field fieldError
	if errors.As(err, &field) && p.Errors == nil {
		wrong := transport.FieldError{Parameter: field.where, Detail: p.Detail}
		if strings.HasPrefix(field.where, "/") {
			wrong = transport.FieldError{Pointer: &field.where, Detail: p.Detail}
		}
		p.Errors = []transport.FieldError{wrong}
	}
	return p
}

// wrongInput returns the problem of a request with wrong fields.
func wrongInput(fields []transport.FieldError) *Problem {
	first := fields[0]
	where := "the body"
	switch {
	case first.Parameter != "":
		where = first.Parameter
	case *first.Pointer != "":
		where = *first.Pointer
	}
	p := transport.NewProblem(string(message.CodeInvalidInput), 0, where+": "+first.Detail)
	p.Errors = fields
	return p
}

// ofHuma returns what huma says of parameters as a problem.
func ofHuma(e *huma.ErrorModel) *Problem {
	var fields []transport.FieldError
	for _, detail := range e.Errors {
		_, name, ok := strings.Cut(detail.Location, ".")
		if !ok {
			name = detail.Location
		}
		fields = append(fields, transport.FieldError{Parameter: plain.ShowLine(name, maxKey), Detail: plain.ShowLine(detail.Message, maxMessage)})
		if len(fields) == maxFieldErrors {
			break
		}
	}
	if len(fields) > 0 {
		return wrongInput(fields)
	}
	if e.Status >= http.StatusInternalServerError {
		return transport.NewProblem(string(message.CodeInternal), 0, "internal error")
	}
	return transport.NewProblem(string(message.CodeInvalidInput), e.Status, e.Detail)
}
