package corpus

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus/internal/lightfast"
	"github.com/citekit/citekit/corpus/internal/sage"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// A namedDialect is an interface that a server over a Corpus can have.
type namedDialect struct {
	name string
	of   func(*Corpus, *mcpadapter.Options) mcpadapter.Dialect // the options are those of the server
}

// dialects lists all. A new one needs its line here.
func dialects() []namedDialect {
	return []namedDialect{
		{mcpadapter.Native, func(*Corpus, *mcpadapter.Options) mcpadapter.Dialect {
			return mcpadapter.Dialect{Name: mcpadapter.Native}
		}},
		{lightfast.Name, func(c *Corpus, o *mcpadapter.Options) mcpadapter.Dialect {
			return lightfast.New(func(ctx context.Context, workspace string) *api.Service { return c.named(ctx, o, workspace) })
		}},
		{sage.Name, (*Corpus).sage},
	}
}

// Dialects returns the names for [Options.Dialects].
func Dialects() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	return names
}

// Toolsets returns the tools that servers with any dialects may have, also under the name
// that one has beside another dialect with a tool of that name.
func Toolsets() access.Toolsets {
	var all []mcpadapter.Dialect
	for _, d := range dialects() {
		all = append(all, d.of(nil, nil))
	}
	sets := mcpadapter.ToolsetsOf(all)
	slices.Reverse(all)
	for i, set := range mcpadapter.ToolsetsOf(all) {
		for _, tool := range set.Tools {
			if !slices.Contains(sets[i].Tools, tool) {
				sets[i].Tools = append(sets[i].Tools, tool)
			}
		}
	}
	return sets
}

// checkDialects returns an error if a name is that of no dialect, or stands twice.
func checkDialects(names []string) error {
	for i, name := range names {
		if err := access.CheckName("dialect", name, Dialects()); err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
		if slices.Contains(names[:i], name) {
			return errors.New("corpus: dialect '" + name + "' is given twice")
		}
	}
	return nil
}

// withDialects adds the dialects to the options of a server.
func (c *Corpus) withDialects(o *mcpadapter.Options) {
	for _, d := range dialects() {
		if slices.Contains(c.opts.Dialects, d.name) {
			o.Dialects = append(o.Dialects, d.of(c, o))
		}
	}
	slices.SortStableFunc(o.Dialects, func(a, b mcpadapter.Dialect) int {
		return slices.Index(c.opts.Dialects, a.Name) - slices.Index(c.opts.Dialects, b.Name)
	})
}

// named returns the service of the workspace that a call names, or nil: its caller must
// have a grant for it, and the tool must be offered there too.
func (c *Corpus) named(ctx context.Context, o *mcpadapter.Options, workspace string) *api.Service {
	if workspace == "" || c.opts.Named == nil && workspace == transport.DefaultWorkspace {
		return c.Service(o)
	}
	grant, _ := mcpcall.GrantFrom(ctx)
	if c.opts.Named == nil || grant == nil || !grant.Has(workspace) {
		return nil
	}
	service := c.opts.Named(workspace)
	if service != nil && service.Offers != nil && !service.Offers(ctx, mcpadapter.CalledTool(ctx)) {
		return nil
	}
	return service
}
