package api

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/server/transport"
)

// An Ingester maps files for callers, such as a mcpadapter.Ingester.
type Ingester interface {
	// Start begins a job for the caller of ctx, which goes on when ctx ends.
	Start(ctx context.Context, paths []string) (*ingest.Job, error)
}

// IngestRequest is the body of POST /v1/ingest.
type IngestRequest struct {
	WorkspaceID string   `json:"workspaceId,omitempty"`
	Paths       []string `json:"paths,omitempty" minItems:"1" maxItems:"100" doc:"Files, folders and patterns below the base directory; all of it if it is not given."`
}

// An event of an ingest is one of these: progress, again and again, and final.
type (
	// IngestProgress is the event progress.
	IngestProgress struct {
		Done  int    `json:"done" doc:"Files that are done."`
		Total int    `json:"total" doc:"Files that were found so far."`
		Path  string `json:"path,omitempty" doc:"Of a file in work."`
	}

	// IngestEnd is the event final.
	IngestEnd struct {
		Counts  map[string]int `json:"counts,omitempty" doc:"How many files were mapped, copied, unchanged, renamed, skipped, vanished and failed."`
		Failed  []FileFailure  `json:"failed,omitempty"`
		Problem *Problem       `json:"problem,omitempty" doc:"Why it ended early."`
		Meta    Meta           `json:"meta"`
	}
)

// A FileFailure says why a file has no map.
type FileFailure struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// mostFailures is how many files an answer names that have no map.
const mostFailures = 1000

// registerIngest adds the operation that maps files.
func (h *Handler) registerIngest() {
	type input struct{ Body IngestRequest }
	op := h.operation(http.MethodPost, "/v1/ingest", "ingest", ingestTool, "Map files",
		"The answer is text/event-stream, with the events progress and final, which is the last one also after an error. The schema is that of the data of one event. The work ends when the reader goes; what was mapped stays.", nil)
	h.operations[op.Method+" "+op.Path].stream = true
	h.takes(op, reflect.TypeFor[IngestRequest]())
	op.Responses["200"] = &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{"text/event-stream": {
		Schema: &huma.Schema{AnyOf: []*huma.Schema{h.schema(reflect.TypeFor[IngestProgress]()), h.schema(reflect.TypeFor[IngestEnd]())}},
	}}}
	huma.Register(h.api, op, func(_ context.Context, in *input) (*huma.StreamResponse, error) {
		req := &in.Body
		return &huma.StreamResponse{Body: func(to huma.Context) {
			r, w := humago.Unwrap(to)
			_, s, end, err := h.begin(r.Context(), req.WorkspaceID)
			if err == nil {
				end() // an ingest takes its time
				err = h.ingest(w, r, s, req.Paths)
			}
			if err != nil {
				writeProblem(w, r, h.failed(r.Context(), err))
			}
		}}, nil
	})
}

// ingest maps files and writes the events. An error is one before the first event.
func (h *Handler) ingest(w http.ResponseWriter, r *http.Request, s *Service, paths []string) error {
	ctx := r.Context()
	if !s.MayIngest(ctx) {
		return noIngest()
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	j, err := s.Ingester.Start(ctx, paths)
	if err != nil {
		return err
	}
	defer j.Cancel() // of one that has ended it does nothing
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // some proxies keep events back otherwise
	control := http.NewResponseController(w)
	send := func(name string, data any) bool {
		written := bytes.NewBufferString("event: " + name + "\ndata: ")
		_ = encoder(written).Encode(data) // on one line; the types are ours
		written.WriteByte('\n')
		_, err := w.Write(written.Bytes())
		return err == nil && control.Flush() == nil
	}
	for ended := false; !ended; {
		p, moved := j.Progress()
		if !send("progress", IngestProgress{p.Done, p.Total, shownPath(p.Path)}) {
			return nil
		}
		select {
		case <-moved:
		case <-j.Done():
			ended = true
		case <-ctx.Done():
			return nil
		}
	}
	report, err := j.Result()
	send("final", h.ingested(ctx, report, err))
	return nil
}

// ingested returns the last event of an ingest.
func (h *Handler) ingested(ctx context.Context, report *ingest.Report, err error) IngestEnd {
	c := callOf(ctx)
	e := IngestEnd{Counts: make(map[string]int), Meta: c.meta()}
	if report != nil {
		for _, item := range report.Items {
			e.Counts[string(item.Status)]++
			if item.Status == ingest.Failed && len(e.Failed) < mostFailures {
				e.Failed = append(e.Failed, FileFailure{shownPath(item.Path), failureOf(item.Err).Message})
			}
		}
	}
	if err != nil {
		e.Problem = h.failed(ctx, err)
		transport.SetOutcome(ctx, e.Problem.Code())
	}
	return e
}

// shownPath returns the path of a source as callers may see it: of one outside the base
// directory its name alone.
func shownPath(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Base(path)
	}
	return path
}

// Unmapped is the answer to GET /v1/unmapped: files that were found and have no map.
type Unmapped struct {
	Files []FileFailure `json:"files" nullable:"false" doc:"In the order of their paths."`
	More  bool          `json:"more,omitempty" doc:"There are more, which are not listed."`
	Meta  Meta          `json:"meta"`
}

func (u *Unmapped) meta() *Meta { return &u.Meta }

// Unmapped lists the files that the last ingests found and did not map, at most 1,000.
// Errors are those of the workspace.
func (s *Service) Unmapped(ctx context.Context) (*Unmapped, error) {
	u := &Unmapped{Files: []FileFailure{}}
	for stored, err := range s.Library.Workspace().Notes(ctx, ledger.Kind) {
		if err != nil {
			return nil, err
		}
		n, ok := ledger.Parse(stored.Data)
		reason := n.Skipped
		if n.Failed != "" {
			reason = n.Reason
			if n.Code == message.CodeInternal || reason == "" {
				reason = "it could not be mapped; ingest it again to see why"
			}
		}
		if !ok || reason == "" || n.ID != "" && n.Failed == "" {
			continue
		}
		src, err := s.Library.OpenSource(ctx, stored.Name)
		if err != nil {
			continue // it is gone
		}
		src.Close()
		if len(u.Files) == mostFailures {
			u.More = true
			break
		}
		u.Files = append(u.Files, FileFailure{shownPath(stored.Name), plain.ShowLine(reason, maxMessage)})
	}
	return u, ctx.Err()
}

// registerUnmapped adds the operation that lists files without a map.
func (h *Handler) registerUnmapped() {
	type input struct {
		WorkspaceID string `query:"workspaceId" doc:"One of those of the key; the first if it is not given."`
	}
	op := h.operation(http.MethodGet, "/v1/unmapped", "unmapped", "listResources", "List files without a map", "", reflect.TypeFor[Unmapped]())
	huma.Register(h.api, op, func(_ context.Context, in *input) (*huma.StreamResponse, error) {
		return h.serve(in.WorkspaceID, func(ctx context.Context, s *Service) (body, error) { return s.Unmapped(ctx) }), nil
	})
}
