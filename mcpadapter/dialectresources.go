package mcpadapter

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A source is a part of resources/list, a page at a time. Its cursors begin with cursor.
type source struct {
	cursor string
	list   func(ctx context.Context, after string) (page []*mcp.Resource, next string, err error)
}

// sources returns what a caller may list.
func (r *resources) sources(ctx context.Context) (all []source) {
	asked := askedOf(ctx)
	for i := range r.dialects {
		d := &r.dialects[i]
		switch {
		case d.Name == Native && r.mayHave(asked, r.callable(listing)):
			all = append(all, source{mapsCursor, r.listMaps})
		case d.List != nil && r.mayHaveOf(asked, r.listingOf(d)):
			all = append(all, source{d.Name + ":", func(ctx context.Context, after string) ([]*mcp.Resource, string, error) {
				ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
				defer cancel()
				return d.List(ctx, after)
			}})
		}
	}
	return all
}

// dialectTemplates are the templates of the dialects.
func (all *interfaces) dialectTemplates() (list []*mcp.ResourceTemplate) {
	for _, d := range all.dialects {
		for _, r := range d.Resources {
			list = append(list, &r.Template)
		}
	}
	return list
}

// countDialects adds to the templates of dialects how many resources each has, if the
// caller may see them.
func (r *resources) countDialects(ctx context.Context, req *mcp.ListResourceTemplatesRequest, list *mcp.ListResourceTemplatesResult) {
	asked := askedOf(ctx)
	ctx, cancel := context.WithTimeout(mcpcall.WithCaller(ctx, mcpcall.CallerOf(mcpcall.ExtraOf(ctx, req))), defaultTimeout)
	defer cancel()
	list.ResourceTemplates = slices.Clone(list.ResourceTemplates)
	for i, template := range list.ResourceTemplates {
		dialect, of := r.resource(template.URITemplate)
		if dialect == nil || dialect.Count == nil || dialect.Template.URITemplate != template.URITemplate {
			continue
		}
		if !r.mayHaveOf(asked, r.offeredAs(of, dialect.Tools)) {
			continue
		}
		n, err := dialect.Count(ctx)
		if err != nil {
			r.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "resources of a template cannot be counted", slog.String("template", template.URITemplate), slog.String("code", string(citekit.CodeOf(err))))
			continue
		}
		counted := *template
		counted.Meta = maps.Clone(template.Meta)
		if counted.Meta == nil {
			counted.Meta = mcp.Meta{}
		}
		counted.Meta["count"] = n
		list.ResourceTemplates[i] = &counted
	}
}

// readDialect reads a URI of a dialect within the time of the first tool that gives the
// same.
func (r *resources) readDialect(ctx context.Context, method string, req *mcp.ReadResourceRequest, dialect *DialectResource, of *Dialect) (mcp.Result, error) {
	uri := req.Params.URI
	read, err := r.contentsOfDialect(mcpcall.WithCaller(ctx, mcpcall.CallerOf(mcpcall.ExtraOf(ctx, req))), uri, dialect, of)
	if err != nil {
		code := citekit.CodeOf(err)
		level, attrs := slog.LevelInfo, []slog.Attr{slog.String("code", string(code)), slog.String("request_id", mcpcall.RequestID(ctx))}
		if code == message.CodeInternal {
			level, attrs = slog.LevelError, append(attrs, slog.String("error", printable(err.Error())))
		}
		r.opts.Logger.LogAttrs(ctx, level, "resource", attrs...)
		if again := missingAs(err, req.Session, uri); again != err {
			return nil, again
		}
		return nil, featureError(method, err, code)
	}
	return &mcp.ReadResourceResult{Cacheable: private, Contents: read}, nil
}

func (r *resources) contentsOfDialect(ctx context.Context, uri string, dialect *DialectResource, of *Dialect) ([]*mcp.ResourceContents, error) {
	if len(uri) > maxURI {
		return nil, badArgument("the URI has more than %d bytes", maxURI)
	}
	within := limit{serverLimit, defaultTimeout}
	for _, name := range r.offeredAs(of, dialect.Tools[:min(1, len(dialect.Tools))]) {
		within.time = r.timeout(name, r.foreign[name].usual())
	}
	ctx, cancel := within.start(ctx)
	defer cancel()
	read, err := dialect.Read(ctx, uri)
	if err != nil {
		return nil, err
	}
	size := 0
	for i, c := range read {
		shown := *c
		shown.URI = cmp.Or(c.URI, uri)
		switch {
		case shown.MIMEType == "application/json" && strings.HasPrefix(shown.Text, "{"):
			shown.Text = string(shownJSON([]byte(shown.Text)))
		case shown.Text != "":
			text, hidden := plain.ShowHidden(shown.Text)
			if shown.Text = text; hidden > 0 {
				shown.Text += "\n[" + plain.HiddenNote(hidden) + "]\n"
			}
		}
		read[i] = &shown
		size += 2*len(shown.Text) + 2*len(shown.Blob)
	}
	return read, checkSize(nil, size)
}
