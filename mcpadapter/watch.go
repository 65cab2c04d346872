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

	// watchShare bounds what watching costs: a look that takes long is repeated
	// after so many times as long.
	watchShare = 50

	// maxSubscriptions is how many resources one session follows at most.
	maxSubscriptions = 1000

	// maxFollowed is how many bytes the URIs of these have together.
	maxFollowed = 128 << 10
)

// A watcher tells clients when there are other maps, and when a map changes that
// they subscribed to, also by another process. It looks only while there are
// sessions, and ends by itself.
type watcher struct {
	lib      *citekit.Library
	interval time.Duration // negative for never
	logger   *slog.Logger
	server   *mcp.Server
	notify   func() // tells clients that there are other maps
	poke     chan struct{}
	seed     maphash.Seed

	mu      sync.Mutex
	running bool
	follows map[*mcp.ServerSession]map[string]struct{} // URIs by session
	stamps  map[string]citekit.Stamp                   // of followed maps by id, as last seen; zero if there was none
}

func newWatcher(lib *citekit.Library, interval time.Duration, logger *slog.Logger) *watcher {
	if interval == 0 {
		interval = defaultWatch
	}
	return &watcher{
		lib: lib, interval: interval, logger: logger, notify: func() {}, poke: make(chan struct{}, 1), seed: maphash.MakeSeed(),
		follows: map[*mcp.ServerSession]map[string]struct{}{}, stamps: map[string]citekit.Stamp{},
	}
}

// lookNow has the watcher look at once, if there is anybody to tell.
func (w *watcher) lookNow() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// start begins to watch, unless that is done already.
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
			w.logger.LogAttrs(ctx, slog.LevelError, "list of resources", slog.String("error", clip(err.Error())))
		case !started || listed != known:
			known, started = listed, true
			w.notify()
		}
		w.tellChanges(ctx)
		wait = max(w.pause(), watchShare*time.Since(begun))
	}
}

// pause is how long to wait before the next look, or, for who looks only when
// asked, before seeing whether there are sessions left.
func (w *watcher) pause() time.Duration {
	if w.interval < 0 {
		return defaultWatch
	}
	return w.interval
}

// sleep waits until the next look is due or asked for, which it reports.
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

// keep forgets sessions that ended. It reports false, and counts as ended, if
// there are none left.
func (w *watcher) keep() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	there := map[*mcp.ServerSession]bool{}
	for session := range w.server.Sessions() {
		there[session] = true
	}
	for session := range w.follows {
		if !there[session] {
			delete(w.follows, session)
		}
	}
	w.running = len(there) > 0
	return w.running
}

// listHash returns what tells one list of maps from another.
func (w *watcher) listHash(ctx context.Context) (uint64, error) {
	ids, err := w.lib.Resources(ctx)
	if err != nil {
		return 0, err
	}
	var h maphash.Hash
	h.SetSeed(w.seed)
	for _, id := range ids {
		h.WriteString(id)
		h.WriteByte(0) // no id has it
	}
	return h.Sum64(), nil
}

// tellChanges tells of the followed maps that are not as they were.
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
				w.logger.LogAttrs(ctx, slog.LevelInfo, "resource updated", slog.String("error", clip(err.Error())))
			}
		}
	}
}

// followed returns the URIs that are followed, by the id of their map, and
// forgets the stamps of others.
func (w *watcher) followed() map[string][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]bool{}
	for _, uris := range w.follows {
		for uri := range uris {
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

// stamp returns the stamp of a map; zero if there is none.
func (w *watcher) stamp(ctx context.Context, id string) (citekit.Stamp, error) {
	stamp, err := w.lib.Workspace().StatMap(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return citekit.Stamp{}, nil
	}
	return stamp, err
}

// resourceOf returns the id of the resource that a URI is of, or "".
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

// subscribe follows a resource for a session. URIs that are not ours are those of
// the program that embeds the server, which tells of them itself.
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
	uris := w.follows[session]
	if uris == nil {
		uris = map[string]struct{}{}
		w.follows[session] = uris
	}
	if _, again := uris[uri]; !again && (len(uris) >= maxSubscriptions || sizeOfURIs(uris)+len(uri) > maxFollowed) {
		return badArgument("this session follows %d resources already; unsubscribe from some", len(uris))
	}
	uris[uri] = struct{}{}
	if !w.running {
		w.running = true
		go w.run()
	}
	return nil
}

func sizeOfURIs(uris map[string]struct{}) (size int) {
	for uri := range uris {
		size += len(uri)
	}
	return size
}

func (w *watcher) unsubscribe(session *mcp.ServerSession, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.follows[session], uri)
	if len(w.follows[session]) == 0 {
		delete(w.follows, session)
	}
}
