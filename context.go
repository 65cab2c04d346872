package citekit

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// A ContextFormat is the form of an [AgentContext].
type ContextFormat string

// The forms of contexts.
const (
	ContextMarkdown ContextFormat = "markdown" // the default, as is ""
	ContextJSON     ContextFormat = "json"     // one object on one line
)

// ContextOptions are the options of [Library.Context]. The zero value is ready
// to use.
type ContextOptions struct {
	Format ContextFormat

	// MaxTokens is the most tokens the context may have; zero means 4,000.
	MaxTokens int

	// CountTokens returns the number of tokens of a text; nil means
	// [EstimateTokens]. It must grow with the text.
	CountTokens func(text string) int

	// NoSummaries leaves the summaries of nodes out even if there is room.
	NoSummaries bool
}

// An AgentContext tells an agent what there is to cite, in as much detail as
// fits.
type AgentContext struct {
	Text      string   `json:"text"`
	Tokens    int      `json:"tokens"`    // of Text, as counted
	Resources []string `json:"resources"` // ids, in the order given, each once
	Nodes     int      `json:"nodes"`     // that are shown
	Omitted   int      `json:"omitted"`   // that are not
}

// EstimateTokens returns about how many tokens a text has in the vocabularies
// of common models, rather too many than too few: one for each 3.2 bytes.
func EstimateTokens(text string) int { return (len(text)*5 + 15) / 16 }

const (
	defaultContextTokens = 4000
	maxContextTitle      = 160 // bytes
	maxContextSummary    = 240 // bytes
)

// Context returns the maps of resources in a compact form that an agent can
// read at once: each node with its id, title and location, so that it can be
// resolved and cited. It has at most MaxTokens tokens: if not all fits, nodes
// near the top of their maps come first, from all maps alike, and summaries
// are added where there is room after that.
//
// If not even the names of the resources fit, the error matches [ErrTooLarge].
func (l *Library) Context(ctx context.Context, resourceIDs []string, opts *ContextOptions) (*AgentContext, error) {
	maps := make([]*ResourceMap, len(resourceIDs))
	for i, id := range resourceIDs {
		m, err := l.Map(ctx, id)
		if err != nil {
			return nil, err
		}
		maps[i] = m
	}
	return BuildContext(maps, opts)
}

// BuildContext is [Library.Context] for maps that are at hand.
func BuildContext(maps []*ResourceMap, opts *ContextOptions) (*AgentContext, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("citekit: context: %w", err)
	}
	maps = distinct(maps)
	b := newContextBuilder(maps, o)
	shown := b.most(len(b.order), func(n int) string { return b.render(n, 0) })
	if shown < 0 {
		return nil, fmt.Errorf("citekit: context: the names of %s take %d tokens, of at most %d; give more tokens or fewer resources: %w",
			plural(len(maps), "resource"), o.CountTokens(b.render(0, 0)), o.MaxTokens, ErrTooLarge)
	}
	summaries := 0
	if shown == len(b.order) && !o.NoSummaries {
		summaries = b.most(shown, func(n int) string { return b.render(shown, n) })
	}
	c := &AgentContext{
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

// distinct returns maps without those that were there before.
func distinct(maps []*ResourceMap) []*ResourceMap {
	var once []*ResourceMap
	for _, m := range maps {
		if !slices.Contains(once, m) {
			once = append(once, m)
		}
	}
	return once
}

func (o *ContextOptions) withDefaults() (ContextOptions, error) {
	var opts ContextOptions
	if o != nil {
		opts = *o
	}
	setDefault(&opts.Format, ContextMarkdown)
	setDefault(&opts.MaxTokens, defaultContextTokens)
	if opts.CountTokens == nil {
		opts.CountTokens = EstimateTokens
	}
	if opts.Format != ContextMarkdown && opts.Format != ContextJSON {
		return opts, syntaxError("format %s; it is markdown or json", quoteShort(string(opts.Format)))
	}
	if opts.MaxTokens < 0 {
		return opts, syntaxError("%d tokens; a context has at least 1", opts.MaxTokens)
	}
	return opts, nil
}

// A contextBuilder renders maps with more or less of their nodes.
type contextBuilder struct {
	maps  []*ResourceMap
	opts  ContextOptions
	order []*Node       // all nodes, those to show first at the start
	rank  map[*Node]int // their index in order
}

func newContextBuilder(maps []*ResourceMap, opts ContextOptions) *contextBuilder {
	b := &contextBuilder{maps: maps, opts: opts, rank: make(map[*Node]int)}
	var levels [][][]*Node // by depth, then by map
	for i, m := range maps {
		for n, depth := range m.All() {
			for len(levels) <= depth {
				levels = append(levels, make([][]*Node, len(maps)))
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

// alternate returns the first of each list, then the second of each, and so
// on.
func alternate(lists [][]*Node) (all []*Node) {
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

// most returns the largest number up to max for which the text is not over the
// budget, or -1.
func (b *contextBuilder) most(max int, render func(int) string) int {
	fits := func(n int) bool { return b.opts.CountTokens(render(n)) <= b.opts.MaxTokens }
	if fits(max) {
		return max
	}
	return sort.Search(max, func(n int) bool { return !fits(n) }) - 1
}

// render returns the context with the first nodes in order, and summaries of
// the first of those.
func (b *contextBuilder) render(shown, summaries int) string {
	if b.opts.Format == ContextJSON {
		return b.renderJSON(shown, summaries)
	}
	var w strings.Builder
	for i, m := range b.maps {
		if i > 0 {
			w.WriteByte('\n')
		}
		address := m.wholeAddress()
		if address == "" {
			address = "no address: the map says no type"
		}
		fmt.Fprintf(&w, "# %s\n%s, %s\n", contextText(m.Title, maxContextTitle), contextText(m.ResourceID, math.MaxInt), address)
		b.renderNodes(&w, m, m.Nodes, 0, shown, summaries)
	}
	return w.String()
}

func (b *contextBuilder) renderNodes(w *strings.Builder, m *ResourceMap, nodes []*Node, depth, shown, summaries int) {
	indent := strings.Repeat("  ", depth)
	omitted := 0
	for _, n := range nodes {
		if b.rank[n] >= shown {
			omitted++
			continue
		}
		fmt.Fprintf(w, "%s- `%s`", indent, contextText(n.ID, math.MaxInt))
		if title := contextText(n.Title, maxContextTitle); title != "" {
			w.WriteString(" " + title)
		}
		if place := contextPlace(m.Address(n)); place != "" {
			w.WriteString(" (" + place + ")")
		}
		w.WriteByte('\n')
		if summary := contextText(n.Summary, maxContextSummary); summary != "" && b.rank[n] < summaries {
			fmt.Fprintf(w, "%s  %s\n", indent, summary)
		}
		b.renderNodes(w, m, n.Children, depth+1, shown, summaries)
	}
	if omitted > 0 {
		fmt.Fprintf(w, "%s- … %d more\n", indent, omitted)
	}
}

// contextPlace returns the selector of an address, or all of one that is
// virtual.
func contextPlace(a Address) string {
	switch {
	case a.Validate() != nil:
		return ""
	case a.Location.VirtualAddress == "":
		return a.Location.String()
	}
	if s := a.String(); contextText(s, math.MaxInt) == s {
		return s
	}
	return "" // it would not be the same on one line
}

// contextText returns text on one line, without what does not show and what
// would end a code span.
func contextText(text string, max int) string {
	fields := strings.Fields(strings.Map(func(r rune) rune {
		if r == '`' {
			return '\''
		}
		if r != '\n' && r != '\t' && r != '\r' && !isPlainText(string(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	line := strings.Join(fields, " ")
	if len(line) <= max {
		return line
	}
	return strings.TrimRight(cutText(line, max-len("…")), " ") + "…"
}

type contextResource struct {
	ResourceID string        `json:"resource_id"`
	Title      string        `json:"title,omitempty"`
	Address    string        `json:"address,omitempty"` // left out if the map says no type
	Nodes      []contextNode `json:"nodes"`
	More       int           `json:"more,omitempty"` // topmost nodes that are not shown
}

type contextNode struct {
	ID       string        `json:"id"`
	Title    string        `json:"title,omitempty"`
	At       string        `json:"at,omitempty"` // selector
	Summary  string        `json:"summary,omitempty"`
	Children []contextNode `json:"children,omitempty"`
	More     int           `json:"more,omitempty"` // children that are not shown
}

func (b *contextBuilder) renderJSON(shown, summaries int) string {
	resources := make([]contextResource, len(b.maps))
	for i, m := range b.maps {
		r := contextResource{ResourceID: m.ResourceID, Title: contextText(m.Title, maxContextTitle), Address: m.wholeAddress()}
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

func (b *contextBuilder) jsonNodes(m *ResourceMap, nodes []*Node, shown, summaries int) (list []contextNode, more int) {
	list = []contextNode{}
	for _, n := range nodes {
		if b.rank[n] >= shown {
			more++
			continue
		}
		c := contextNode{ID: n.ID, Title: contextText(n.Title, maxContextTitle), At: contextPlace(m.Address(n))}
		if b.rank[n] < summaries {
			c.Summary = contextText(n.Summary, maxContextSummary)
		}
		c.Children, c.More = b.jsonNodes(m, n.Children, shown, summaries)
		list = append(list, c)
	}
	return list, more
}
