package mcpadapter

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// maxItems is how many resources are described in one answer at most: each
// means a map to be read.
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
	Address    *citekit.Address `json:"address,omitempty"` // left out if it would not parse, or nothing resolves it
	Error      string           `json:"error,omitempty"`   // why the map cannot be read
}

// A resourceList is the answer of listResources. Resources are the ids of all,
// or where a cursor is given those of the items.
type resourceList struct {
	Resources  []string       `json:"resources"`
	Items      []resourceItem `json:"items,omitempty"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

func (a *adapter) listResources(ctx context.Context, args arguments) (answer, error) {
	last, err := lastListed(args.text("cursor"))
	if err != nil {
		return answer{}, err
	}
	limit := 0 // without a cursor all are named
	if args.has("cursor") {
		limit = maxItems + 1
	}
	rest, err := a.lib.ResourcesAfter(ctx, last, limit)
	if err != nil {
		return answer{}, err
	}
	list := resourceList{Resources: rest}
	if list.Items, err = a.describe(ctx, rest); err != nil {
		return answer{}, err
	}
	described := rest[:len(list.Items)]
	if args.has("cursor") {
		list.Resources = described
	}
	if len(described) < len(rest) {
		list.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(described[len(described)-1]))
	}
	if list.Resources == nil {
		list.Resources = []string{}
	}
	return asJSON(json.Marshal(list))
}

// lastListed returns the id that a cursor stands for, or "". What was added or
// removed since does not matter: ids are sorted.
func lastListed(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	last, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || citekit.CheckResourceID(string(last)) != nil {
		return "", badCursor("it is not one that this tool gave")
	}
	return string(last), nil
}

// describe describes the first of some resources, as many as fit on a page, at
// least one.
func (a *adapter) describe(ctx context.Context, ids []string) ([]resourceItem, error) {
	items := make([]resourceItem, 0, min(len(ids), maxItems))
	room := a.opts.PageBytes
	for _, id := range ids[:min(len(ids), maxItems)] {
		item := a.describeResource(ctx, id)
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

// maxListedTitle is the longest title in a list, in bytes.
const maxListedTitle = 300

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
	if m.Type != citekit.Virtual && !slices.Contains(a.lib.Modalities(), m.Type) {
		return item // nothing resolves it
	}
	address := citekit.Address{Resource: id, Location: citekit.Location{Modality: m.Type}}
	if parsed, err := citekit.ParseAddress(address.String()); err == nil && parsed.Equal(address) {
		item.Address = &address
	}
	return item
}
