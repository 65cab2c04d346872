package mcpadapter

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
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

	// followedMemory bounds what all sessions follow, in bytes; see shares. Each URI
	// takes followedEntry beside its own bytes.
	followedMemory = 32 << 20
	followedEntry  = 64
)

// A watcher notifies clients when the list of maps changes, and when a map that
// they subscribed to changes, whichever process changed it. It works only while
// there are sessions, and then ends.
type watcher struct {
	lib      *citekit.Library
	interval time.Duration // negative means never
	logger   *slog.Logger
	server   *mcp.Server
	notify   func() // tells clients that the list of maps changed
	poke     chan struct{}
	seed     maphash.Seed

	mu      sync.Mutex
	running bool
	follows map[*mcp.ServerSession]*follower
	memory  shares                   // of what they follow
	stamps  map[string]citekit.Stamp // of followed maps by id, as last seen; zero if there was no map
}

// A follower is what a session follows.
type follower struct {
	holder string // see holderOf; "" if the session is not over HTTP
	uris   map[string]struct{}
	bytes  int // of the URIs
}

func newWatcher(lib *citekit.Library, interval time.Duration, logger *slog.Logger) *watcher {
	if interval == 0 {
		interval = defaultWatch
	}
	return &watcher{
		lib: lib, interval: interval, logger: logger, notify: func() {}, poke: make(chan struct{}, 1), seed: maphash.MakeSeed(),
		follows: map[*mcp.ServerSession]*follower{}, memory: newShares(followedMemory, 1), stamps: map[string]citekit.Stamp{},
	}
}

// lookNow makes the watcher look at once, if it is running.
func (w *watcher) lookNow() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// start starts watching, unless it has started already.
func (w *watcher) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		w.running = true
		go w.run()
	}
}

// run looks until there are no sessions.
func (w *watcher) run() {
	ctx := context.Background()
	known, err := w.listHash(ctx)
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
			w.logger.LogAttrs(ctx, slog.LevelError, "list of resources", slog.String("error", printable(err.Error())))
		case !started || listed != known:
			known, started = listed, true
			w.notify()
		}
		w.tellChanges(ctx)
		wait = max(w.pause(), watchShare*time.Since(begun))
	}
}

// pause is how long to wait before the next look. A watcher that looks only when
// asked then just checks whether there are sessions left.
func (w *watcher) pause() time.Duration {
	if w.interval < 0 {
		return defaultWatch
	}
	return w.interval
}

// sleep waits until the next look is due or asked for, and reports whether it was
// asked for.
func (w *watcher) sleep(wait time.Duration) (asked bool) {
	due := time.NewTimer(wait)
	defer due.Stop()
	select {
	case <-due.C:
		return false
	case <-w.poke:
		return true
	}
}

// keep forgets ended sessions. If none are left, it marks the watcher as ended
// and reports false.
func (w *watcher) keep() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	there := map[*mcp.ServerSession]bool{}
	for session := range w.server.Sessions() {
		there[session] = true
	}
	for session, f := range w.follows {
		if !there[session] {
			w.memory.take(f.holder, -int64(f.bytes+len(f.uris)*followedEntry))
			delete(w.follows, session)
		}
	}
	w.running = len(there) > 0
	return w.running
}

// listHash returns a hash of the list of maps.
func (w *watcher) listHash(ctx context.Context) (uint64, error) {
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
func (w *watcher) tellChanges(ctx context.Context) {
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
				w.logger.LogAttrs(ctx, slog.LevelInfo, "resource updated", slog.String("error", printable(err.Error())))
			}
		}
	}
}

// followed returns the followed URIs, by the id of their map, and forgets the
// stamps of all other maps.
func (w *watcher) followed() map[string][]string {
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
		id := resourceOf(uri)
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
func (w *watcher) stamp(ctx context.Context, id string) (citekit.Stamp, error) {
	stamp, err := w.lib.Workspace().StatMap(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return citekit.Stamp{}, nil
	}
	return stamp, err
}

// resourceOf returns the id of the resource in a URI, or "".
func resourceOf(uri string) string {
	if id, _, err := idsOf(uri); err != nil || id != "" {
		return id
	}
	address, err := citekit.ParseAddress(uri)
	if err != nil {
		return ""
	}
	return address.Resource
}

// subscribe follows a resource for a session. URIs that are not ours belong to
// the program that embeds the server, which sends their notifications itself.
func (w *watcher) subscribe(ctx context.Context, session *mcp.ServerSession, uri string, ours bool) error {
	if len(uri) > maxURI {
		return badArgument("the URI has more than %d bytes", maxURI)
	}
	if ours {
		id := resourceOf(uri)
		if id == "" {
			return badArgument("%s is no URI of a map, a node or an address", quote(uri))
		}
		if _, err := w.lib.Map(ctx, id); err != nil {
			return err
		}
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
		f = &follower{holder: holderIn(ctx), uris: map[string]struct{}{}}
	}
	if _, again := f.uris[uri]; !again {
		size := int64(len(uri) + followedEntry)
		switch {
		case len(f.uris) >= maxSubscriptions || f.bytes+len(uri) > maxFollowed:
			return badArgument("this session follows %d resources already; unsubscribe from some", len(f.uris))
		case !w.memory.fits(f.holder, size):
			return badArgument("your sessions follow too many resources already; unsubscribe from some, or end sessions")
		}
		w.memory.take(f.holder, size)
		f.bytes += len(uri)
		f.uris[uri] = struct{}{}
		w.follows[session] = f
	}
	if !w.running {
		w.running = true
		go w.run()
	}
	return nil
}

func (w *watcher) unsubscribe(session *mcp.ServerSession, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.follows[session]
	if f == nil {
		return
	}
	if _, there := f.uris[uri]; !there {
		return
	}
	w.memory.take(f.holder, -int64(len(uri)+followedEntry))
	f.bytes -= len(uri)
	delete(f.uris, uri)
	if len(f.uris) == 0 {
		delete(w.follows, session)
	}
}
