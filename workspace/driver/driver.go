// Package driver is what a store of one's own implements: objects by key, as an
// object store or a table of a database has them. workspace.FromDriver makes a
// workspace of it, with maps, evidence and notes; workspacetest.TestDriver checks
// it.
package driver

import (
	"context"
	"io"
	"time"
)

// A Bucket holds objects: bytes by key. It must be safe for concurrent use.
//
// A key has 1 to [MaxKey] characters, each of a-z, 0-9 and "-", and is no path:
// it can stand in a URL, in SQL and in a file name, but file systems have shorter
// names. What documents contain, such as ids, gets into keys only in this form.
//
// A write replaces a whole object, and is seen at once by every later call in any
// process. One that fails leaves the object as it was. No call waits for what
// another caller does: of several that write on a condition, one succeeds and the
// others fail at once.
//
// Errors may be those of the store; ErrorKind tells their meaning. Once ctx is
// done, calls end with an error that matches ctx.Err().
type Bucket interface {
	// Attributes returns what is known of an object without reading it. The kind
	// of the error is [NotFound] if there is no such object.
	Attributes(ctx context.Context, key string) (Attributes, error)

	// Read opens an object and returns the attributes of the whole of it. The
	// kind of the error is [NotFound] if there is none, and [Conflict] if it is
	// not the version of IfMatch. The caller closes the body.
	//
	// If a body that begins at offset 0 is an [io.ReadSeeker], it must stay
	// readable, and unchanged, if the object is replaced or deleted. What is no
	// io.ReadSeeker is read in ranges when somebody seeks.
	Read(ctx context.Context, key string, opts ReadOptions) (io.ReadCloser, Attributes, error)

	// Write stores the bytes of body, which it reads once, to the end. If reading
	// body fails, nothing is stored and the error wraps that of body. The kind of
	// the error is [Conflict] if the condition of opts does not hold; if there is
	// no object that IfMatch could match, it may be [NotFound]. What Write
	// returned without an error survives the end of the process and a loss of
	// power, if the store is one that lasts.
	Write(ctx context.Context, key string, body io.Reader, opts WriteOptions) (Attributes, error)

	// Delete deletes an object. If ifMatch is not "", it deletes only that
	// version, and the kind of the error is [Conflict] for another one, and
	// NotFound or Conflict for none. Without ifMatch, to delete nothing is no
	// error, or one of the kind NotFound.
	Delete(ctx context.Context, key, ifMatch string) error

	// List returns objects in ascending byte order of their keys. A database
	// needs a collation that compares bytes, such as "C".
	List(ctx context.Context, opts ListOptions) (Page, error)

	// ErrorKind returns what an error of the methods above means. The error may
	// be wrapped.
	ErrorKind(err error) ErrorKind

	// Close releases what the bucket holds. The objects stay.
	Close() error
}

// MaxKey is the length of the longest key, in bytes.
const MaxKey = 900

// Attributes describe one version of an object.
type Attributes struct {
	// ETag tells versions of an object apart: versions that differ in a byte have
	// different ETags, at any time. It may be a hash of the content. It is never
	// "", and opaque.
	ETag string

	Size    int64     // bytes
	ModTime time.Time // when it was written, by the clock of the store
}

// ReadOptions say what [Bucket.Read] reads.
type ReadOptions struct {
	Offset  int64  // in bytes; at most the size of the object
	Length  int64  // in bytes; zero means to the end, as does more than there is
	IfMatch string // the ETag that the object must have; "" means any
}

// WriteOptions say how [Bucket.Write] writes. With neither IfMatch nor IfAbsent
// it writes whatever there was.
type WriteOptions struct {
	Size     int64  // of the body, in bytes; -1 means that it is not known before
	IfMatch  string // the ETag that the object must have
	IfAbsent bool   // there must be no object
}

// ListOptions say what [Bucket.List] lists.
type ListOptions struct {
	Prefix string // of the keys
	After  string // the keys are greater than this
	Limit  int    // of the number of objects, at least 1
}

// A Page is a part of a listing.
type Page struct {
	Objects []Object // at most Limit; a bucket may return fewer
	More    bool     // there may be more after the last; Objects is not empty
}

// An Object is one of those that [Bucket.List] lists.
type Object struct {
	Key        string
	Attributes // of which a listing need not have the ETag
}

// An ErrorKind is what an error of a [Bucket] means.
type ErrorKind int

// The kinds of errors.
const (
	Failed   ErrorKind = iota // the store is at fault: it cannot be reached, or it is full
	NotFound                  // there is no such object
	Conflict                  // the object is not the version that it must be
)
