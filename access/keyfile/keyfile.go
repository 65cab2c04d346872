// Package keyfile authenticates callers by keys that an operator makes, which are
// kept in one file.
//
// A token reads citekit_<id>_<secret>: the id names the key in lists and logs, and
// the secret has 256 random bits and a checksum, so that scanners of secrets find
// tokens that got where they should not be, by
// citekit_[a-z2-7]{10}_[0-9A-Za-z]{49}. The file has the SHA-256 of each token
// alone. It needs no slow hash such as bcrypt: these hold up who guesses passwords,
// and nobody can guess 256 random bits. Hashes are compared in constant time, and a
// token without a key costs what a wrong one does.
//
// # The file
//
// It is JSON, {"version": 1, "keys": [...]}, and may be edited by hand. Each write
// replaces it whole, under a lock (the file's name with ".lock"), so that several
// processes may change it. On Unix it must be a plain file that only its owner can
// read and write, or a symbolic link to one in its directory or below, as Kubernetes
// mounts a Secret: what is behind a link is only read, and may be of root and for the
// group of this process. When keys were last used is kept apart, in a file
// of its name with ".used", which is written at most once a minute: that the file
// of keys is written only by who changes keys keeps what a server could damage
// small, and lets it be read-only for a server.
//
// A [File] that is in use notices at the next call that the file was replaced, as
// [File.New] and [File.Revoke] of any process do, and within a quarter of a second
// that it was written in place. Where it cannot be read any more, the keys last read
// go on to count, and [File.Check] says why.
//
// Revoked keys stay in the file without their hash, so that whoever reads a log
// later still finds whose an id was. Once a file is full, with 10,000 keys, those
// revoked first make room.
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
	// Check returns what is wrong with a key, such as a tool that there is not,
	// beside what this package checks. It is asked about each key that is read or
	// made and not revoked; nil means that nothing is. It must be safe for concurrent use.
	Check func(Key) error

	// Logger is told if it cannot be noted when keys were last used, once. Nil
	// discards.
	Logger *slog.Logger
}

// A File is a file of keys. It implements [access.Authenticator], and tells at any
// time whether a key is [File.Valid]. It is safe for concurrent use. Make one with
// [Open].
type File struct {
	path string
	opts Options
	now  func() time.Time

	last atomic.Pointer[snapshot] // the keys last read; nil if none were
	uses *uses

	mu      sync.Mutex  // held while the file is looked at
	seen    fs.FileInfo // of the file last looked into; nil to read again in any case
	settled bool        // the file was not about to change when it was read
	readAt  time.Time   // when it was last read, or failed to be
	err     error       // what was wrong with it
}

// snapshot is what a file said when it was read.
type snapshot struct{ entries map[string]*entry }

// An entry is a key that a token is compared with.
type entry struct {
	key   Key
	hash  [sha256.Size]byte
	grant access.Grant
	used  *atomic.Int64 // in seconds since 1970
}

var _ access.Authenticator = (*File)(nil)

// Open returns the file of keys of a path. It reads the file, but one that is
// missing or wrong is no error yet: [File.Check] says what is wrong, and
// [File.New] makes a missing one. A nil opts means the defaults. The caller closes
// the file.
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

// What is said of a token that is refused. Nothing of it is part of the token.
var (
	errMalformed = fmt.Errorf("it does not have the form of a key: %w", access.ErrRefused)
	errUnknown   = fmt.Errorf("no key has it: %w", access.ErrRefused)
	errRevoked   = fmt.Errorf("its key was revoked: %w", access.ErrRefused)
	errExpired   = fmt.Errorf("its key has expired: %w", access.ErrRefused)
)

// Authenticate implements [access.Authenticator]. The ID of a grant is that of the
// key. Where no keys could be read since [Open], the error says why, and does not
// match [access.ErrRefused].
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
	switch {
	case known == nil:
		return nil, errUnknown
	case !e.key.Revoked.IsZero():
		return nil, errRevoked // its hash is gone, so whose the token is cannot be told
	case !same:
		return nil, errUnknown
	case e.key.State(f.now()) != StateActive:
		return nil, errExpired
	}
	f.uses.note(e.used)
	return &e.grant, nil
}

// Valid reports whether the key of an id still counts: it is in the file, and has
// neither been revoked nor expired. It costs a look at the time and size of the file.
func (f *File) Valid(id string) bool {
	keys, err := f.keys()
	if err != nil {
		return false
	}
	e := keys.entries[id]
	return e != nil && e.key.State(f.now()) == StateActive
}

// Granted returns what the key of an id may do now, nil if there is none. Whoever gets
// it must not change it.
func (f *File) Granted(id string) *access.Grant {
	keys, err := f.keys()
	if err != nil || keys.entries[id] == nil {
		return nil
	}
	return &keys.entries[id].grant
}

// Check returns what is wrong with the file as it is now, or nil.
func (f *File) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f.err
}

// Path returns the path of the file, which is absolute.
func (f *File) Path() string { return f.path }

// Close writes down when keys were last used. The file must not be used after.
func (f *File) Close() error { return f.uses.close() }
