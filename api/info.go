package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit/internal/stats"
)

// Info is the answer to GET /v1/info.
type Info struct {
	Name       string         `json:"name"`
	Version    string         `json:"version"`
	Resources  int            `json:"resources" doc:"How many documents there are."`
	Modalities map[string]int `json:"modalities" nullable:"false" doc:"How many of each modality, such as video."`
	Nodes      int            `json:"nodes" doc:"Of their maps."`
	Unreadable int            `json:"unreadable,omitempty" doc:"Documents whose maps cannot be read."`
	Passages   int            `json:"passages" doc:"Of the index."`
	Sizes      Sizes          `json:"sizes"`
	Programs   []Program      `json:"programs" doc:"Programs that formats need."`
	Abstract   bool           `json:"abstractive" doc:"Whether there is a model for abstractive answers."`
	Ingest     bool           `json:"ingest" doc:"Whether the caller may add files and map them."`
	Uptime     float64        `json:"uptime" doc:"Seconds since the server began."`
	Complete   bool           `json:"complete" doc:"False if something stored could not be read."`
	Meta       Meta           `json:"meta"`
}

// Sizes are sizes of what is stored, in bytes.
type Sizes struct {
	Maps     int64 `json:"maps"`
	Evidence int64 `json:"evidence"`
	Text     int64 `json:"text"`
	Index    int64 `json:"index"`
}

// A Program is a program that some formats need.
type Program struct {
	Name    string `json:"name"`
	Found   bool   `json:"found"`
	Version string `json:"version,omitempty"`
}

func (i *Info) meta() *Meta { return &i.Meta }

// Info counts what there is. Errors are those of a context that ended.
func (s *Service) Info(ctx context.Context) (*Info, error) {
	s.collecting.Do(func() { s.collector = stats.New(s.Library, &stats.Options{Searcher: s.Searcher}) })
	counted, err := s.collector.Collect(ctx)
	if err != nil {
		return nil, err
	}
	i := &Info{
		Name: "citekit", Resources: counted.Counts.Resources, Modalities: make(map[string]int), Nodes: counted.Counts.Nodes,
		Unreadable: counted.Counts.Unreadable, Sizes: Sizes(counted.Sizes), Programs: []Program{}, Abstract: s.Answerer.Writes(),
		Ingest:   s.MayIngest(ctx),
		Complete: counted.Complete,
	}
	for modality, n := range counted.Counts.Modalities {
		i.Modalities[string(modality)] = n
	}
	if counted.Index != nil {
		i.Passages = counted.Index.Entries
	}
	for _, p := range counted.Programs {
		i.Programs = append(i.Programs, Program(p))
	}
	return i, nil
}

// registerInfo adds the operation info.
func (h *Handler) registerInfo() {
	type input struct {
		WorkspaceID string `query:"workspaceId" doc:"One of those of the key; the first if it is not given."`
	}
	op := h.operation(http.MethodGet, "/v1/info", "info", "info", "Count what there is", "", reflect.TypeFor[Info]())
	huma.Register(h.api, op, func(_ context.Context, in *input) (*huma.StreamResponse, error) {
		return h.serve(in.WorkspaceID, func(ctx context.Context, s *Service) (body, error) {
			i, err := s.Info(ctx)
			if err == nil {
				i.Version, i.Uptime = h.opts.Version, time.Since(h.begun).Seconds()
			}
			return i, err
		}), nil
	})
}
