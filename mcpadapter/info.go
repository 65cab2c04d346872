package mcpadapter

import (
	"context"
	"encoding/json"

	"github.com/citekit/citekit/internal/stats"
)

func (a *adapter) infoTool() tool {
	return tool{
		name:        "info",
		title:       "Show what the server has",
		description: "Resources by modality, sizes in bytes, index, cached evidence, programs, the roots to ingest from, and the uptime in seconds.",
		output:      object(nil),
		timeout:     defaultTimeout,
		call:        a.info,
	}
}

func (a *adapter) info(ctx context.Context, _ arguments) (answer, error) {
	collected, err := a.stats.Collect(ctx)
	if err != nil {
		return answer{}, err
	}
	var shown struct {
		*stats.Stats
		Roots []string `json:"roots,omitempty"`
	}
	if shown.Stats = collected; a.hasTool(ctx, "ingest") {
		shown.Roots = shownRoots(ctx, a.lib)
	}
	return asJSON(json.Marshal(shown))
}
