package mcpadapter

import (
	"context"
	"fmt"

	"github.com/citekit/citekit/briefing"
)

func (a *adapter) contextTool() tool {
	return tool{
		name:  "getContext",
		title: "Gather evidence for a task",
		description: "Gather the most useful evidence for a task or question within token_budget: passages from all resources, without copies, adjacent ones joined. " +
			"content is Markdown; pieces have the address of each text; omitted counts passages that did not fit.",
		parameters: []parameter{
			{name: "task", kind: text, required: true, longest: maxQuery, description: "In plain words."},
			{name: "token_budget", kind: count, description: fmt.Sprintf("Maximum for content. Default %d.", briefing.DefaultTokens)},
			sameFilters(),
			timeLimit,
		},
		long:    true,
		timeout: searchTimeout,
		call:    a.getContext,
	}
}

func (a *adapter) getContext(ctx context.Context, args arguments) (answer, error) {
	filters, err := searchFilters(args.group("filters"))
	if err != nil {
		return answer{}, err
	}
	if args.has("token_budget") && args.count("token_budget") == 0 {
		return answer{}, badArgument("argument 'token_budget' is 0; it must be from %d to %d", briefing.MinTokens, briefing.MaxTokens)
	}
	b, err := a.opts.Briefing.Write(ctx, briefing.Request{Task: args.text("task"), Tokens: args.count("token_budget"), Filters: filters})
	if err != nil {
		return answer{}, asArgument(err)
	}
	return asJSON(b.MarshalJSON())
}
