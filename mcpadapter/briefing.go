package mcpadapter

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/strictjson"
)

func (a *adapter) contextTool() tool {
	return tool{
		name:  "getContext",
		title: "Gather evidence for a task",
		description: "Gather the most useful evidence for a task within max_tokens: passages from all resources, without copies, adjacent ones joined. " +
			"content is Markdown; pieces have its addresses; omitted counts passages that did not fit.",
		parameters: []parameter{
			{name: "query", kind: text, required: true, longest: maxQuery, old: []string{"task"}, description: "The task, in plain words."},
			{name: "max_tokens", kind: count, old: []string{"token_budget"}, least: contents.MinTokens, greatest: contents.MaxBriefingTokens, description: fmt.Sprintf("Of content. Default %d.", contents.DefaultTokens)},
			sameFilters(),
			timeLimit,
		},
		long:    true,
		timeout: defaultTimeout,
		call:    a.getContext,
	}
}

func (a *adapter) getContext(ctx context.Context, args arguments) (answer, error) {
	filters, err := a.searchFilters(ctx, args.group("filters"))
	if err != nil {
		return answer{}, err
	}
	if args.has("max_tokens") && args.count("max_tokens") == 0 {
		return answer{}, badArgument("argument 'max_tokens' is 0; it must be from %d to %d", contents.MinTokens, contents.MaxBriefingTokens)
	}
	b, err := a.opts.Briefing.Write(ctx, contents.BriefingRequest{Task: args.text("query"), Tokens: args.count("max_tokens"), Filters: filters})
	if err != nil {
		return answer{}, asArgument(err)
	}
	b.Hint = a.hint(ctx, b.Hint, b.LeftOut, b.LeftOutIDs)
	data, err := encodeBriefing(b)
	return answer{data: data, hidden: b.Hidden}, err
}

// encodeBriefing returns the JSON of a briefing in which each piece has its title
// instead of its text, which is in the content.
func encodeBriefing(b *contents.Briefing) (json.RawMessage, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Text("content", b.Content)
	w.Key("pieces")
	w.WriteByte('[')
	for i, p := range b.Pieces {
		if i > 0 {
			w.WriteByte(',')
		}
		w.Open()
		w.Text("address", p.Address.String())
		w.Optional("title", p.Title)
		w.Value("tokens", p.Tokens)
		w.Flag("transcribed", p.Transcribed)
		w.Close()
	}
	w.WriteByte(']')
	w.Value("tokens", b.Tokens)
	w.Value("omitted", b.Omitted)
	w.Optional("hint", b.Hint)
	w.Value("complete", b.Complete)
	w.Close()
	return w.Bytes(), w.Err
}
