package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/view"
)

// ViewRequest is the body of POST /v1/view.
type ViewRequest struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
	Address     string `json:"address" minLength:"1" doc:"An address, the id of a document, or that of a node as document.node."`
	Quote       string `json:"quote,omitempty" maxLength:"65536" doc:"Words to mark. Only what stands there, exact or repaired, is marked."`
	Cursor      string `json:"cursor,omitempty" maxLength:"100" doc:"before or after of an answer to the same address."`
	Layout      bool   `json:"layout,omitempty" default:"false" doc:"The boxes of the lines of each page at the address, for text over its picture."`
}

// View is the answer to /v1/view: a part of a document as a person looks at it.
type View struct {
	view.View
	Evidence Raw  `json:"evidence" doc:"Exactly the part that the address names."`
	Meta     Meta `json:"meta"`
}

func (r *ViewRequest) workspace() string { return r.WorkspaceID }
func (v *View) meta() *Meta              { return &v.Meta }

// viewPath begins the paths of views; an address follows, percent-encoded.
const viewPath = "/v1/view/"

// picturePath begins the paths of pictures; an address follows, percent-encoded.
const picturePath = "/v1/pictures/"

// viewer returns the Viewer of the service.
func (s *Service) viewer() *view.Viewer {
	s.viewing.Do(func() {
		if s.Viewer == nil {
			s.Viewer = view.New(s.Library, &view.Options{Layers: s.Layers, Verifier: s.Verifier})
		}
	})
	return s.Viewer
}

// View shows a part of a document. Errors are those of [view.Viewer.View].
func (s *Service) View(ctx context.Context, req *ViewRequest) (*View, error) {
	return s.view(ctx, req, "/")
}

func (s *Service) view(ctx context.Context, req *ViewRequest, prefix string) (*View, error) {
	shown, err := s.viewer().View(ctx, view.Request{Address: req.Address, Quote: req.Quote, Cursor: req.Cursor, Layout: req.Layout})
	if err != nil {
		return nil, viewProblem(err, prefix)
	}
	v := &View{View: *shown, Evidence: Raw{Path: pathOfEvidence(shown.Address, "", req.WorkspaceID)}}
	for i := range v.Pictures {
		p := &v.Pictures[i]
		p.Path = picturePath + url.PathEscape(p.Pinned)
		if req.WorkspaceID != "" {
			p.Path += "?" + url.Values{"workspaceId": {req.WorkspaceID}}.Encode()
		}
	}
	return v, nil
}

// registerView adds the operations that show a part of a document. That by GET is for a
// browser that asks for it before the page that shows it runs.
func (h *Handler) registerView() {
	const summary, about = "Show a part of a document", "Its text with places, the words of a quote marked, and pictures of its pages. A source that has changed or is gone is a state, no error."
	post(h, "view", "getContents", summary, about, (*Service).View)
	type input struct {
		Address     string `path:"address" doc:"Percent-encoded, such as doc:%2F%2Fbook%23pages=3."`
		WorkspaceID string `query:"workspaceId" doc:"One of those of the key; the first if it is not given."`
		Quote       string `query:"quote" maxLength:"65536" doc:"Words to mark. Only what stands there, exact or repaired, is marked."`
	}
	op := h.operation(http.MethodGet, viewPath+"{address}", "viewOf", "getContents", summary, about, reflect.TypeFor[View]())
	huma.Register(h.api, op, func(_ context.Context, in *input) (*huma.StreamResponse, error) {
		return h.serve(in.WorkspaceID, func(ctx context.Context, s *Service) (body, error) {
			return s.view(ctx, &ViewRequest{WorkspaceID: in.WorkspaceID, Address: in.Address, Quote: in.Quote}, "")
		}), nil
	})
}

// viewProblem returns an error of a view with the field that it is due to, whose name
// begins with a prefix.
func viewProblem(err error, prefix string) error {
	code := citekit.CodeOf(err)
	switch {
	case errors.As(err, new(*view.CursorError)):
		return ofField(prefix+"cursor", err)
	case errors.As(err, new(*view.QuoteError)):
		return ofField(prefix+"quote", err)
	case code == message.CodeInvalidInput || code == message.CodeNotFound:
		return ofField(prefix+"address", err)
	}
	return err
}

// The largest side of a picture, in pixels.
const (
	usualSide = 1200
	leastSide = 128
	mostSide  = 2048
)

// How long a browser may keep a picture: that of an address with a version never changes.
const (
	keepPicture  = "private, max-age=31536000, immutable"
	checkPicture = "private, no-cache"
)

// registerPictures adds the operation that gives pictures of pages and images.
func (h *Handler) registerPictures() {
	op := h.operation(http.MethodGet, picturePath+"{address}", "picture", "resolve", "Get a picture of an address", "Of a page, a part of an image, a frame of a video or the wave of a sound: to look at, not to cite.", nil)
	text := &huma.Schema{Type: huma.TypeString}
	least, most := float64(leastSide), float64(mostSide)
	op.Parameters = []*huma.Param{
		{Name: "address", In: "path", Required: true, Description: "Percent-encoded, such as doc:%2F%2Fbook%23pages=3.", Schema: text},
		{Name: "workspaceId", In: "query", Description: "One of those of the key; the first if it is not given.", Schema: text},
		{Name: "side", In: "query", Description: "The largest width and height, in pixels.", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: usualSide}},
	}
	binary := &huma.Schema{Type: huma.TypeString, Format: "binary"}
	op.Responses["200"] = &huma.Response{Description: "The picture.", Content: map[string]*huma.MediaType{"image/png": {Schema: binary}, "image/jpeg": {Schema: binary}}}
	op.Responses["304"] = &huma.Response{Description: "It is that of If-None-Match."}
	h.api.OpenAPI().AddOperation(&op)
	h.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) {
		if p := h.servePicture(w, r); p != nil {
			writeProblem(w, r, p)
		}
	})
}

// servePicture answers GET and HEAD of a picture.
func (h *Handler) servePicture(w http.ResponseWriter, r *http.Request) *Problem {
	query := r.URL.Query()
	side := usualSide
	if given := query.Get("side"); given != "" {
		side, _ = strconv.Atoi(given) // checkQuery knows that it is a number within bounds
	}
	ctx, s, end, err := h.begin(r.Context(), query.Get("workspaceId"))
	if err != nil {
		return problemOf(err)
	}
	defer end()
	part, err := lookup.Find(ctx, s.Library, r.PathValue("address"))
	if err != nil {
		return h.failed(ctx, ofField("address", err))
	}
	made, err := s.viewer().Picture(ctx, part.Address, side)
	if err != nil {
		return h.failed(ctx, ofField("address", err))
	}
	header := w.Header()
	header.Set("Cache-Control", checkPicture)
	if part.Address.Version != "" {
		header.Set("Cache-Control", keepPicture)
	}
	header.Add("Vary", "Authorization, Cookie") // a browser keeps it for who is signed in, and not for the next
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(made.Data))
	header.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header.Set("Content-Type", made.MediaType)
	header.Set("Content-Length", strconv.Itoa(len(made.Data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(made.Data) // who asked is gone
	}
	return nil
}
