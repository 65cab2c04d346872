package mcpadapter

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
)

// evidencePath begins the path of every link to evidence; the SHA-256 of the
// evidence follows.
const evidencePath = "/evidence/"

// defaultLifetime is that of links.
const defaultLifetime = 15 * time.Minute

// LinkOptions configures [EvidenceLinks]. The zero value is ready to use.
type LinkOptions struct {
	// BaseURL is what links begin with, such as https://cite.example; ""
	// means the host that the client called.
	BaseURL string

	// Lifetime is how long a link works; zero means 15 minutes.
	Lifetime time.Duration

	// Key signs the links: at least 32 bytes. Servers that answer for one
	// another need the same. Nil means one that the workspace keeps, which is
	// made when it is first needed.
	Key []byte
}

// EvidenceLinks gives clients elsewhere links to evidence, and serves them: each
// is signed and works for a while, for one piece of evidence. Nothing is ever
// served by path. Make it with [NewEvidenceLinks].
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

// A caller is who called over HTTP.
type caller struct {
	base string // what links begin with, as the client called the server; "" if that is not known
	user string // who it authenticated as, or ""
}

// callerOf returns who called, or nil if the call did not come over HTTP.
func callerOf(extra *mcp.RequestExtra) *caller {
	if extra == nil || extra.Header == nil {
		return nil
	}
	c := new(caller)
	if base := extra.Header[baseHeader]; len(base) == 1 {
		c.base = base[0]
	}
	if extra.TokenInfo != nil {
		c.user = extra.TokenInfo.UserID
	}
	return c
}

// errNoBase reports links of which nothing tells the host.
var errNoBase = errors.New("the server does not know its own address")

// link returns a link to evidence that has a file, for one who called over HTTP,
// and when it ends to work.
func (l *EvidenceLinks) link(ctx context.Context, c *caller, e *citekit.Evidence) (url string, expires time.Time, err error) {
	base := l.opts.BaseURL
	if base == "" {
		base = c.base
	}
	if base == "" {
		return "", time.Time{}, errNoBase
	}
	if _, ok := l.lib.Workspace().(citekit.EvidenceOpener); !ok {
		return "", time.Time{}, fmt.Errorf("evidence of this workspace: %w", errors.ErrUnsupported)
	}
	key, err := l.signingKey(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	t := ticket{expires: l.now().Add(l.opts.Lifetime).Truncate(time.Second).UTC(), user: userTag(key, c.user)}
	if err := errors.Join(decodeHash(t.sha256[:], e.SHA256), decodeHash(t.store[:], e.Key)); err != nil {
		return "", time.Time{}, err
	}
	return strings.TrimSuffix(base, "/") + evidencePath + e.SHA256 + "?" + ticketParameter + "=" + t.sign(key), t.expires, nil
}

// decodeHash decodes a SHA-256 in lower-case hex.
func decodeHash(to []byte, text string) error {
	if n, err := hex.Decode(to, []byte(text[:min(len(text), 2*len(to))])); err != nil || n != len(to) || hex.EncodeToString(to) != text {
		return fmt.Errorf("not a SHA-256 in hex: %w", citekit.ErrSyntax)
	}
	return nil
}

// Where a workspace keeps the key of its links.
const (
	linkNotes   = "links"
	linkKeyName = "key"
	linkKeySize = 32 // bytes, at least
)

var errShortKey = fmt.Errorf("the key of links has less than %d bytes", linkKeySize)

// signingKey returns the key that links are signed with. One that the workspace
// keeps is read each time: it may have been lost, and made anew by another
// process. Of several who make it at once all get the same.
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

// checkingKey is signingKey for who checks a link: it makes no key. An error
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

// ServeHTTP implements [http.Handler].
func (l *EvidenceLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.Error(w, "no such evidence", http.StatusNotFound)
}
