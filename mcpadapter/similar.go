package mcpadapter

import (
	"context"

	"github.com/citekit/citekit/search"
)

func (a *adapter) similarTool() tool {
	return tool{
		name:  "findSimilar",
		title: "Find what is similar",
		description: "Find passages, nodes or resources that share the most characteristic words with a text or a part of a resource. " +
			"Give query or address. The part itself is left out. Results are as in search.",
		parameters: []parameter{
			{name: "query", kind: text, longest: maxQuery, old: []string{"text"}, description: "A text."},
			{name: "address", kind: text, old: []string{"id"}, description: "Or resource.node, or resource."},
			topK, by, sameFilters(),
			timeLimit,
		},
		timeout: defaultTimeout,
		call:    a.findSimilar,
	}
}

func (a *adapter) findSimilar(ctx context.Context, args arguments) (answer, error) {
	filters, err := a.searchFilters(ctx, args.group("filters"))
	if err == nil {
		err = checkTopK(args)
	}
	if err != nil {
		return answer{}, err
	}
	found, err := a.opts.Searcher.Similar(ctx, search.SimilarRequest{
		Text: args.text("query"), ID: args.text("address"),
		By: search.By(args.text("by")), TopK: args.count("top_k"), Filters: filters,
	})
	if err != nil {
		return answer{}, asArgument(err)
	}
	return a.found(ctx, found)
}
