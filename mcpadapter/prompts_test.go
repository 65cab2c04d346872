package mcpadapter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
)

// A promptReader follows the steps of a prompt as a model would: it calls each
// tool that the steps name, in their order, with what the calls before returned.
type promptReader struct {
	t         *testing.T
	session   *mcp.ClientSession
	arguments map[string]string // of the prompt
	called    []string
	places    []string // ids and addresses to read
	address   string   // of what was read last
	quote     string   // its first line
	verdicts  []string // of the last call of verify
}

// follow gets a prompt, does what it says and returns the answer with its citation.
func (r *promptReader) follow(name string) (answer string) {
	r.t.Helper()
	steps, _, _ := strings.Cut(promptText(r.t, r.session, name, r.arguments), "\n> ")
	for _, tool := range namedTools.FindAllString(steps, -1) {
		if slices.Contains(r.called, tool) || tool == "answer" { // the word
			continue
		}
		r.called = append(r.called, tool)
		r.use(tool)
	}
	return r.written()
}

// written is what the reader says, which cites what it read.
func (r *promptReader) written() string {
	return fmt.Sprintf("The poem says \"%s\" [%s].", r.quote, r.address)
}

// query is what the prompt is about, as words to search for.
func (r *promptReader) query() string {
	for _, argument := range []string{"question", "claim", "context"} {
		if value := r.arguments[argument]; value != "" {
			return value
		}
	}
	return "three"
}

// use calls a tool as the step that names it says.
func (r *promptReader) use(tool string) {
	r.t.Helper()
	switch tool {
	case "listResources":
		var list struct{ Resources []string }
		call(r.t, r.session, tool, map[string]any{}, &list)
		if !slices.Contains(list.Resources, "poem") {
			r.t.Errorf("resources: %v", list)
		}
	case "getStructure":
		var structure struct{ Nodes []struct{ ID string } }
		call(r.t, r.session, tool, map[string]any{"resource_id": "poem"}, &structure)
		r.places = []string{"poem." + structure.Nodes[1].ID}
	case "search":
		var found struct{ Results []struct{ Address string } }
		call(r.t, r.session, tool, map[string]any{"query": r.query()}, &found)
		r.places = []string{found.Results[0].Address}
	case "getContext":
		var found struct{ Pieces []struct{ Address string } }
		call(r.t, r.session, tool, map[string]any{"task": r.query()}, &found)
		r.places = []string{found.Pieces[0].Address}
	case "getContents":
		var read struct {
			Contents []struct{ Address, Text string }
		}
		call(r.t, r.session, tool, map[string]any{"ids": r.places}, &read)
		r.address = read.Contents[0].Address
		r.quote, _, _ = strings.Cut(strings.TrimSpace(read.Contents[0].Text), "\n")
	case "resolve":
		var evidence struct{ Address string }
		resource, node, _ := strings.Cut(r.places[0], ".")
		call(r.t, r.session, tool, map[string]any{"resource_id": resource, "node_id": node}, &evidence)
		r.address, r.quote = evidence.Address, "three"
	case "verify":
		text, given := r.arguments["text"]
		if !given {
			text = r.written()
		}
		var report struct {
			Verdicts []struct{ Class, Address string }
		}
		call(r.t, r.session, tool, map[string]any{"text": text}, &report)
		for _, verdict := range report.Verdicts {
			r.verdicts = append(r.verdicts, verdict.Class)
			r.places = append(r.places, verdict.Address)
		}
	default:
		r.t.Errorf("a step names %s, which the reader does not know", tool)
	}
}

// TestPromptsToCitedAnswers follows every prompt, on a server with all tools and
// on one with the least, to an answer whose citation holds.
func TestPromptsToCitedAnswers(t *testing.T) {
	all := findingServer(t)
	few := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	const cited = `It says "three" [text://poem#lines=3-3], and "nine" [text://poem#lines=1-2].`
	tests := []struct {
		prompt    string
		arguments map[string]string
		all, few  []string // tools, in their order
		verdicts  []string
	}{
		{"cite_answer", map[string]string{"question": "What comes after three?"},
			[]string{"search", "getContents", "verify"}, []string{"listResources", "getStructure", "resolve"}, []string{"exact"}},
		{"study_resource", map[string]string{"resource_id": "poem"},
			[]string{"getStructure", "getContents", "verify"}, []string{"getStructure", "resolve"}, []string{"exact"}},
		{"find_evidence", map[string]string{"claim": "Three comes before four."},
			[]string{"search", "getContents", "verify"}, []string{"listResources", "getStructure", "resolve"}, []string{"exact"}},
		{"check_citations", map[string]string{"text": cited},
			[]string{"verify", "getContents"}, nil, []string{"exact", "not_found"}},
		{"task", map[string]string{"task_type": "reviewing", "context": "Does three come before four?"},
			[]string{"getContext", "search", "getContents", "verify"}, []string{"listResources", "getStructure", "resolve"}, []string{"exact"}},
	}
	offered, err := all.ListPrompts(t.Context(), nil)
	if err != nil || len(offered.Prompts) != len(tests) {
		t.Errorf("%d prompts are followed, of %+v, %v", len(tests), offered, err)
	}
	for _, test := range tests {
		t.Run(test.prompt, func(t *testing.T) {
			full := &promptReader{t: t, session: all, arguments: test.arguments}
			checkCited(t, all, full.follow(test.prompt))
			if !slices.Equal(full.called, test.all) || !slices.Equal(full.verdicts, test.verdicts) {
				t.Errorf("called %v, want %v; verdicts %v, want %v", full.called, test.all, full.verdicts, test.verdicts)
			}
			if test.few == nil {
				return
			}
			least := &promptReader{t: t, session: few, arguments: test.arguments}
			checkCited(t, all, least.follow(test.prompt))
			if !slices.Equal(least.called, test.few) {
				t.Errorf("with few tools: called %v, want %v", least.called, test.few)
			}
		})
	}
}

// checkCited holds the one citation of an answer to its source.
func checkCited(t *testing.T, session *mcp.ClientSession, answer string) {
	t.Helper()
	var report struct{ Verdicts []struct{ Class string } }
	call(t, session, "verify", map[string]any{"text": answer}, &report)
	if len(report.Verdicts) != 1 || report.Verdicts[0].Class != "exact" {
		t.Errorf("%s: %+v", answer, report)
	}
}
