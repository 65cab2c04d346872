package contents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A DigestFormat is the form of a [Digest].
type DigestFormat string

// The forms of digests.
const (
	Markdown DigestFormat = "markdown" // the default, like ""
	JSON     DigestFormat = "json"     // one object on one line
)

// DigestOptions are the options of [DigestOf] and [DigestMaps]. The zero value is ready
// to use.
type DigestOptions struct {
	Format DigestFormat // "" means [Markdown]

	// MaxTokens is the most tokens the digest may have; zero means [DefaultTokens].
	MaxTokens int

	// CountTokens returns the number of tokens of a text; nil means
	// [EstimateTokens]. It must grow with the text.
	CountTokens func(text string) int

	// NoSummaries leaves the summaries of nodes out even if there is room.
	NoSummaries bool
}

// A Digest lists the resources and nodes to cite, in as much detail as fits.
type Digest struct {
	Text      string   `json:"text"`
	Tokens    int      `json:"tokens"`    // of Text, as counted
	Resources []string `json:"resources"` // ids, in the order given, each once
	Nodes     int      `json:"nodes"`     // shown nodes
	Omitted   int      `json:"omitted"`   // nodes not shown
}

// EstimateTokens returns the approximate number of tokens of a text in the
// vocabularies of common models, erring on the high side: one token for every
// 3.2 bytes. Readers and briefings use another estimate, one token for every four
// characters.
func EstimateTokens(text string) int { return (len(text)*5 + 15) / 16 }

const (
	maxTitle   = 160 // bytes
	maxSummary = 240 // bytes
)

// DigestOf returns the maps of resources of a Library in a compact form for an agent,
// those of all resources if no ids are given:
// each node with its id, title and location, so that it can be resolved and
// cited. The digest has at most MaxTokens tokens. If not everything fits, nodes
// near the top of their maps come first, evenly from all maps; summaries are
// added if space is left after that. A nil opts means the defaults.
//
// If not even the names of the resources fit, the error matches
// [citekit.ErrTooLarge]. If a resource does not exist, the error wraps a
// [*citekit.NotFoundError].
func DigestOf(ctx context.Context, lib *citekit.Library, resourceIDs []string, opts *DigestOptions) (*Digest, error) {
	if len(resourceIDs) == 0 {
		all, err := lib.Resources(ctx)
		if err != nil {
			return nil, err
		}
		resourceIDs = all
	}
	maps := make([]*citekit.ResourceMap, len(resourceIDs))
	for i, id := range resourceIDs {
		m, err := lib.Map(ctx, id)
		if err != nil {
			return nil, err
		}
		maps[i] = m
	}
	return DigestMaps(maps, opts)
}

// DigestMaps is like [DigestOf], for maps that the caller has.
func DigestMaps(maps []*citekit.ResourceMap, opts *DigestOptions) (*Digest, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("contents: %w", err)
	}
	maps = distinct(maps)
	b := newBuilder(maps, o)
	shown := b.most(len(b.order), func(n int) string { return b.render(n, 0) })
	if shown < 0 {
		return nil, fmt.Errorf("contents: the names of %s take %d tokens, of at most %d; give more tokens or fewer resources: %w",
			message.Count(len(maps), "resource"), o.CountTokens(b.render(0, 0)), o.MaxTokens, citekit.ErrTooLarge)
	}
	summaries := 0
	if shown == len(b.order) && !o.NoSummaries {
		summaries = b.most(shown, func(n int) string { return b.render(shown, n) })
	}
	c := &Digest{
		Text:      b.render(shown, summaries),
		Resources: make([]string, 0, len(maps)),
		Nodes:     shown,
		Omitted:   len(b.order) - shown,
	}
	c.Tokens = o.CountTokens(c.Text)
	for _, m := range maps {
		c.Resources = append(c.Resources, m.ResourceID)
	}
	return c, nil
}

// distinct returns maps without repetitions.
func distinct(maps []*citekit.ResourceMap) []*citekit.ResourceMap {
	var once []*citekit.ResourceMap
	for _, m := range maps {
		if !slices.Contains(once, m) {
			once = append(once, m)
		}
	}
	return once
}

func (o *DigestOptions) withDefaults() (DigestOptions, error) {
	var opts DigestOptions
	if o != nil {
		opts = *o
	}
	opts.Format = cmp.Or(opts.Format, Markdown)
	opts.MaxTokens = cmp.Or(opts.MaxTokens, DefaultTokens)
	if opts.CountTokens == nil {
		opts.CountTokens = EstimateTokens
	}
	if opts.Format != Markdown && opts.Format != JSON {
		return opts, fmt.Errorf("format %s; it is markdown or json: %w", message.Quote(string(opts.Format)), citekit.ErrSyntax)
	}
	if opts.MaxTokens < 0 {
		return opts, fmt.Errorf("%d tokens; a context has at least 1: %w", opts.MaxTokens, citekit.ErrSyntax)
	}
	return opts, nil
}

// A builder renders maps with a variable number of their nodes.
type builder struct {
	maps  []*citekit.ResourceMap
	opts  DigestOptions
	order []*citekit.Node       // all nodes, the first to show first
	rank  map[*citekit.Node]int // their index in order
}

func newBuilder(maps []*citekit.ResourceMap, opts DigestOptions) *builder {
	b := &builder{maps: maps, opts: opts, rank: make(map[*citekit.Node]int)}
	var levels [][][]*citekit.Node // by depth, then by map
	for i, m := range maps {
		for n, depth := range m.All() {
			for len(levels) <= depth {
				levels = append(levels, make([][]*citekit.Node, len(maps)))
			}
			levels[depth][i] = append(levels[depth][i], n)
		}
	}
	for _, level := range levels {
		b.order = append(b.order, alternate(level)...)
	}
	for i, n := range b.order {
		b.rank[n] = i
	}
	return b
}

// alternate returns the first element of each list, then the second of each,
// and so on.
func alternate(lists [][]*citekit.Node) (all []*citekit.Node) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, list := range lists {
			if i < len(list) {
				all, more = append(all, list[i]), true
			}
		}
	}
	return all
}

// most returns the largest number up to max for which the text is within the
// budget, or -1.
func (b *builder) most(max int, render func(int) string) int {
	fits := func(n int) bool { return b.opts.CountTokens(render(n)) <= b.opts.MaxTokens }
	if fits(max) {
		return max
	}
	return sort.Search(max, func(n int) bool { return !fits(n) }) - 1
}

// render returns the digest with the first shown nodes in order, and with
// summaries of the first of these.
func (b *builder) render(shown, summaries int) string {
	if b.opts.Format == JSON {
		return b.renderJSON(shown, summaries)
	}
	var w strings.Builder
	for i, m := range b.maps {
		if i > 0 {
			w.WriteByte('\n')
		}
		address := wholeAddress(m)
		if address == "" {
			address = "no address: the map says no type"
		}
		fmt.Fprintf(&w, "# %s\n%s, %s\n", oneLine(m.Title, maxTitle), oneLine(m.ResourceID, math.MaxInt), address)
		b.renderNodes(&w, m, m.Nodes, 0, shown, summaries)
	}
	return w.String()
}

func (b *builder) renderNodes(w *strings.Builder, m *citekit.ResourceMap, nodes []*citekit.Node, depth, shown, summaries int) {
	indent := strings.Repeat("  ", depth)
	omitted := 0
	for _, n := range nodes {
		if b.rank[n] >= shown {
			omitted++
			continue
		}
		id, _ := plain.ShowHidden(n.ID) // all of it is needed to name the node
		fmt.Fprintf(w, "%s- `%s`", indent, oneLine(id, math.MaxInt))
		if title := oneLine(n.Title, maxTitle); title != "" {
			w.WriteString(" " + title)
		}
		if place := place(m.Address(n)); place != "" {
			w.WriteString(" (" + place + ")")
		}
		w.WriteByte('\n')
		if summary := oneLine(n.Summary, maxSummary); summary != "" && b.rank[n] < summaries {
			fmt.Fprintf(w, "%s  %s\n", indent, summary)
		}
		b.renderNodes(w, m, n.Children, depth+1, shown, summaries)
	}
	if omitted > 0 {
		fmt.Fprintf(w, "%s- … %d more\n", indent, omitted)
	}
}

// wholeAddress returns the address of the whole resource, or "" if its modality
// is unknown.
func wholeAddress(m *citekit.ResourceMap) string {
	a := m.Address(nil)
	if a.Validate() != nil {
		return ""
	}
	return a.String()
}

// place returns the selector of an address, or the whole address if it is
// virtual.
func place(a citekit.Address) string {
	switch {
	case a.Validate() != nil:
		return ""
	case a.Location.VirtualAddress == "":
		return a.Location.String()
	}
	if s := a.String(); oneLine(s, math.MaxInt) == s {
		return s
	}
	return "" // it would change if put on one line
}

// oneLine returns text on one line, without invisible characters and without
// characters that would end a code span.
func oneLine(text string, max int) string {
	return plain.Shorten(strings.ReplaceAll(plain.Line(text), "`", "'"), max)
}

type jsonResource struct {
	ResourceID string     `json:"resource_id"`
	Title      string     `json:"title,omitempty"`
	Address    string     `json:"address,omitempty"` // left out if the map has no type
	Nodes      []jsonNode `json:"nodes"`
	More       int        `json:"more,omitempty"` // top-level nodes that are not shown
}

type jsonNode struct {
	ID       string     `json:"id"`
	Title    string     `json:"title,omitempty"`
	At       string     `json:"at,omitempty"` // selector
	Summary  string     `json:"summary,omitempty"`
	Children []jsonNode `json:"children,omitempty"`
	More     int        `json:"more,omitempty"` // children that are not shown
}

func (b *builder) renderJSON(shown, summaries int) string {
	resources := make([]jsonResource, len(b.maps))
	for i, m := range b.maps {
		r := jsonResource{ResourceID: m.ResourceID, Title: oneLine(m.Title, maxTitle), Address: wholeAddress(m)}
		r.Nodes, r.More = b.jsonNodes(m, m.Nodes, shown, summaries)
		resources[i] = r
	}
	var w strings.Builder
	encoder := json.NewEncoder(&w)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(map[string]any{"resources": resources}) != nil {
		return ""
	}
	return w.String()
}

func (b *builder) jsonNodes(m *citekit.ResourceMap, nodes []*citekit.Node, shown, summaries int) (list []jsonNode, more int) {
	list = []jsonNode{}
	for _, n := range nodes {
		if b.rank[n] >= shown {
			more++
			continue
		}
		c := jsonNode{ID: n.ID, Title: oneLine(n.Title, maxTitle), At: place(m.Address(n))}
		if b.rank[n] < summaries {
			c.Summary = oneLine(n.Summary, maxSummary)
		}
		c.Children, c.More = b.jsonNodes(m, n.Children, shown, summaries)
		list = append(list, c)
	}
	return list, more
}
