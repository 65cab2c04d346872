package access

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
)

// KeyFileOptions configures a [KeyFile]. The zero value is ready to use.
type KeyFileOptions struct {
	// Check returns an error for a key that passes this package's own checks but
	// is wrong, for example because it names an unknown tool. It is called for
	// each key that is read or made and not revoked; nil means no check. It must
	// be safe for concurrent use.
	Check func(Key) error

	// Logger gets one record if the times of last use cannot be written. Nil
	// discards.
	Logger *slog.Logger
}

// A KeyFile is a file of keys. It implements [Authenticator]; [KeyFile.Valid]
// reports whether a key is still valid. It is safe for concurrent use. Make one
// with [OpenKeyFile].
type KeyFile struct {
	path string
	opts KeyFileOptions
	now  func() time.Time

	last atomic.Pointer[keySnapshot] // the keys last read; nil if none were
	uses *keyUses

	mu      sync.Mutex  // held while the file is checked
	seen    fs.FileInfo // of the file last read; nil forces another read
	settled bool        // the file was old enough when it was read; see settledAfter
	readAt  time.Time   // of the last attempt to read it
	err     error       // of the last attempt
}

// A keySnapshot is the content of a file when it was read.
type keySnapshot struct{ entries map[string]*keyEntry }

// A keyEntry is a key to compare tokens with.
type keyEntry struct {
	key   Key
	hash  [sha256.Size]byte
	grant Grant
	used  *atomic.Int64 // in seconds since 1970
}

var _ Authenticator = (*KeyFile)(nil)

// OpenKeyFile returns the file of keys at a path. It reads the file, but a missing or
// invalid file is not an error: [KeyFile.Check] returns the fault, and [KeyFile.New]
// makes a missing file. A nil opts means the defaults. The caller closes the
// file.
func OpenKeyFile(path string, opts *KeyFileOptions) (*KeyFile, error) {
	if path == "" {
		return nil, errors.New("access: the file of keys has no name")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("access: %w", err)
	}
	f := &KeyFile{path: path, now: time.Now}
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
	errMalformed = fmt.Errorf("it does not have the form of a key: %w", ErrRefused)
	errUnknown   = fmt.Errorf("no key has it: %w", ErrRefused)
	errRevoked   = fmt.Errorf("its key was revoked: %w", ErrRefused)
	errExpired   = fmt.Errorf("its key has expired: %w", ErrRefused)
)

// Authenticate implements [Authenticator]. The ID of a grant is the ID of
// the key. The error of a refused token in the form of a key is an
// [RefusedError] with that ID. If no keys could be read since [OpenKeyFile], the
// error explains why, and does not match [ErrRefused].
func (f *KeyFile) Authenticate(_ context.Context, token string) (*Grant, error) {
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
		e = &keyEntry{}
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
	case e.key.State(f.now()) != KeyActive:
		reason = errExpired
	}
	if reason != nil {
		return nil, &RefusedError{ID: id, Err: reason}
	}
	f.uses.note(e.used)
	return &e.grant, nil
}

// Valid reports whether the key with an id is still valid: it is in the file, and
// is neither revoked nor expired. It checks the time and size of the file each
// time.
func (f *KeyFile) Valid(id string) bool {
	keys, err := f.keys()
	if err != nil {
		return false
	}
	e := keys.entries[id]
	return e != nil && e.key.State(f.now()) == KeyActive
}

// Granted returns what the key with an id may do now, or nil if there is no such
// key. The caller must not change it.
func (f *KeyFile) Granted(id string) *Grant {
	keys, err := f.keys()
	if err != nil || keys.entries[id] == nil {
		return nil
	}
	return &keys.entries[id].grant
}

// Check returns what is wrong with the current file, or nil.
func (f *KeyFile) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f.err
}

// Path returns the absolute path of the file.
func (f *KeyFile) Path() string { return f.path }

// Close writes the times of last use. The file must not be used afterwards.
func (f *KeyFile) Close() error { return f.uses.close() }
