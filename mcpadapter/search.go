package mcpadapter

import (
	"context"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/search"
)

const (
	maxQuery  = 100 << 10 // bytes
	maxFilter = 10_000    // values
)

// topK and by are arguments of tools that rank.
var (
	topK = parameter{name: "top_k", old: []string{"limit"}, kind: count, positive: true, greatest: search.MaxTopK, description: "Default 10."}
	by   = parameter{name: "by", kind: text, choices: []string{string(search.ByPassages), string(search.ByNodes), string(search.ByResources)}, description: "What to find. Default passages."}
)

// syntax is the argument of search that says how the query is read.
var syntax = parameter{name: "syntax", kind: text, choices: []string{string(search.Expression), string(search.Question)}}

// mode is the argument of search that selects the method.
var mode = parameter{name: "mode", kind: text, choices: []string{string(search.Auto), string(search.Knowledge), string(search.Graph), string(search.Hybrid)}, description: "knowledge: words; graph: what hits link to; hybrid: both."}

// filters is the argument that filters the results.
var filters = parameter{name: "filters", kind: group, description: "All must match.", members: []parameter{
	{name: "resources", kind: texts, most: maxFilter, description: "Ids or paths."},
	{name: "modalities", kind: texts, most: maxFilter, description: "document, video, audio, image, text."},
	{name: "types", kind: texts, most: maxFilter, description: "Such as section or function."},
	{name: "authors", kind: texts, most: maxFilter},
	{name: "labels", kind: texts, most: maxFilter},
	{name: "after", kind: text, description: "Made then or later, ISO 8601."},
	{name: "before", kind: text, description: "Made then or earlier."},
	{name: "path", kind: text, description: "Of sources, such as *.md or docs/."},
}}

// sameFilters is filters for tools whose description refers to search, which
// keeps the definitions of all tools small.
func sameFilters() parameter {
	p := filters
	p.untold, p.description = true, "As in search."
	return p
}

func (a *adapter) searchTool() tool {
	return tool{
		name:  "search",
		title: "Search all resources",
		description: "Find passages in the text of all resources and titles of nodes, best first, each with an address to cite. " +
			`Not all words must occur. Expressions have "exact words", head*, -excluded, title:word.`,
		parameters: []parameter{
			{name: "query", kind: text, required: true, longest: maxQuery, description: "A question or words, in the language of the resources."},
			topK, by, mode, syntax, filters,
			{name: "include", kind: texts, choices: []string{includeHighlights, includeRationale, includeBoxes}, description: "highlights (default; [] for none): words in the snippet, [start, end] in code points; rationale: why each matches; boxes: addresses on pages with boxes."},
			timeLimit,
		},
		output:  searchSchema(),
		timeout: defaultTimeout,
		call:    a.search,
	}
}

// The values of the argument include of search.
const (
	includeHighlights = "highlights"
	includeRationale  = "rationale"
	includeBoxes      = "boxes"
)

func searchSchema() *schema {
	result := object([]string{"resource_id", "address", "snippet", "score"},
		typed("resource_id", "string", ""),
		typed("node_id", "string", "The smallest node."),
		typed("address", "string", "Cite this, or pass it to getContents."),
		typed("title", "string", ""),
		arrayOf("path", &schema{kind: "string"}, "Titles above."),
		typed("snippet", "string", "… marks cuts."),
		typed("score", "number", ""))
	return object([]string{"results", "total", "complete"},
		arrayOf("results", result, ""),
		typed("total", "integer", ""),
		typed("left_out", "integer", "Resources that changed or are unreadable."),
		typed("complete", "boolean", "False: ask again."))
}

func (a *adapter) search(ctx context.Context, args arguments) (answer, error) {
	filters, err := a.searchFilters(ctx, args.group("filters"))
	if err != nil {
		return answer{}, err
	}
	req := search.Request{Query: args.text("query"), Syntax: search.Syntax(args.text("syntax")), Mode: search.Mode(args.text("mode")), By: search.By(args.text("by")), TopK: args.count("top_k"), Filters: filters}
	if err := checkTopK(args); err != nil {
		return answer{}, err
	}
	if args.has("include") {
		req.NoHighlights = true
		for _, name := range args.texts("include") {
			req.NoHighlights = req.NoHighlights && name != includeHighlights
			req.Rationale = req.Rationale || name == includeRationale
			req.Boxes = req.Boxes || name == includeBoxes
		}
	}
	found, err := a.opts.Searcher.Search(ctx, req)
	if err != nil {
		return answer{}, asArgument(err)
	}
	return a.found(ctx, found)
}

// found returns the answer of a search.
func (a *adapter) found(ctx context.Context, found *search.Results) (answer, error) {
	found.Hint = a.hint(ctx, found.Hint, found.LeftOut, found.LeftOutIDs)
	for _, one := range found.Results {
		one.Highlights = plain.ShownMarks(one.Snippet, one.Highlights)
	}
	return asJSON(found.MarshalJSON())
}

// checkTopK rejects a number that is given as 0.
func checkTopK(args arguments) error {
	if args.has("top_k") && args.count("top_k") == 0 {
		return badArgument("argument 'top_k' is 0; it must be from 1 to %d", search.MaxTopK)
	}
	return nil
}

// maxPathFilters is how many resources of a filter may be named by their paths.
const maxPathFilters = 100

func (a *adapter) searchFilters(ctx context.Context, args arguments) (search.Filters, error) {
	resources := args.texts("resources")
	if len(resources) <= maxPathFilters {
		for i, name := range resources {
			if id, err := lookup.Resource(ctx, a.lib, name); err == nil {
				resources[i] = id
			}
		}
	}
	f := search.Filters{
		Resources: resources, Types: args.texts("types"),
		Authors: args.texts("authors"), Labels: args.texts("labels"), Path: args.text("path"),
	}
	for _, m := range args.texts("modalities") {
		f.Modalities = append(f.Modalities, citekit.Modality(m))
	}
	var err error
	if f.After, err = dateArgument(args, "after"); err == nil {
		f.Before, err = dateArgument(args, "before")
	}
	return f, err
}

// dateArgument returns the time of an argument. As "before", a day includes all its
// hours.
func dateArgument(args arguments, name string) (time.Time, error) {
	t, err := search.ParseTime(args.text(name), name == "before")
	if err != nil {
		return t, badArgument("argument '%s' is %s; write a day such as 2024-12-31, or a time such as 2024-12-31T23:59:59Z", name, quote(args.text(name)))
	}
	return t, nil
}
