package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/server/transport"
)

// evidencePath begins the paths of evidence; an address follows, percent-encoded.
const evidencePath = "/v1/evidence/"

// Resolve makes the evidence of an address. Errors are those of
// [citekit.Library.ResolveAddress].
func (s *Service) Resolve(ctx context.Context, req *ResolveRequest) (*Evidence, error) {
	e, err := s.resolve(ctx, req.Address, citekit.Mode(req.Mode))
	if err != nil {
		return nil, ofField("/address", err)
	}
	made := &Evidence{
		Address: e.Address.String(), DocumentID: e.ResourceID, NodeID: nodeOf(e), MediaType: e.MediaType, Charset: e.Charset,
		Size: e.Size, SHA256: e.SHA256, SourceHash: e.SourceHash, Changes: e.Changes,
	}
	made.Link = s.linkTo(made.Address, "")
	made.Path = pathOfEvidence(made.Address, req.Mode, req.WorkspaceID)
	if e.Actual != nil {
		made.Actual = citekit.Address{Resource: e.ResourceID, Location: *e.Actual}.String()
	}
	return made, nil
}

// pathOfEvidence returns the path of the bytes of an address, in the workspace that a
// request named.
func pathOfEvidence(address, mode, workspace string) string {
	query := make(url.Values)
	if mode != "" && mode != string(citekit.ModeExact) {
		query.Set("mode", mode)
	}
	if workspace != "" {
		query.Set("workspaceId", workspace)
	}
	path := evidencePath + url.PathEscape(address)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func (s *Service) resolve(ctx context.Context, id string, mode citekit.Mode) (*citekit.Evidence, error) {
	part, err := lookup.Find(ctx, s.Library, id)
	if err != nil {
		return nil, err
	}
	opts := &citekit.ResolveOptions{Mode: mode}
	if part.Node != nil {
		return s.Library.Resolve(ctx, part.Map.ResourceID, part.Node.ID, opts)
	}
	return s.Library.ResolveAddress(ctx, part.Address, opts)
}

// registerEvidence adds the operation that gives the bytes of evidence.
func (h *Handler) registerEvidence() {
	op := h.operation(http.MethodGet, evidencePath+"{address}", "evidence", "resolve", "Get the bytes of an address", "With ranges; the ETag is their SHA-256.", nil)
	text := &huma.Schema{Type: huma.TypeString}
	op.Parameters = []*huma.Param{
		{Name: "address", In: "path", Required: true, Description: "Percent-encoded, such as doc:%2F%2Fbook%23pages=3.", Schema: text},
		{Name: "workspaceId", In: "query", Description: "One of those of the key; the first if it is not given.", Schema: text},
		{Name: "mode", In: "query", Description: "How time is cut, as in resolve.", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"exact", "copy", "strict"}}},
		{Name: "Range", In: "header", Schema: text},
	}
	for status, says := range map[string]string{"200": "The bytes.", "206": "A range of the bytes.", "304": "They are those of If-None-Match.", "416": "The range lies outside of the bytes."} {
		op.Responses[status] = &huma.Response{Description: says}
		if status[0] == '2' {
			op.Responses[status].Content = map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
		}
	}
	h.api.OpenAPI().AddOperation(&op)
	h.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) {
		if p := h.serveEvidence(w, r); p != nil {
			writeProblem(w, r, p)
		}
	})
}

// serveEvidence answers GET and HEAD of evidence.
func (h *Handler) serveEvidence(w http.ResponseWriter, r *http.Request) *Problem {
	query := r.URL.Query()
	mode := citekit.Mode(query.Get("mode"))
	ctx, s, end, err := h.begin(r.Context(), query.Get("workspaceId"))
	if err != nil {
		return problemOf(err)
	}
	defer end()
	e, err := s.resolve(ctx, r.PathValue("address"), mode)
	if err != nil {
		return h.failed(ctx, ofField("address", err))
	}
	opener, ok := s.Library.Workspace().(citekit.EvidenceOpener)
	if !ok || e.Key == "" {
		return transport.NewProblem(string(message.CodeUnsupported), 0, "this workspace keeps no evidence")
	}
	content, stored, err := opener.OpenEvidence(ctx, e.Key)
	if err != nil {
		return h.failed(ctx, err)
	}
	defer content.Close()
	if err := transport.ServeEvidence(w, r, content, stored); err != nil {
		return transport.GateProblem(w, err)
	}
	return nil
}
