package mcpadapter

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/mcpadapter/internal/watch"
)

// features sets up the features of a server other than tools: resources, prompts,
// completion and subscriptions. The caller must call the returned function once
// the server is made, before it adds other middleware.
func (a *adapter) features(settings *mcp.ServerOptions) func(*mcp.Server) {
	w := watch.New(a.lib, a.Resource, a.opts.Watch, a.opts.Logger)
	r := &resources{adapter: a, watch: w}
	settings.Capabilities.Resources = &mcp.ResourceCapabilities{ListChanged: a.opts.Watch >= 0 || a.opts.Ingester != nil, Subscribe: true}
	settings.SetCacheable = setPrivate
	settings.CompletionHandler = a.complete
	settings.SubscribeHandler = func(ctx context.Context, req *mcp.SubscribeRequest) error {
		if err := r.checkFollowed(ctx, req.Params.URI); err != nil {
			return err
		}
		return asArgument(w.Subscribe(ctx, req.Session, req.Params.URI))
	}
	settings.UnsubscribeHandler = func(_ context.Context, req *mcp.UnsubscribeRequest) error {
		w.Unsubscribe(req.Session, req.Params.URI)
		return nil
	}
	return func(server *mcp.Server) {
		r.offer(server)
		a.offerPrompts(server)
		if a.opts.Ingester != nil {
			a.opts.Ingester.onChange(func(context.Context) { w.LookNow() })
			if a.opts.Searcher != nil {
				a.opts.Ingester.indexWith(a.opts.Searcher)
			}
		}
	}
}
