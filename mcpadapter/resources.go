package mcpadapter

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/percent"
)

// mapURI begins the URI of a map as a resource of the protocol; the id
// follows, percent-encoded.
const mapURI = "citekit://map/"

// mapResources offers the maps of a library as resources of the protocol, so
// that clients hear when there are others.
type mapResources struct {
	lib    *citekit.Library
	server *mcp.Server

	mu    sync.Mutex
	known []string // ids, sorted
}

// sync makes the resources of the server the maps that there are. The SDK
// tells clients of every change.
func (r *mapResources) sync(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock() // an older list must not come after a newer one
	ids, err := r.lib.Resources(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, known := slices.BinarySearch(r.known, id); !known {
			r.server.AddResource(&mcp.Resource{
				URI:         mapURI + percent.Encode(id),
				Name:        printable(id),
				Description: "The map of a resource: its parts, each with its location.",
				MIMEType:    "application/json",
			}, r.read)
		}
	}
	var gone []string
	for _, id := range r.known {
		if _, there := slices.BinarySearch(ids, id); !there {
			gone = append(gone, mapURI+percent.Encode(id))
		}
	}
	if len(gone) > 0 {
		r.server.RemoveResources(gone...)
	}
	r.known = ids
	return nil
}

func (r *mapResources) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, mapURI))
	if err != nil {
		return nil, fmt.Errorf("the URI of a map: %w", citekit.ErrSyntax)
	}
	m, err := r.lib.Map(ctx, id)
	if err != nil {
		return nil, err
	}
	data, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if err := checkSize(data, 0); err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: req.Params.URI, MIMEType: "application/json", Text: string(data),
	}}}, nil
}

// middleware looks for maps before a client is told which there are or reads
// one: other programs make maps too.
func (r *mapResources) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "resources/list" || method == "resources/read" {
			if err := r.sync(ctx); err != nil {
				return nil, featureError(method, err, citekit.CodeOf(err))
			}
		}
		return next(ctx, method, req)
	}
}
