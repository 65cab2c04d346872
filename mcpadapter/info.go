package mcpadapter

import (
	"context"
	"encoding/json"
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
	data, err := json.Marshal(collected)
	if err != nil || !a.hasTool(ctx, "ingest") {
		return asJSON(data, err)
	}
	roots := shownRoots(ctx, a.lib)
	if len(roots) == 0 {
		return asJSON(data, nil)
	}
	return asJSON(withMember(data, "roots", roots))
}
