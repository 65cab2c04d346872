package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

// ResolveRequest is the body of POST /v1/resolve.
type ResolveRequest struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
	Address     string `json:"address" minLength:"1" doc:"An address, or RESOURCE.NODE."`
	Mode        string `json:"mode,omitempty" enum:"exact,copy,strict" default:"exact" doc:"How time is cut."`
}

// Evidence is the answer to POST /v1/resolve: exactly the part that an address names.
type Evidence struct {
	Address    string   `json:"address"`
	DocumentID string   `json:"documentId"`
	NodeID     string   `json:"nodeId,omitempty"`
	Path       string   `json:"path" doc:"GET it for the bytes."`
	Link       string   `json:"link,omitempty" doc:"The page that shows it, if the server has pages."`
	MediaType  string   `json:"mediaType"`
	Charset    string   `json:"charset,omitempty"`
	Size       int64    `json:"size"`
	SHA256     string   `json:"sha256" doc:"Of the bytes."`
	SourceHash string   `json:"sourceHash,omitempty" doc:"SHA-256 of the source."`
	Actual     string   `json:"actual,omitempty" doc:"What the bytes hold, if it is not just the address, as with copy."`
	Changes    []string `json:"changes,omitempty" doc:"How the bytes differ from the source beyond the cut."`
	Meta       Meta     `json:"meta"`
}

func (r *ResolveRequest) workspace() string { return r.WorkspaceID }
func (e *Evidence) meta() *Meta             { return &e.Meta }

// Resources is the answer to GET /v1/resources.
type Resources struct {
	Resources  []Document `json:"resources"`
	NextCursor string     `json:"nextCursor,omitempty" doc:"For the next page."`
	Meta       Meta       `json:"meta"`
}

// mostListed is the largest page of a list of resources.
const mostListed = 1000

// Resources lists the resources whose ids come after cursor, in order, at most limit, 1
// to 1,000. One whose map cannot be read has an id and no type.
func (s *Service) Resources(ctx context.Context, cursor string, limit int) (*Resources, error) {
	return s.resources(ctx, cursor, limit, false)
}

// ResourceStates is [Service.Resources] with the states of the files.
func (s *Service) ResourceStates(ctx context.Context, cursor string, limit int) (*Resources, error) {
	return s.resources(ctx, cursor, limit, true)
}

func (s *Service) resources(ctx context.Context, cursor string, limit int, states bool) (*Resources, error) {
	limit = min(max(limit, 1), mostListed)
	ids, err := s.Library.ResourcesAfter(ctx, cursor, limit+1)
	if err != nil {
		return nil, err
	}
	list := &Resources{Resources: []Document{}}
	if len(ids) > limit {
		ids = ids[:limit]
		list.NextCursor = ids[limit-1]
	}
	for _, id := range ids {
		d, err := s.document(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			d = &Document{ID: id}
		}
		if states {
			if d.DocumentState, err = s.stateOf(ctx, id); err != nil {
				return nil, err
			}
		}
		list.Resources = append(list.Resources, *d)
	}
	return list, nil
}

// stateOf returns the state of the file of a document. The error is that of a context that
// ended.
func (s *Service) stateOf(ctx context.Context, id string) (*DocumentState, error) {
	m, err := s.Library.Map(ctx, id)
	if err != nil {
		return &DocumentState{State: "unreadable"}, ctx.Err()
	}
	d := &DocumentState{State: "unreadable", Mapped: m.CreatedAt, Nodes: m.Len(), Path: shownPath(m.SourcePath)}
	d.Format = strings.ToLower(strings.TrimPrefix(path.Ext(filepath.ToSlash(d.Path)), "."))
	d.Size, _ = m.SourceSize()
	d.Pages = m.Extent().Pages
	state, _ := ingest.StateOf(ctx, s.Library, m)
	if is := states[state]; is != "" {
		d.State = is
	}
	return d, ctx.Err()
}

// states are the states of files as answers name them.
var states = map[ingest.State]string{ingest.StateOK: "current", ingest.StateStale: "changed", ingest.StateVanished: "missing"}

// resourcePath begins the paths of the maps of resources.
const resourcePath = "/v1/resources/"

// registerResources adds the operations that get resources.
func (h *Handler) registerResources() {
	type listInput struct {
		WorkspaceID string `query:"workspaceId" doc:"One of those of the key; the first if it is not given."`
		Cursor      string `query:"cursor" maxLength:"1024" doc:"nextCursor of the page before."`
		Limit       int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
		State       bool   `query:"state" doc:"Tell the state of each file, its path, size and format."`
	}
	op := h.operation(http.MethodGet, "/v1/resources", "resources", "listResources", "List documents", "", reflect.TypeFor[Resources]())
	h.operations[op.Method+" "+op.Path].lookup = true
	huma.Register(h.api, op, func(_ context.Context, in *listInput) (*huma.StreamResponse, error) {
		return h.serve(in.WorkspaceID, func(ctx context.Context, s *Service) (body, error) {
			return s.resources(ctx, in.Cursor, in.Limit, in.State)
		}), nil
	})

	type mapInput struct {
		WorkspaceID string `query:"workspaceId" doc:"One of those of the key; the first if it is not given."`
		ID          string `path:"id" maxLength:"1024"`
	}
	op = h.operation(http.MethodGet, resourcePath+"{id}", "resource", "getStructure", "Get the map of a document", "map is a tree of nodes, each with its location; schema/resourcemap.schema.json of citekit describes it.", reflect.TypeFor[Resource]())
	huma.Register(h.api, op, func(_ context.Context, in *mapInput) (*huma.StreamResponse, error) {
		return h.serve(in.WorkspaceID, func(ctx context.Context, s *Service) (body, error) {
			got, err := s.Resource(ctx, in.ID)
			if errors.Is(err, citekit.ErrSyntax) && citekit.CheckResourceID(in.ID) == nil {
				return nil, fmt.Errorf("api: the stored map is damaged: %v", err) // not by the caller
			}
			if err != nil {
				return nil, ofField("id", err)
			}
			return got, nil
		}), nil
	})
}

// Resource is the answer to GET /v1/resources/{id}.
type Resource struct {
	ID   string `json:"id"`
	Map  Map    `json:"map"`
	Meta Meta   `json:"meta"`
}

// A Map is the map of a resource, as it is stored.
type Map json.RawMessage

// MarshalJSON returns the map itself.
func (m Map) MarshalJSON() ([]byte, error) { return m, nil }

// Schema implements [huma.SchemaProvider].
func (Map) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func (r *Resources) meta() *Meta { return &r.Meta }
func (r *Resource) meta() *Meta  { return &r.Meta }

// Resource returns the map of a resource. Errors are those of [citekit.Library.Map].
func (s *Service) Resource(ctx context.Context, id string) (*Resource, error) {
	m, err := s.Library.Map(ctx, id)
	if err != nil {
		return nil, err
	}
	if filepath.IsAbs(m.SourcePath) { // outside the base directory: callers see its name alone
		shown := *m
		shown.SourcePath = filepath.Base(m.SourcePath)
		m = &shown
	}
	data, err := s.Library.Encode(m)
	if err != nil {
		return nil, err
	}
	return &Resource{ID: m.ResourceID, Map: data}, nil
}

// nodeOf returns the id of the node of evidence, "" without one.
func nodeOf(e *citekit.Evidence) string {
	if e.Node == nil {
		return ""
	}
	return strings.TrimSpace(e.Node.ID)
}
