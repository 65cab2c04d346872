package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/mcpadapter/internal/watch"
)

// The beginnings of URIs of protocol resources; percent-encoded ids follow.
// Addresses are used as URIs unchanged.
const (
	mapURI    = "citekit://maps/"
	nodeURI   = "citekit://nodes/"
	oldMapURI = "citekit://map/" // from the first versions
)

// The templates of maps and of nodes.
const (
	mapTemplate  = mapURI + "{resource_id}"
	nodeTemplate = nodeURI + "{resource_id}/{node_id}"
)

// listedMaps is how many maps one page of resources/list has at most.
const listedMaps = 200

// resources answers for maps, nodes and addresses without the SDK's list of
// resources, which would have to hold every map.
type resources struct {
	*adapter
	watch *watch.Watcher
}

// offer offers maps, nodes and addresses as protocol resources. Its middleware
// comes before the one that words errors.
func (r *resources) offer(server *mcp.Server) {
	server.AddReceivingMiddleware(r.middleware)
	all := r.templates()
	for _, template := range all {
		server.AddResourceTemplate(template, r.read)
	}
	r.watch.Watch(server, func() {
		if len(all) > 0 {
			server.AddResourceTemplate(all[0], r.read) // makes the SDK notify clients each time
		}
	}, r.tellTools(server))
}

func (r *resources) mapTemplate() *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		URITemplate: mapTemplate, Name: "map", Title: "Map of a resource", MIMEType: "application/json",
		Description: "The map of a resource: its parts, each with its location.",
	}
}

// templates lists the forms of readable URIs.
func (r *resources) templates() (list []*mcp.ResourceTemplate) {
	if r.native {
		list = r.ownTemplates()
	}
	return append(list, r.dialectTemplates()...)
}

// ownTemplates are those of this package.
func (r *resources) ownTemplates() []*mcp.ResourceTemplate {
	list := []*mcp.ResourceTemplate{r.mapTemplate(), {
		URITemplate: nodeTemplate, Name: "node", Title: "Node of a resource", MIMEType: "application/json",
		Description: "A node of a map: title, summary, location, ids of its children.",
	}}
	for _, scheme := range r.schemes() {
		list = append(list, &mcp.ResourceTemplate{
			URITemplate: scheme + "://{+address}", Name: scheme, Title: "Evidence at an address of " + scheme + "://",
			Description: "The evidence at an address: text as text, other content unchanged, or a link if it is long.",
		})
	}
	return list
}

// schemes lists the schemes of addresses that have evidence.
func (a *adapter) schemes() []string {
	var schemes []string
	for _, modality := range a.lib.Modalities() {
		address := citekit.Address{Resource: "a", Location: citekit.Location{Modality: modality}}
		scheme, _, ok := strings.Cut(address.String(), "://")
		if ok && !slices.Contains(schemes, scheme) {
			schemes = append(schemes, scheme)
		}
	}
	return schemes
}

// isOurs reports whether this package reads the resource of a URI.
func (a *adapter) isOurs(uri string) bool {
	scheme, _, ok := strings.Cut(uri, "://")
	return a.native && ok && (scheme == "citekit" || slices.Contains(a.schemes(), scheme))
}

// checkFollowed returns an error if a client cannot follow a URI. Those that are not
// ours belong to the program that embeds the server.
func (r *resources) checkFollowed(ctx context.Context, uri string) error {
	if len(uri) > maxURI {
		return badArgument("the URI has more than %d bytes", maxURI)
	}
	dialect, _ := r.resource(uri)
	if dialect == nil && !r.isOurs(uri) {
		return nil
	}
	id := r.Resource(uri)
	switch {
	case id == "" && dialect != nil:
		return badArgument("%s names no resource that can be followed", quote(uri))
	case id == "":
		return badArgument("%s is no URI of a map, a node or an address", quote(uri))
	}
	_, err := r.lib.Map(ctx, id)
	return err
}

func (r *resources) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch req := req.(type) {
		case *mcp.ListResourcesRequest:
			r.watch.Await(ctx)
			return r.list(ctx, method, req, next)
		case *mcp.ListResourceTemplatesRequest:
			result, err := next(ctx, method, req)
			if list, ok := result.(*mcp.ListResourceTemplatesResult); ok && err == nil {
				r.countDialects(ctx, req, list)
			}
			return result, err
		case *mcp.ReadResourceRequest:
			if req.Params.URI == "" {
				return nil, badArgument("the parameter uri is missing; resources/list has the URIs of resources, and resources/templates/list the forms of others")
			}
			if dialect, of := r.resource(req.Params.URI); dialect != nil {
				return r.readDialect(ctx, method, req, dialect, of)
			}
			if r.isOurs(req.Params.URI) {
				return r.readOurs(ctx, method, req, next)
			}
			result, err := next(ctx, method, req)
			return result, missingAs(err, req.Session, req.Params.URI)
		case *mcp.SubscribeRequest:
			result, err := next(ctx, method, req)
			return result, missingAs(err, req.Session, req.Params.URI)
		}
		if method == "notifications/initialized" || method == "subscriptions/listen" {
			r.watch.Start()
		}
		return next(ctx, method, req)
	}
}

// mapsCursor begins the cursors of pages of maps, as the name of a dialect and a colon
// begin those of its pages. The SDK's cursors are base64, which has no colon.
const mapsCursor = "maps:"

// list answers resources/list: first with the resources of the program that
// embeds the server, then with the maps, each with its title, and what other dialects
// list. It reads only the maps of the page.
func (r *resources) list(ctx context.Context, method string, req *mcp.ListResourcesRequest, next mcp.MethodHandler) (mcp.Result, error) {
	params := mcp.ListResourcesParams{}
	if req.Params != nil {
		params = *req.Params
	}
	prefix, after, ours := strings.Cut(params.Cursor, ":")
	sources := r.sources(ctx)
	at := slices.IndexFunc(sources, func(s source) bool { return s.cursor == prefix+":" })
	if ours = ours && at >= 0; ours { // the other fields of the answer come from the SDK's first page
		params.Cursor = ""
	} else {
		at, after = 0, ""
	}
	asked := *req
	asked.Params = &params
	result, err := next(ctx, method, &asked)
	page, ok := result.(*mcp.ListResourcesResult)
	if err != nil || !ok || !ours && page.NextCursor != "" {
		return result, err
	}
	listed := page.Resources
	if page.NextCursor = ""; ours {
		listed = nil
	}
	page.Resources = append([]*mcp.Resource{}, listed...)
	if at < len(sources) {
		more, cursor, err := sources[at].list(ctx, after)
		if err != nil {
			return nil, featureError(method, asArgument(err), citekit.CodeOf(err))
		}
		page.Resources = append(page.Resources, more...)
		switch {
		case cursor != "":
			page.NextCursor = sources[at].cursor + cursor
		case at+1 < len(sources):
			page.NextCursor = sources[at+1].cursor
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, featureError(method, err, citekit.CodeOf(err))
	}
	return page, nil
}

// listMaps returns a page of the maps after a cursor.
func (r *resources) listMaps(ctx context.Context, after string) (page []*mcp.Resource, next string, err error) {
	ids, next, err := r.stats.IDs(ctx, after, listedMaps)
	for _, id := range ids {
		page = append(page, r.listed(ctx, id))
	}
	return page, next, err
}

// listed returns the entry of a map: its title on one line, what it is a map of, and when
// it was made.
func (r *resources) listed(ctx context.Context, id string) *mcp.Resource {
	entry := &mcp.Resource{
		URI: mapURI + plain.PercentEncode(id), Name: printable(id), MIMEType: "application/json", Description: r.mapTemplate().Description,
	}
	m, err := r.lib.Map(ctx, id)
	if err != nil {
		return entry // a read of the map says what is wrong with it
	}
	entry.Title = plain.Words(m.Title, stats.MaxListedTitle)
	if m.Type.Valid() {
		entry.Description = "The map of a resource of type " + string(m.Type) + ": " + message.Count(m.Len(), "node") + ", each with its location."
	}
	if made, err := about.Created(m.CreatedAt); err == nil {
		entry.Annotations = &mcp.Annotations{LastModified: made.UTC().Format(time.RFC3339)}
	}
	return entry
}

// private keeps answers out of caches that several users share, as users may see
// different resources.
var private = mcp.Cacheable{CacheScope: "private"}

// setPrivate does the same for the SDK's own answers.
func setPrivate(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	c.CacheScope = private.CacheScope
}

type uriKey struct{}

// readOurs reads a URI of this server. It gives the SDK a fixed URI instead,
// because the templates do not match every form of an address.
func (r *resources) readOurs(ctx context.Context, method string, req *mcp.ReadResourceRequest, next mcp.MethodHandler) (mcp.Result, error) {
	ctx = context.WithValue(mcpcall.WithCaller(ctx, mcpcall.CallerOf(mcpcall.ExtraOf(ctx, req))), uriKey{}, req.Params.URI)
	asked, params := *req, *req.Params
	params.URI = mapURI + "any"
	asked.Params = &params
	result, err := next(ctx, method, &asked)
	if err != nil {
		err = missingAs(err, req.Session, req.Params.URI)
		r.opts.Logger.LogAttrs(ctx, slog.LevelInfo, "resource", slog.String("code", string(citekit.CodeOf(err))), slog.String("request_id", mcpcall.RequestID(ctx)))
		return nil, err
	}
	return result, nil
}

// oldNotFound is the code for a missing resource in protocol versions before
// 2026-07-28.
const oldNotFound = -32002

// missingAs returns the error for a missing resource with the code that the protocol
// version of the session has for it, also if the SDK made the error, or a program that
// embeds the server. It returns other errors unchanged.
func missingAs(err error, session *mcp.ServerSession, uri string) error {
	var missing *citekit.NotFoundError
	var coded *jsonrpc.Error
	switch {
	case errors.As(err, &missing):
		coded = featureError("resources/read", err, message.CodeNotFound).(*jsonrpc.Error)
	case errors.As(err, &coded) && coded.Code == jsonrpc.CodeInvalidParams && coded.Message == notFoundMessage:
		coded = &jsonrpc.Error{Code: coded.Code, Message: coded.Message}
		coded.Data, _ = json.Marshal(map[string]string{"code": message.CodeNotFound, "uri": uri}) // strings always encode
	default:
		return err
	}
	if p := session.InitializeParams(); p != nil && !mcpcall.IsStateless(p.ProtocolVersion) {
		coded.Code = oldNotFound
	}
	return coded
}

// notFoundMessage is that of [mcp.ResourceNotFoundError], whose code other errors have
// as well.
const notFoundMessage = "Resource not found"
