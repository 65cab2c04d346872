package mcpadapter

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/citekit/citekit/internal/message"
)

// An idea has the names that one thing has in the dialects. An agent that knows another
// dialect than the one that is served is told the name here.
type idea []namesIn

type namesIn struct {
	dialect string
	names   []string
}

func in(dialect string, names ...string) namesIn { return namesIn{dialect, names} }

// The dialects of other packages that are known by name.
const (
	lightfast = "lightfast"
	sage      = "sage"
)

// toolIdeas are the tools of all dialects.
var toolIdeas = []idea{
	{in(Native, "search"), in(lightfast, "search"), in(sage, "sage_search")},
	{in(Native, "getContents"), in(lightfast, "get_contents"), in(sage, "sage_get_knowledge")},
	{in(Native, "findSimilar"), in(lightfast, "find_similar")},
	{in(Native, "answer"), in(lightfast, "answer")},
	{in(Native, "getContext"), in(sage, "sage_get_context")},
	{in(Native, "info"), in(sage, "sage_info")},
	{in(Native, "listResources", "getStructure", "getNode", "resolve", "verify", "ingest", "ingestStatus")},
}

// argumentIdeas are the arguments of all dialects that have more than one name, or that
// only one dialect has.
var argumentIdeas = []idea{
	{in(Native, "query"), in(lightfast, "q", "question"), in(sage, "query")},
	{in(Native, "top_k"), in(lightfast, "topK"), in(sage, "limit")},
	{in(Native, "max_tokens"), in(lightfast, "maxTokens"), in(sage, "token_budget")},
	{in(Native, "address", "addresses"), in(lightfast, "ids", "subject")},
	{in(Native, "type"), in(lightfast, "answerType")},
	{in(Native, "resources"), in(lightfast, "sources")},
	{in(Native, "resource_id", "node_id", "virtual", "depth", "full", "syntax")},
	{in(lightfast, "workspaceId", "includeRaw", "quality", "constraints", "citations", "stream", "model")},
	{in(sage, "layer", "topic", "task_type", "language")},
}

// elsewhere returns the dialect that has a name, and the one of the names that are here
// which stands for the same idea. Both are "" if there is none; the dialects that are
// served count for nothing.
func elsewhere(ideas []idea, wrong string, here []string, served ...string) (dialect, name string) {
	for _, one := range ideas {
		from := slices.IndexFunc(one, func(n namesIn) bool { return slices.Contains(n.names, wrong) && !slices.Contains(served, n.dialect) })
		if from < 0 {
			continue
		}
		for _, n := range one {
			if i := slices.IndexFunc(n.names, func(name string) bool { return name != wrong && slices.Contains(here, name) }); i >= 0 {
				return one[from].dialect, n.names[i]
			}
		}
		dialect = cmp.Or(dialect, one[from].dialect)
	}
	return dialect, ""
}

// meantArgument says what an unknown argument of a tool of a dialect may mean. The tool, or a
// group of its arguments, takes some, whose types typeOf words. What is said if the argument
// is in a group of these may be "".
func meantArgument(of, wrong string, takes []string, typeOf func(name string) string, inGroup string) string {
	dialect, name := elsewhere(argumentIdeas, wrong, takes, of)
	near := message.Nearest(wrong, takes)
	switch {
	case name != "":
		return fmt.Sprintf(": that is '%s' here, %s; or serve with --dialect %s", name, typeOf(name), dialect)
	case inGroup != "":
		return inGroup
	case near != "":
		return fmt.Sprintf(" (did you mean '%s', %s?)", near, typeOf(near))
	case dialect != "":
		return ": that is an argument with --dialect " + dialect
	}
	return ""
}

// meantTool says what an unknown tool may mean, of those that the caller has.
func meantTool(wrong string, has []string, served []string) string {
	dialect, name := elsewhere(toolIdeas, wrong, has, served...)
	near := message.Nearest(wrong, has)
	switch {
	case wrong == "ingest":
		return "; a server has it that may map files: citekit serve --ingest"
	case name != "":
		return fmt.Sprintf("; that is %q here; or serve with --dialect %s", name, dialect)
	case near != "":
		return fmt.Sprintf("; did you mean %q?", near)
	case dialect != "":
		return "; that is a tool with --dialect " + dialect
	}
	return ""
}
