// Package watch notifies clients of a server of changes of maps.
package watch

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
)

const (
	defaultWatch = 2 * time.Second

	// watchShare bounds the cost of watching: after a look, the pause is at least
	// this many times as long as the look.
	watchShare = 50

	// maxSubscriptions is how many resources one session may follow.
	maxSubscriptions = 1000

	// maxFollowed bounds the URIs of these together, in bytes.
	maxFollowed = 128 << 10

	// followedMemory bounds what all sessions follow, in bytes; see [mcpcall.Shares]. Each URI
	// takes followedEntry beside its own bytes.
	followedMemory = 32 << 20
	followedEntry  = 64
)

// A Watcher notifies clients when the list of maps changes, and when a map that
// they subscribed to changes, whichever process changed it. It works only while
// there are sessions, and then ends.
type Watcher struct {
	lib      *citekit.Library
	resource func(uri string) string
	interval time.Duration // negative means never
	logger   *slog.Logger
	server   *mcp.Server
	notify   func() // tells clients that the list of maps changed
	look     func() // looks for other changes
	poke     chan struct{}
	seed     maphash.Seed

	mu      sync.Mutex
	running bool
	first   chan struct{} // closed once the first list of this run is known
	follows map[*mcp.ServerSession]*follower
	memory  mcpcall.Shares           // of what they follow
	stamps  map[string]citekit.Stamp // of followed maps by id, as last seen; zero if there was no map
}

// A follower is what a session follows.
type follower struct {
	holder string // see [mcpcall.HolderIn]; "" if the session is not over HTTP
	uris   map[string]struct{}
	bytes  int // of the URIs
}

// New returns a watcher of the maps of lib that looks every interval; zero means every 2
// seconds, and a negative one only when [Watcher.LookNow] is called. The id of the resource
// that the URI of a protocol resource names is resource(uri), or "".
func New(lib *citekit.Library, resource func(uri string) string, interval time.Duration, logger *slog.Logger) *Watcher {
	if interval == 0 {
		interval = defaultWatch
	}
	return &Watcher{
		lib: lib, resource: resource, interval: interval, logger: logger, notify: func() {}, look: func() {}, poke: make(chan struct{}, 1), seed: maphash.MakeSeed(),
		follows: map[*mcp.ServerSession]*follower{}, memory: mcpcall.NewShares(followedMemory, 1), stamps: map[string]citekit.Stamp{},
	}
}

// Watch makes the watcher notify the clients of a server, before its first call. When the
// list of maps changes it calls notify. At each look it calls look, which may tell clients
// of other changes.
func (w *Watcher) Watch(server *mcp.Server, notify, look func()) {
	w.server, w.notify, w.look = server, notify, look
}

// LookNow makes the watcher look at once, if it is running.
func (w *Watcher) LookNow() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// Start starts watching, unless it has started already.
func (w *Watcher) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.startLocked()
}

func (w *Watcher) startLocked() {
	if !w.running {
		w.running, w.first = true, make(chan struct{})
		go w.run(w.first)
	}
}

// Await waits until a watcher that has started knows the list of maps, or ctx ends. Of each
// change of a list that is read afterwards clients are told.
func (w *Watcher) Await(ctx context.Context) {
	w.mu.Lock()
	first := w.first
	w.mu.Unlock()
	if first == nil {
		return
	}
	select {
	case <-first:
	case <-ctx.Done():
	}
}

// run looks until there are no sessions. It closes first once it knows the list.
func (w *Watcher) run(first chan<- struct{}) {
	ctx := context.Background()
	known, err := w.listHash(ctx)
	close(first)
	started := err == nil
	wait := w.pause()
	for {
		asked := w.sleep(wait)
		if !w.keep() {
			return
		}
		if w.interval < 0 && !asked {
			continue
		}
		begun := time.Now()
		listed, err := w.listHash(ctx)
		switch {
		case err != nil:
			w.logger.LogAttrs(ctx, slog.LevelError, "list of resources", slog.String("error", mcpcall.Printable(err.Error())))
		case !started || listed != known:
			known, started = listed, true
			w.notify()
		}
		w.tellChanges(ctx)
		w.look()
		wait = max(w.pause(), watchShare*time.Since(begun))
	}
}

// pause is how long to wait before the next look. A Watcher that looks only when
// asked then just checks whether there are sessions left.
func (w *Watcher) pause() time.Duration {
	if w.interval < 0 {
		return defaultWatch
	}
	return w.interval
}

// sleep waits until the next look is due or asked for, and reports whether it was
// asked for.
func (w *Watcher) sleep(wait time.Duration) (asked bool) {
	due := time.NewTimer(wait)
	defer due.Stop()
	select {
	case <-due.C:
		return false
	case <-w.poke:
		return true
	}
}

// keep forgets ended sessions. If none are left, it marks the Watcher as ended
// and reports false.
func (w *Watcher) keep() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	there := map[*mcp.ServerSession]bool{}
	for session := range w.server.Sessions() {
		there[session] = true
	}
	for session, f := range w.follows {
		if !there[session] {
			w.memory.Take(f.holder, -int64(f.bytes+len(f.uris)*followedEntry))
			delete(w.follows, session)
		}
	}
	w.running = len(there) > 0
	return w.running
}

// listHash returns a hash of the list of maps.
func (w *Watcher) listHash(ctx context.Context) (uint64, error) {
	ids, err := w.lib.Resources(ctx)
	if err != nil {
		return 0, err
	}
	var h maphash.Hash
	h.SetSeed(w.seed)
	for _, id := range ids {
		h.WriteString(id)
		h.WriteByte(0) // no id contains it
	}
	return h.Sum64(), nil
}

// tellChanges notifies clients of followed maps that have changed.
func (w *Watcher) tellChanges(ctx context.Context) {
	for id, uris := range w.followed() {
		stamp, err := w.stamp(ctx, id)
		if err != nil {
			continue // the next look tries again
		}
		w.mu.Lock()
		last, known := w.stamps[id]
		w.stamps[id] = stamp
		w.mu.Unlock()
		if !known || stamp == last {
			continue
		}
		for _, uri := range uris {
			if err := w.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
				w.logger.LogAttrs(ctx, slog.LevelInfo, "resource updated", slog.String("error", mcpcall.Printable(err.Error())))
			}
		}
	}
}

// followed returns the followed URIs, by the id of their map, and forgets the
// stamps of all other maps.
func (w *Watcher) followed() map[string][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]bool{}
	for _, f := range w.follows {
		for uri := range f.uris {
			all[uri] = true
		}
	}
	byID := map[string][]string{}
	for uri := range all {
		id := w.resource(uri)
		byID[id] = append(byID[id], uri)
	}
	for id := range w.stamps {
		if byID[id] == nil {
			delete(w.stamps, id)
		}
	}
	return byID
}

// stamp returns the stamp of a map; zero if there is no map.
func (w *Watcher) stamp(ctx context.Context, id string) (citekit.Stamp, error) {
	stamp, err := w.lib.Workspace().StatMap(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return citekit.Stamp{}, nil
	}
	return stamp, err
}

// Subscribe follows a URI for a session. One that names no resource belongs to the
// program that embeds the server, which sends its notifications itself. The error
// matches [citekit.ErrSyntax] if the session, or its caller, follows too much.
func (w *Watcher) Subscribe(ctx context.Context, session *mcp.ServerSession, uri string) error {
	if id := w.resource(uri); id != "" {
		stamp, err := w.stamp(ctx, id)
		if err != nil {
			return err
		}
		w.mu.Lock()
		if _, known := w.stamps[id]; !known {
			w.stamps[id] = stamp
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.follows[session]
	if f == nil {
		f = &follower{holder: mcpcall.HolderIn(ctx), uris: map[string]struct{}{}}
	}
	if _, again := f.uris[uri]; !again {
		size := int64(len(uri) + followedEntry)
		switch {
		case len(f.uris) >= maxSubscriptions || f.bytes+len(uri) > maxFollowed:
			return fmt.Errorf("this session follows %d resources already; unsubscribe from some: %w", len(f.uris), citekit.ErrSyntax)
		case !w.memory.Fits(f.holder, size):
			return fmt.Errorf("your sessions follow too many resources already; unsubscribe from some, or end sessions: %w", citekit.ErrSyntax)
		}
		w.memory.Take(f.holder, size)
		f.bytes += len(uri)
		f.uris[uri] = struct{}{}
		w.follows[session] = f
	}
	w.startLocked()
	return nil
}

// Unsubscribe follows a URI no longer for a session.
func (w *Watcher) Unsubscribe(session *mcp.ServerSession, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.follows[session]
	if f == nil {
		return
	}
	if _, there := f.uris[uri]; !there {
		return
	}
	w.memory.Take(f.holder, -int64(len(uri)+followedEntry))
	f.bytes -= len(uri)
	delete(f.uris, uri)
	if len(f.uris) == 0 {
		delete(w.follows, session)
	}
}
