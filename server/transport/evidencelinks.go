package transport

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
)

// evidencePath begins the path of every link to evidence. The SHA-256 of the
// evidence follows.
const evidencePath = "/evidence/"

// defaultLifetime is how long links work by default.
const defaultLifetime = 15 * time.Minute

// LinkOptions configures [EvidenceLinks]. The zero value is ready to use.
type LinkOptions struct {
	// BaseURL begins the links, such as https://cite.example; "" means the host
	// that the client called.
	BaseURL string

	// Lifetime is how long a link works; zero means 15 minutes. It works no longer
	// than the grant of its caller.
	Lifetime time.Duration

	// Key signs the links: at least 32 bytes. Servers that accept each other's
	// links need the same key. Nil means a key that the workspace keeps, made
	// when it is first needed.
	Key []byte
}

// EvidenceLinks makes and serves links to evidence for clients on other machines.
// Each link is signed, for one piece of evidence, and expires. Nothing is served
// by path. Make one with [NewEvidenceLinks].
type EvidenceLinks struct {
	lib  *citekit.Library
	opts LinkOptions
	now  func() time.Time
}

// NewEvidenceLinks returns links to the evidence of lib, whose workspace must be
// a [citekit.EvidenceOpener]. A nil opts means the defaults.
func NewEvidenceLinks(lib *citekit.Library, opts *LinkOptions) *EvidenceLinks {
	l := &EvidenceLinks{lib: lib, now: time.Now}
	if opts != nil {
		l.opts = *opts
	}
	if l.opts.Lifetime <= 0 {
		l.opts.Lifetime = defaultLifetime
	}
	return l
}

// ErrNoBase means that the host of the links is not known.
var ErrNoBase = errors.New("the server does not know its own address")

// Link returns a link to evidence that has a file, for the caller over HTTP whose tool
// call ctx belongs to, and the time when the link expires. The error matches [ErrNoBase]
// if neither the options nor the caller say where the links begin.
func (l *EvidenceLinks) Link(ctx context.Context, e *citekit.Evidence) (url string, expires time.Time, err error) {
	c := mcpcall.CallerFrom(ctx)
	if c == nil {
		c = new(mcpcall.Caller)
	}
	base := cmp.Or(l.opts.BaseURL, c.Base)
	if base == "" {
		return "", time.Time{}, ErrNoBase
	}
	if _, ok := l.lib.Workspace().(citekit.EvidenceOpener); !ok {
		return "", time.Time{}, fmt.Errorf("evidence of this workspace: %w", errors.ErrUnsupported)
	}
	key, err := l.signingKey(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	t := ticket{expires: l.now().Add(l.opts.Lifetime).Truncate(time.Second).UTC(), user: userTag(key, c.User)}
	t.origin.resource = e.ResourceID
	if grant, workspace := mcpcall.GrantOf(c.Info); grant != nil {
		t.origin.caller, t.origin.workspace = grant.ID, workspace
		if !grant.Expires.IsZero() {
			t.origin.expires = grant.Expires.UTC().Format(time.RFC3339)
			t.expires = earlier(t.expires, grant.Expires.Truncate(time.Second).UTC())
		}
	}
	if err := errors.Join(decodeHash(t.sha256[:], e.SHA256), decodeHash(t.store[:], e.Key)); err != nil {
		return "", time.Time{}, err
	}
	return strings.TrimSuffix(base, "/") + evidencePath + e.SHA256 + "?" + ticketParameter + "=" + t.sign(key), t.expires, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// decodeHash decodes a SHA-256 in lower-case hex.
func decodeHash(to []byte, text string) error {
	if n, err := hex.Decode(to, []byte(text[:min(len(text), 2*len(to))])); err != nil || n != len(to) || hex.EncodeToString(to) != text {
		return fmt.Errorf("not a SHA-256 in hex: %w", citekit.ErrSyntax)
	}
	return nil
}

// The note in which a workspace keeps the key of its links.
const (
	linkNotes   = "links"
	linkKeyName = "key"
	linkKeySize = 32 // minimum, in bytes
)

var errShortKey = fmt.Errorf("the key of links has less than %d bytes", linkKeySize)

// signingKey returns the key that signs links. A key in the workspace is read
// each time, as another process may have replaced it. Processes that make it at
// the same time all get the same key.
func (l *EvidenceLinks) signingKey(ctx context.Context) ([]byte, error) {
	if l.opts.Key != nil {
		return l.checkingKey(ctx)
	}
	for {
		key, stamp, err := l.lib.Workspace().ReadNote(ctx, linkNotes, linkKeyName)
		switch {
		case err == nil && len(key) >= linkKeySize:
			return key, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged):
			return nil, err
		}
		key = make([]byte, linkKeySize)
		rand.Read(key)
		_, err = l.lib.Workspace().WriteNoteIf(ctx, linkNotes, linkKeyName, key, stamp)
		if err == nil {
			return key, nil
		}
		if !errors.Is(err, citekit.ErrConflict) {
			return nil, err
		}
	}
}

// checkingKey is signingKey for checking links: it makes no key. An error
// matching [fs.ErrNotExist] means that no link was signed yet.
func (l *EvidenceLinks) checkingKey(ctx context.Context) ([]byte, error) {
	key := l.opts.Key
	if key == nil {
		var err error
		if key, _, err = l.lib.Workspace().ReadNote(ctx, linkNotes, linkKeyName); err != nil {
			return nil, err
		}
	}
	if len(key) < linkKeySize {
		return nil, errShortKey
	}
	return key, nil
}
