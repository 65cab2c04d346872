package mcpadapter

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/plain"
)

// The formats of getStructure.
const (
	formatJSON    = "json"
	formatOutline = "outline"
)

// maxCursor is about the greatest length of a cursor, in bytes: two ids of length
// maxID, with up to six bytes of JSON for each byte, in base64.
const maxCursor = 17 * maxID

func badCursor(why string) error { return badArgument("the cursor does not fit: %s", why) }

func (a *adapter) getStructure(ctx context.Context, args arguments) (answer, error) {
	resource, node, err := a.placeOf(ctx, args)
	if err != nil {
		return answer{}, err
	}
	if node != nil {
		args["node_id"] = *node
	}
	m, err := a.lib.Map(ctx, resource)
	if err != nil {
		return answer{}, err
	}
	m = a.withoutPath(ctx, m)
	size := cmp.Or(a.opts.PageBytes, defaultMapBytes)
	if args.flag("full") {
		size = math.MaxInt
	}
	if args.text("format") == formatOutline {
		return a.structureOutline(ctx, m, args, size)
	}
	defer ctxio.Time(ctx, ctxio.PhaseEncode)()
	if !args.has("node_id") && !args.has("depth") && !args.has("cursor") {
		return asJSON(contents.UpperLevels(m, size, func(shown contents.ShownLevels) string { return a.hintForRest(ctx, shown) }))
	}
	req := contents.MapPageRequest{NodeID: args.text("node_id"), Cursor: args.text("cursor"), MaxBytes: size, LongFields: longFieldsHint}
	if depth, ok := args["depth"].(int); ok {
		req.Depth = &depth
	}
	data, err := contents.MapPage(ctx, a.lib, m, req)
	return answer{data: data}, asArgument(err)
}

const longFieldsHint = "Long fields are left out. full true gives the whole map, for programs."

// hintForRest says how to see the nodes of a map that are not shown.
func (a *adapter) hintForRest(ctx context.Context, shown contents.ShownLevels) string {
	switch {
	case shown.Nodes == shown.All:
		return longFieldsHint
	case shown.Flat:
		search := ""
		if a.hasTool(ctx, "search") {
			search = ", and search finds nodes by their words"
		}
		return fmt.Sprintf("Shown are the first %d of %d nodes, which are all on one level. next_cursor goes on. "+
			"getNode with the address of a place finds its node%s. full true gives the whole map, for programs.", shown.Nodes, shown.All, search)
	}
	return fmt.Sprintf("Shown are %d of %d nodes, upper levels first. A node with child_count has more children: pass its id as node_id. "+
		"next_cursor goes on with the level that is cut. full true gives the whole map, for programs.", shown.Nodes, shown.All)
}

func (a *adapter) structureOutline(ctx context.Context, m *citekit.ResourceMap, args arguments, size int) (answer, error) {
	if args.has("depth") || args.text("cursor") != "" {
		return answer{}, badArgument("an outline takes no depth and no cursor; give node_id for one branch")
	}
	if id := args.text("node_id"); id != "" {
		n, err := a.lib.Node(ctx, m.ResourceID, id)
		if err != nil {
			return answer{}, err
		}
		branch := *m
		branch.Nodes = []*citekit.Node{n}
		m = &branch
	}
	defer ctxio.Time(ctx, ctxio.PhaseEncode)()
	return encodeOutline(m, size)
}

// An outline is the answer of getStructure in the compact form.
type outline struct {
	ResourceID string `json:"resource_id"`
	Outline    string `json:"outline"`
	Omitted    int    `json:"omitted,omitempty"`
	Hint       string `json:"hint,omitempty"`
}

// outlineHint is how many bytes the hint behind an outline takes at most.
const outlineHint = 200

// encodeOutline returns the outline of a map as text and as JSON, in at most size
// bytes.
func encodeOutline(m *citekit.ResourceMap, size int) (answer, error) {
	d, err := contents.DigestMaps([]*citekit.ResourceMap{m}, &contents.DigestOptions{
		MaxTokens: size - min(size/50, outlineHint), CountTokens: func(text string) int { return len(text) },
	})
	if err != nil {
		return answer{}, err
	}
	o := outline{ResourceID: m.ResourceID, Outline: d.Text, Omitted: d.Omitted}
	text := d.Text
	if d.Omitted > 0 {
		o.Hint = fmt.Sprintf("Nodes left out: %d. Pass node_id for one branch, or full true for all.", d.Omitted)
		if contents.IsFlat(m) {
			o.Hint = fmt.Sprintf("Nodes left out: %d, all on one level. cursor \"\" with format json gives them in parts, and full true all.", d.Omitted)
		}
		text += o.Hint + "\n"
	}
	hidden := 0 // in ids, as titles and summaries are shown without
	for n := range m.All() {
		if shown, count := plain.ShowHidden(n.ID); count > 0 && strings.Contains(text, shown) {
			hidden += count
		}
	}
	data, err := json.Marshal(o)
	return answer{data: data, text: text, hidden: hidden}, err
}
