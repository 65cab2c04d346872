package mcpadapter

import (
	"context"
	"encoding/json"
)

func (a *adapter) infoTool() tool {
	return tool{
		name:        "info",
		title:       "Show what the server has",
		description: "Resources by modality, sizes in bytes, the state of the index, cached evidence, programs found, and the uptime in seconds.",
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
	return asJSON(json.Marshal(collected))
}
