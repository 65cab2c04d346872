package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"github.com/citekit/citekit/workspace/driver"
	"github.com/minio/minio-go/v7"
)

var (
	errMissing  = &storeError{kind: driver.NotFound, text: "there is no such object"}
	errOther    = &storeError{kind: driver.Conflict, text: "the object is another version"}
	errNoBucket = &storeError{text: "there is no such bucket", refused: true}
	errNoTag    = &storeError{text: "it names no version of an object by an ETag, as it must"}
)

// A storeError is what a store answered, without hosts, accounts and what it wrote.
type storeError struct {
	kind    driver.ErrorKind
	text    string
	refused bool
}

// Refused reports whether the store answered that it will not, which another call does not
// change.
func (e *storeError) Refused() bool { return e.refused }

func (e *storeError) Error() string { return "object store: " + e.text }

// ErrorKind implements [driver.Bucket].
func (b *Bucket) ErrorKind(err error) driver.ErrorKind {
	var store *storeError
	if errors.As(err, &store) {
		return store.kind
	}
	return driver.Failed
}

// fault returns the error of a request for callers, or nil.
func (b *Bucket) fault(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	answer := minio.ToErrorResponse(err)
	switch {
	case answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket:
		return errMissing
	case answer.StatusCode == http.StatusPreconditionFailed, answer.Code == minio.PreconditionFailed,
		answer.Code == "ConditionalRequestConflict", answer.StatusCode == http.StatusNotModified:
		return errOther
	case answer.Code != "":
		refused := 400 <= answer.StatusCode && answer.StatusCode < 500 &&
			answer.StatusCode != http.StatusRequestTimeout && answer.StatusCode != http.StatusTooManyRequests
		return &storeError{text: fmt.Sprintf("%.60s (%d)", answer.Code, answer.StatusCode), refused: refused}
	}
	var system syscall.Errno
	if errors.As(err, &system) {
		return &storeError{text: "it cannot be reached: " + system.Error()}
	}
	return &storeError{text: "it cannot be reached"}
}
