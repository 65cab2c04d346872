package mcpadapter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/plain"
)

// maxItems is how many resources one answer describes at most. For each, a map is
// read.
const maxItems = 100

// A resourceItem describes a resource in a list.
type resourceItem struct {
	ResourceID string           `json:"resource_id"`
	Type       string           `json:"type,omitempty"`
	Title      string           `json:"title,omitempty"`
	Nodes      int              `json:"nodes"`
	Pages      int              `json:"pages,omitempty"`
	Lines      int              `json:"lines,omitempty"`
	Duration   float64          `json:"duration,omitempty"`
	Width      int              `json:"width,omitempty"`
	Height     int              `json:"height,omitempty"`
	State      string           `json:"state,omitempty"`   // stale, vanished, unreadable, outside_roots or unchecked, as of the source; left out if it is as mapped
	Address    *citekit.Address `json:"address,omitempty"` // left out if it would not parse, or if nothing resolves it
	Error      string           `json:"error,omitempty"`   // why the map cannot be read, or that nothing reads sources of its type
}

// A resourceList is the answer of listResources. Resources are the ids of all
// resources, or only of the items, if there are too many or arguments are given.
type resourceList struct {
	Total      int            `json:"total,omitempty"` // of all that are listed in parts; 0 behind a cursor
	Resources  []string       `json:"resources"`
	Items      []resourceItem `json:"items,omitempty"`
	NextCursor string         `json:"next_cursor,omitempty"`
	Hint       string         `json:"hint,omitempty"` // if nothing is listed, or a source was not checked
}

func (a *adapter) listResources(ctx context.Context, args arguments) (answer, error) {
	wanted := filterOf(args)
	last, err := lastListed(args.text("cursor"), wanted.String())
	if err != nil {
		return answer{}, err
	}
	limit := maxItems
	if args.has("limit") {
		if limit = args.count("limit"); limit < 1 || limit > maxItems {
			return answer{}, badArgument("argument 'limit' is %d; it must be from 1 to %d", limit, maxItems)
		}
	}
	var list resourceList
	if !wanted.all() {
		err = a.listWanted(ctx, &list, last, limit, wanted)
	} else {
		err = a.listAll(ctx, &list, last, limit, len(args) == 0)
	}
	if err != nil {
		return answer{}, err
	}
	if list.Resources == nil {
		list.Resources = []string{}
	}
	if slices.ContainsFunc(list.Items, func(item resourceItem) bool { return item.State == unchecked }) {
		list.Hint = uncheckedHint
	}
	if len(list.Resources) == 0 {
		list.Hint = a.noMaps(ctx)
		if list.Hint == "" && !wanted.all() && last == "" {
			list.Hint = "no resource matches; files without a map are not listed, nor those that another base directory has maps of; to map files: " +
				a.mapAgain(ctx) + "; a folder outside the base directory is named with --root FOLDER"
		}
	}
	return asJSON(json.Marshal(list))
}

// isEmpty reports whether nothing is mapped.
func (a *adapter) isEmpty(ctx context.Context) bool {
	ids, err := a.lib.ResourcesAfter(ctx, "", 1)
	return err == nil && len(ids) == 0
}

// listAll lists the resources that follow the id last. If named is set, it lists
// the ids of all, provided they fit on a page.
func (a *adapter) listAll(ctx context.Context, list *resourceList, last string, limit int, named bool) error {
	most := limit + 1
	if last == "" {
		most = 0 // they are counted
	}
	rest, err := a.lib.ResourcesAfter(ctx, last, most)
	if err != nil {
		return err
	}
	if list.Items, err = a.describe(ctx, rest[:min(len(rest), limit)]); err != nil {
		return err
	}
	described := rest[:len(list.Items)]
	if len(described) < len(rest) {
		list.NextCursor = listCursor(described[len(described)-1], "")
	}
	if list.Resources = described; named && sizeOfIDs(rest) <= cmp.Or(a.opts.PageBytes, defaultListBytes) {
		list.Resources = rest
	} else if last == "" && len(described) < len(rest) {
		list.Total = len(rest)
	}
	return nil
}

// sizeOfIDs returns the least number of bytes that ids take in a list.
func sizeOfIDs(ids []string) (size int) {
	for _, id := range ids {
		size += len(id) + len(`"",`)
	}
	return size
}

// A listPlace is where a list goes on. Its cursor holds it, so the server keeps
// none.
type listPlace struct {
	Last   string `json:"after"`            // id of the last resource listed
	Filter string `json:"filter,omitempty"` // of the list
}

// listCursor returns the cursor of a list behind the id last.
func listCursor(last, filter string) string {
	data, _ := json.Marshal(listPlace{last, filter}) // strings always encode
	return base64.RawURLEncoding.EncodeToString(data)
}

// lastListed returns the id in a cursor of a list with a filter, or "". As ids are
// sorted, resources may have been added or removed since. The error matches
// [citekit.ErrSyntax] if the cursor is of something else.
func lastListed(cursor, filter string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	var place listPlace
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(&place)
	}
	switch {
	case err != nil || citekit.CheckResourceID(place.Last) != nil:
		return "", badCursor("it is not from this list; leave it out to begin")
	case place.Filter != filter:
		return "", badCursor("it belongs to another query or type; give the same as before, or leave it out to begin")
	}
	return place.Last, nil
}

// describe describes the first of some resources: at most maxItems, and as many
// as fit on a page, but at least one.
func (a *adapter) describe(ctx context.Context, ids []string) ([]resourceItem, error) {
	items := make([]resourceItem, 0, min(len(ids), maxItems))
	room := cmp.Or(a.opts.PageBytes, defaultListBytes)
	ctx = ctxio.WithHashLimit(ctx, maxStateBytes)
	stamp := mapsStamp(ctx, a.lib)
	for _, id := range ids[:min(len(ids), maxItems)] {
		item := a.items.describe(ctx, a, id, stamp)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		if room -= len(data); room < 0 && len(items) > 0 {
			break
		}
		items = append(items, item)
	}
	return items, nil
}

// maxStateBytes is how many bytes of sources a list hashes to see whether they
// changed. Only sources are hashed that have the size that was mapped, but were
// written since.
const maxStateBytes = 512 << 20

const uncheckedHint = "sources that are unchecked were written since they were mapped, and are too large to see in one list whether they changed; a later list goes on, and resolve says it of one"

// addState adds how the source of a resource differs from what was mapped, or that
// no resolver reads it.
func (a *adapter) addState(ctx context.Context, item *resourceItem, m *citekit.ResourceMap) {
	state, err := ingest.StateOf(ctx, a.lib, m)
	switch {
	case errors.Is(err, citekit.ErrForbidden):
		item.State = outsideRoots // as info counts it
		return
	case errors.Is(err, ctxio.ErrHashLimit):
		item.State = unchecked
		return
	case state == ingest.StateOK:
		return
	}
	item.State = string(state)
	var missing *citekit.NoResolverError
	if errors.As(err, &missing) {
		item.Error = printable(explain("listResources", err, citekit.CodeOf(err)))
	}
}

// A sourceStamper is a workspace that tells whether a source may have changed
// without opening it. The stamp may be "", which says nothing.
type sourceStamper interface {
	SourceStamp(ctx context.Context, path string) string
}

// itemCache holds descriptions of resources whose sources are as they were mapped.
// Each is used while no map has changed and its source has the same stamp. Its
// methods are safe for concurrent use.
type itemCache struct {
	mu    sync.Mutex
	stamp citekit.Stamp // of the maps
	items map[string]stampedItem
}

type stampedItem struct {
	resourceItem
	path, stamp string // of the source; "" without one
}

// maxKnownItems bounds the descriptions that are kept. Each takes some hundred
// bytes.
const maxKnownItems = 20_000

// describe is describeResource for maps that have a stamp.
func (c *itemCache) describe(ctx context.Context, a *adapter, id string, maps citekit.Stamp) resourceItem {
	ws, ok := a.lib.Workspace().(sourceStamper)
	if !ok || maps == (citekit.Stamp{}) {
		return a.describeResource(ctx, id)
	}
	if known, ok := c.known(id, maps); ok && (known.path == "" || ws.SourceStamp(ctx, known.path) == known.stamp) {
		return known.resourceItem
	}
	known := stampedItem{}
	if m, err := a.lib.Map(ctx, id); err == nil && m.Type != citekit.Virtual && m.SourcePath != "" {
		known.path, known.stamp = m.SourcePath, ws.SourceStamp(ctx, m.SourcePath) // before its state is looked at
	}
	known.resourceItem = a.describeResource(ctx, id)
	if known.State == "" && known.Error == "" && (known.path == "" || known.stamp != "") {
		c.keep(id, maps, known)
	}
	return known.resourceItem
}

func (c *itemCache) known(id string, maps citekit.Stamp) (stampedItem, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, ok := c.items[id]
	return item, ok && c.stamp == maps
}

func (c *itemCache) keep(id string, maps citekit.Stamp, item stampedItem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stamp != maps || c.items == nil || len(c.items) >= maxKnownItems {
		c.stamp, c.items = maps, make(map[string]stampedItem)
	}
	c.items[id] = item
}

// mapsStamp returns the stamp of the maps, or a zero one that says nothing.
func mapsStamp(ctx context.Context, lib *citekit.Library) citekit.Stamp {
	s, ok := lib.Workspace().(stamper)
	if !ok {
		return citekit.Stamp{}
	}
	stamp, err := s.MapsStamp(ctx)
	if err != nil {
		return citekit.Stamp{}
	}
	return stamp
}

// outsideRoots is the state of a resource whose source is outside the roots, or
// not a regular file.
const outsideRoots = "outside_roots"

// unchecked is the state of a resource whose source would have to be hashed, with
// more bytes than maxStateBytes leaves.
const unchecked = "unchecked"

// maxListedTitle is the longest title in a list, in bytes.
const maxListedTitle = 300

// describeResource describes a resource, with the state of its source.
func (a *adapter) describeResource(ctx context.Context, id string) resourceItem {
	item := resourceItem{ResourceID: id}
	m, err := a.lib.Map(ctx, id)
	if err != nil {
		item.Error = printable(explain("listResources", err, citekit.CodeOf(err)))
		return item
	}
	item.Type, item.Title, item.Nodes = string(m.Type), plain.Shorten(m.Title, maxListedTitle), m.Len()
	e := m.Extent()
	item.Pages, item.Lines, item.Duration, item.Width, item.Height = e.Pages, e.Lines, e.Duration, e.Width, e.Height
	a.addState(ctx, &item, m)
	if m.Type != citekit.Virtual && !slices.Contains(a.lib.Modalities(), m.Type) {
		return item // nothing resolves it
	}
	address := citekit.Address{Resource: id, Location: citekit.Location{Modality: m.Type}}
	if parsed, err := citekit.ParseAddress(address.String()); err == nil && parsed.Equal(address) {
		item.Address = &address
	}
	return item
}
