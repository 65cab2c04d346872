package stats

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/plain"
)

// MaxListed is how many resources one [List] describes at most. For each, a map is read.
const MaxListed = 100

// A Resource describes a resource in a list. It encodes as JSON.
type Resource struct {
	ResourceID string           `json:"resource_id"`
	Type       string           `json:"type,omitempty"`
	Title      string           `json:"title,omitempty"`
	Nodes      int              `json:"nodes"`
	Pages      int              `json:"pages,omitempty"`
	Lines      int              `json:"lines,omitempty"`
	Duration   float64          `json:"duration,omitempty"` // in seconds
	Width      int              `json:"width,omitempty"`    // in pixels, as Height
	Height     int              `json:"height,omitempty"`
	State      string           `json:"state,omitempty"`   // stale, vanished, unreadable, outside_roots or unchecked, as of the source; left out if it is as mapped
	Address    *citekit.Address `json:"address,omitempty"` // left out if it would not parse, or if nothing resolves it
	Error      string           `json:"error,omitempty"`   // why the map cannot be read, or that nothing reads sources of its type
}

// A List is a part of the resources of a library. Resources are the ids of all, or only
// of the items, if there are too many or the request selects some.
type List struct {
	Total      int        `json:"total,omitempty"` // of all that are listed in parts; 0 behind a cursor
	Resources  []string   `json:"resources"`
	Items      []Resource `json:"items,omitempty"`
	NextCursor string     `json:"next_cursor,omitempty"`
	Hint       string     `json:"hint,omitempty"` // for who makes the list
}

// A ListRequest says which resources to list. The zero value lists the first of all.
type ListRequest struct {
	Query  string           // words that the id, the title or the path must contain
	Type   citekit.Modality // "" means any
	Cursor string           // NextCursor of the part before, of the same Query and Type; "" begins
	Limit  int              // items, from 1 to [MaxListed]; zero means that

	// MaxBytes is about how many bytes the items may have as JSON; there is always one.
	// With Names, ids of all are listed if they have no more than that.
	MaxBytes int
	Names    bool

	// Say words the error of a map, or of a source; nil means as it is.
	Say func(error) string
}

// List lists resources in the order of their ids. The error matches [citekit.ErrSyntax]
// if the cursor is of another request.
func (c *Collector) List(ctx context.Context, req ListRequest) (*List, error) {
	if req.Limit <= 0 || req.Limit > MaxListed {
		req.Limit = MaxListed
	}
	if req.Say == nil {
		req.Say = error.Error
	}
	wanted := filterOf(req)
	last, err := lastListed(req.Cursor, wanted.String())
	if err != nil {
		return nil, err
	}
	list := new(List)
	if wanted.all() {
		err = c.listAll(ctx, list, last, req)
	} else {
		err = c.listWanted(ctx, list, last, wanted, req)
	}
	if err != nil {
		return nil, err
	}
	if list.Resources == nil {
		list.Resources = []string{}
	}
	return list, nil
}

// IDs returns up to n ids of resources in order, and the cursor behind them, "" at the
// end. An empty cursor begins.
func (c *Collector) IDs(ctx context.Context, cursor string, n int) (ids []string, next string, err error) {
	last, err := lastListed(cursor, "")
	if err != nil {
		return nil, "", err
	}
	if ids, err = c.lib.ResourcesAfter(ctx, last, n+1); err == nil && len(ids) > n {
		ids = ids[:n]
		next = listCursor(ids[n-1], "")
	}
	return ids, next, err
}

// Addresses returns the addresses of all resources, each as a whole, in the order of
// their ids.
func (c *Collector) Addresses(ctx context.Context) ([]citekit.Address, error) {
	all, err := c.catalog.entries(ctx, c.lib)
	if err != nil {
		return nil, err
	}
	addresses := make([]citekit.Address, len(all.list))
	for i, e := range all.list {
		addresses[i] = citekit.Address{Resource: e.id, Location: citekit.Location{Modality: e.modality}}
	}
	return addresses, nil
}

// listWanted lists the resources that follow the id last and that the filter selects.
func (c *Collector) listWanted(ctx context.Context, list *List, last string, wanted resourceFilter, req ListRequest) error {
	entries, err := c.catalog.entries(ctx, c.lib)
	if err != nil {
		return err
	}
	ids := entries.wanted(last, req.Limit+1, wanted)
	if list.Items, err = c.describe(ctx, ids[:min(len(ids), req.Limit)], req); err != nil {
		return err
	}
	list.Resources = ids[:len(list.Items)]
	if len(list.Resources) < len(ids) {
		list.NextCursor = listCursor(list.Resources[len(list.Resources)-1], wanted.String())
		if last == "" {
			list.Total = len(entries.wanted("", math.MaxInt, wanted))
		}
	}
	return nil
}

// listAll lists the resources that follow the id last.
func (c *Collector) listAll(ctx context.Context, list *List, last string, req ListRequest) error {
	most := req.Limit + 1
	if last == "" {
		most = 0 // they are counted
	}
	rest, err := c.lib.ResourcesAfter(ctx, last, most)
	if err != nil {
		return err
	}
	if list.Items, err = c.describe(ctx, rest[:min(len(rest), req.Limit)], req); err != nil {
		return err
	}
	described := rest[:len(list.Items)]
	if len(described) < len(rest) {
		list.NextCursor = listCursor(described[len(described)-1], "")
	}
	if list.Resources = described; req.Names && sizeOfIDs(rest) <= req.MaxBytes {
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
		return "", fmt.Errorf("the cursor does not fit: it is not from this list; leave it out to begin: %w", citekit.ErrSyntax)
	case place.Filter != filter:
		return "", fmt.Errorf("the cursor does not fit: it belongs to another query or type; give the same as before, or leave it out to begin: %w", citekit.ErrSyntax)
	}
	return place.Last, nil
}

// describe describes the first of some resources: at most MaxListed, and as many
// as fit on a page, but at least one.
func (c *Collector) describe(ctx context.Context, ids []string, req ListRequest) ([]Resource, error) {
	items := make([]Resource, 0, min(len(ids), MaxListed))
	room := req.MaxBytes
	ctx = ctxio.WithHashLimit(ctx, MaxStateBytes)
	stamp := mapsStamp(ctx, c.lib)
	for _, id := range ids[:min(len(ids), MaxListed)] {
		item := c.items.describe(ctx, c, id, stamp, req.Say)
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

// MaxStateBytes is how many bytes of sources a list hashes to see whether they
// changed. Only sources are hashed that have the size that was mapped, but were
// written since.
const MaxStateBytes = 512 << 20

// addState adds how the source of a resource differs from what was mapped, or that
// no resolver reads it.
func (c *Collector) addState(ctx context.Context, item *Resource, m *citekit.ResourceMap, say func(error) string) {
	state, err := ingest.StateOf(ctx, c.lib, m)
	switch {
	case errors.Is(err, citekit.ErrForbidden):
		item.State = stateOutside // as info counts it
		return
	case errors.Is(err, ctxio.ErrHashLimit):
		item.State = StateUnchecked
		return
	case state == ingest.StateOK:
		return
	}
	item.State = string(state)
	var missing *citekit.NoResolverError
	if errors.As(err, &missing) {
		item.Error = say(err)
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
	Resource
	path, stamp string // of the source; "" without one
}

// maxKnownItems bounds the descriptions that are kept. Each takes some hundred
// bytes.
const maxKnownItems = 20_000

// describe is describeResource for maps that have a stamp.
func (items *itemCache) describe(ctx context.Context, c *Collector, id string, maps citekit.Stamp, say func(error) string) Resource {
	ws, ok := c.lib.Workspace().(sourceStamper)
	if !ok || maps == (citekit.Stamp{}) {
		return c.describeResource(ctx, id, say)
	}
	if known, ok := items.known(id, maps); ok && (known.path == "" || ws.SourceStamp(ctx, known.path) == known.stamp) {
		return known.Resource
	}
	known := stampedItem{}
	if m, err := c.lib.Map(ctx, id); err == nil && m.Type != citekit.Virtual && m.SourcePath != "" {
		known.path, known.stamp = m.SourcePath, ws.SourceStamp(ctx, m.SourcePath) // before its state is looked at
	}
	known.Resource = c.describeResource(ctx, id, say)
	if known.State == "" && known.Error == "" && (known.path == "" || known.stamp != "") {
		items.keep(id, maps, known)
	}
	return known.Resource
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
	s, ok := lib.Workspace().(mapStamper)
	if !ok {
		return citekit.Stamp{}
	}
	stamp, err := s.MapsStamp(ctx)
	if err != nil {
		return citekit.Stamp{}
	}
	return stamp
}

// stateOutside is the state of a resource whose source is outside the roots, or not a
// regular file.
const stateOutside = "outside_roots"

// StateUnchecked is the state of a resource whose source would have to be hashed, with
// more bytes than [MaxStateBytes] leaves.
const StateUnchecked = "unchecked"

// MaxListedTitle is the longest title in a list, in bytes.
const MaxListedTitle = 300

// describeResource describes a resource, with the state of its source.
func (c *Collector) describeResource(ctx context.Context, id string, say func(error) string) Resource {
	item := Resource{ResourceID: id}
	m, err := c.lib.Map(ctx, id)
	if err != nil {
		item.Error = say(err)
		return item
	}
	item.Type, item.Title, item.Nodes = string(m.Type), plain.Shorten(m.Title, MaxListedTitle), m.Len()
	e := m.Extent()
	item.Pages, item.Lines, item.Duration, item.Width, item.Height = e.Pages, e.Lines, e.Duration, e.Width, e.Height
	c.addState(ctx, &item, m, say)
	if m.Type != citekit.Virtual && !slices.Contains(c.lib.Modalities(), m.Type) {
		return item // nothing resolves it
	}
	address := citekit.Address{Resource: id, Location: citekit.Location{Modality: m.Type}}
	if parsed, err := citekit.ParseAddress(address.String()); err == nil && parsed.Equal(address) {
		item.Address = &address
	}
	return item
}

// Matching returns the ids of all resources whose id, title or path contains each word
// of a query, in order; of one whose map cannot be read, only the id counts.
func (c *Collector) Matching(ctx context.Context, query string) ([]string, error) {
	entries, err := c.catalog.entries(ctx, c.lib)
	if err != nil {
		return nil, err
	}
	return entries.wanted("", math.MaxInt, filterOf(ListRequest{Query: query})), nil
}

// MapsStamp returns a stamp that changes whenever a map does. It is zero if the
// workspace has none.
func (c *Collector) MapsStamp(ctx context.Context) citekit.Stamp { return mapsStamp(ctx, c.lib) }
