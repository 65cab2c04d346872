// Package keyfile authenticates callers by keys that an operator makes and keeps
// in one file.
//
// A token has the form citekit_<id>_<secret>. The id names the key in lists and
// logs. The secret has 256 random bits and a checksum, so that secret scanners
// can find leaked tokens by citekit_[a-z2-7]{10}_[0-9A-Za-z]{49}. The file stores
// only the SHA-256 of each token. A slow hash such as bcrypt is not needed: it
// protects guessable passwords, and nobody can guess 256 random bits. Hashes are
// compared in constant time, and a token without a key takes as long as a wrong
// one.
//
// # The file
//
// It is JSON, {"version": 1, "keys": [...]}, and may be edited by hand. Each
// write replaces the whole file, under a lock (the file's name with ".lock"), so
// several processes may change it. On Unix it must be a plain file that only its
// owner can read and write, or a symbolic link to one in its directory or below,
// as Kubernetes mounts a Secret. A linked file is never written; it may belong to
// root and be readable by the group of this process. The times of last use are in
// a separate file with the suffix ".used", written at most once a minute. So only
// changes of keys write the file of keys: a server can damage little, and can
// work with a read-only file.
//
// A [File] in use notices at the next call that the file was replaced, as
// [File.New] and [File.Revoke] of any process do, and within a quarter of a
// second that it was written in place. If the file can no longer be read, the
// last known keys stay valid, and [File.Check] explains why.
//
// Revoked keys stay in the file without their hash, so that an id in an old log
// can still be traced. In a full file, with 10,000 keys, new keys replace those
// that were revoked earliest.
package keyfile

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/access"
)

// Options configures a [File]. The zero value is ready to use.
type Options struct {
	// Check returns an error for a key that passes this package's own checks but
	// is wrong, for example because it names an unknown tool. It is called for
	// each key that is read or made and not revoked; nil means no check. It must
	// be safe for concurrent use.
	Check func(Key) error

	// Logger gets one record if the times of last use cannot be written. Nil
	// discards.
	Logger *slog.Logger
}

// A File is a file of keys. It implements [access.Authenticator]; [File.Valid]
// reports whether a key is still valid. It is safe for concurrent use. Make one
// with [Open].
type File struct {
	path string
	opts Options
	now  func() time.Time

	last atomic.Pointer[snapshot] // the keys last read; nil if none were
	uses *uses

	mu      sync.Mutex  // held while the file is checked
	seen    fs.FileInfo // of the file last read; nil forces another read
	settled bool        // the file was old enough when it was read; see settledAfter
	readAt  time.Time   // of the last attempt to read it
	err     error       // of the last attempt
}

// A snapshot is the content of a file when it was read.
type snapshot struct{ entries map[string]*entry }

// An entry is a key to compare tokens with.
type entry struct {
	key   Key
	hash  [sha256.Size]byte
	grant access.Grant
	used  *atomic.Int64 // in seconds since 1970
}

var _ access.Authenticator = (*File)(nil)

// Open returns the file of keys at a path. It reads the file, but a missing or
// invalid file is not an error: [File.Check] returns the fault, and [File.New]
// makes a missing file. A nil opts means the defaults. The caller closes the
// file.
func Open(path string, opts *Options) (*File, error) {
	if path == "" {
		return nil, errors.New("keyfile: the file of keys has no name")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("keyfile: %w", err)
	}
	f := &File{path: path, now: time.Now}
	if opts != nil {
		f.opts = *opts
	}
	if f.opts.Logger == nil {
		f.opts.Logger = slog.New(slog.DiscardHandler)
	}
	f.uses = newUses(f)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f, nil
}

// The errors of refused tokens. They contain no part of the token.
var (
	errMalformed = fmt.Errorf("it does not have the form of a key: %w", access.ErrRefused)
	errUnknown   = fmt.Errorf("no key has it: %w", access.ErrRefused)
	errRevoked   = fmt.Errorf("its key was revoked: %w", access.ErrRefused)
	errExpired   = fmt.Errorf("its key has expired: %w", access.ErrRefused)
)

// Authenticate implements [access.Authenticator]. The ID of a grant is the ID of
// the key. The error of a refused token in the form of a key is an
// [access.RefusedError] with that ID. If no keys could be read since [Open], the
// error explains why, and does not match [access.ErrRefused].
func (f *File) Authenticate(_ context.Context, token string) (*access.Grant, error) {
	keys, err := f.keys()
	if err != nil {
		return nil, err
	}
	id, ok := idOf(token)
	if !ok {
		return nil, errMalformed
	}
	hash, known := hashOf(token), keys.entries[id]
	e := known
	if e == nil {
		e = &entry{}
	}
	same := subtle.ConstantTimeCompare(hash[:], e.hash[:]) == 1
	reason := error(nil)
	switch {
	case known == nil:
		reason = errUnknown
	case !e.key.Revoked.IsZero():
		reason = errRevoked // without the hash, the owner of the token is unknown
	case !same:
		reason = errUnknown
	case e.key.State(f.now()) != StateActive:
		reason = errExpired
	}
	if reason != nil {
		return nil, &access.RefusedError{ID: id, Err: reason}
	}
	f.uses.note(e.used)
	return &e.grant, nil
}

// Valid reports whether the key with an id is still valid: it is in the file, and
// is neither revoked nor expired. It checks the time and size of the file each
// time.
func (f *File) Valid(id string) bool {
	keys, err := f.keys()
	if err != nil {
		return false
	}
	e := keys.entries[id]
	return e != nil && e.key.State(f.now()) == StateActive
}

// Granted returns what the key with an id may do now, or nil if there is no such
// key. The caller must not change it.
func (f *File) Granted(id string) *access.Grant {
	keys, err := f.keys()
	if err != nil || keys.entries[id] == nil {
		return nil
	}
	return &keys.entries[id].grant
}

// Check returns what is wrong with the current file, or nil.
func (f *File) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f.err
}

// Path returns the absolute path of the file.
func (f *File) Path() string { return f.path }

// Close writes the times of last use. The file must not be used afterwards.
func (f *File) Close() error { return f.uses.close() }
