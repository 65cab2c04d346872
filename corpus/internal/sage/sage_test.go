package sage_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/corpus/internal/sage"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/textlayer"
)

// files are a knowledge base without the layer frameworks.
var files = map[string]string{
	"content/core/principles.md":             "# Core Principles\n\nEvery timeout has a fallback.\n\n## Fail Early\n\nA fault is reported where it happens.\n",
	"content/core/defaults.md":               "# Default Values\n\nThe default limit is ten results.\n",
	"content/guidelines/python.md":           "# Python Guidelines\n\nFollow the coding style of Python and use type hints.\n",
	"content/guidelines/ai_collaboration.md": "# Working Together\n\nAsk when a requirement is unclear.\n",
	"practices/engineering/testing.md":       "# Testing\n\nWrite tests before the code.\n",
	"readme.md":                              "# About\n\nA zebra lives outside all layers.\n",
}

// A served value is a server in the bubble of a test, over a folder with files.
type served struct {
	*testing.T
	dir     string
	corpus  *corpus.Corpus
	session *mcp.ClientSession
}

// serve runs f with a server over files, with a clock of its own.
func serve(t *testing.T, files map[string]string, opts *sage.Options, f func(s *served), adjust ...func(*mcpadapter.Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &served{T: t, dir: t.TempDir()}
		for name, content := range files {
			s.write(name, content)
		}
		s.start(citekit.Resolvers{citekit.Text: new(text.Resolver)}, opts, adjust...)
		f(s)
	})
}

func (s *served) write(name, content string) {
	s.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		s.Fatal(err)
	}
}

func (s *served) start(resolvers citekit.Resolvers, opts *sage.Options, adjust ...func(*mcpadapter.Options)) {
	s.Helper()
	c, err := corpus.Open(s.dir, &corpus.Options{Resolvers: resolvers, Texts: &textlayer.Options{CacheBytes: -1}})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.Close() })
	if _, err := c.Ingest(s.Context()); err != nil {
		s.Fatal(err)
	}
	options := c.ServerOptions()
	options.Watch = -1
	options.Dialects = []mcpadapter.Dialect{sage.New(sage.Rooms{Library: c.Library, Searcher: c.Searcher, Contents: c.Contents, Briefing: c.Briefing}, opts)}
	for _, f := range adjust {
		f(options)
	}
	s.corpus, s.session = c, mcptest.Connect(s.T, mcpadapter.NewServer(c.Library, options), nil)
}

// call returns the answer of a tool, decoded, and whether it is an error.
func (s *served) call(tool string, args map[string]any) (answer map[string]any, failed bool) {
	s.Helper()
	body, result := mcptest.CallTool(s, s.session, tool, args)
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		s.Fatalf("%s: %v", body, err)
	}
	return answer, result.IsError
}

// at returns the value at a path of names and, in lists, numbers.
func at(answer any, path ...any) any {
	for _, step := range path {
		switch v := answer.(type) {
		case map[string]any:
			answer = v[step.(string)]
		case []any:
			if step.(int) >= len(v) {
				return nil
			}
			answer = v[step.(int)]
		}
	}
	return answer
}

// want checks the value at a path.
func (s *served) want(answer, value any, path ...any) {
	s.Helper()
	if got := at(answer, path...); !reflect.DeepEqual(got, value) {
		s.Errorf("%v is %#v, want %#v; all: %.2000v", path, got, value, answer)
	}
}

// holds checks that the text at a path has some texts.
func (s *served) holds(answer any, texts []string, path ...any) {
	s.Helper()
	got, _ := at(answer, path...).(string)
	for _, text := range texts {
		if !strings.Contains(got, text) {
			s.Errorf("%v is %q, without %q", path, got, text)
		}
	}
}

// TestDefinitions compares the tools with the reference.
func TestDefinitions(t *testing.T) {
	layer := []any{"core", "guidelines", "frameworks", "practices", "all"}
	described := func(typ, text string, more ...any) map[string]any {
		property := map[string]any{"type": typ, "description": text}
		for i := 0; i < len(more); i += 2 {
			property[more[i].(string)] = more[i+1]
		}
		return property
	}
	wanted := map[string]struct {
		description string
		properties  map[string]any
		required    []any
	}{
		"sage_get_knowledge": {"Retrieve knowledge from the knowledge base.", map[string]any{
			"layer":      described("string", "Knowledge layer to retrieve", "enum", layer),
			"topic":      described("string", "Specific topic within the layer"),
			"timeout_ms": described("integer", "Timeout in milliseconds", "default", 2000.),
		}, []any{"layer"}},
		"sage_search": {"Search the knowledge base.", map[string]any{
			"query": described("string", "Search query"),
			"limit": described("integer", "Maximum number of results", "default", 10.),
			"layer": described("string", "Layer to search in", "enum", layer, "default", "all"),
		}, []any{"query"}},
		"sage_get_context": {"Get task-specific context based on task type.", map[string]any{
			"task_type":    described("string", "Type of task", "enum", []any{"coding", "debugging", "reviewing", "planning", "documenting"}),
			"language":     described("string", "Programming language context", "default", "python"),
			"token_budget": described("integer", "Maximum tokens for response", "default", 4000.),
		}, []any{"task_type"}},
		"sage_info": {"Get system information and status.", map[string]any{}, nil},
	}
	serve(t, files, nil, func(s *served) {
		list, err := s.session.ListTools(s.Context(), nil)
		if err != nil {
			s.Fatal(err)
		}
		if len(list.Tools) != len(wanted) {
			s.Errorf("%d tools, want %d", len(list.Tools), len(wanted))
		}
		data, err := json.Marshal(list)
		if err != nil || len(data) > 15_000 {
			s.Errorf("the list has %d bytes, %v", len(data), err)
		}
		for _, tool := range list.Tools {
			w := wanted[tool.Name]
			schema := map[string]any{"type": "object", "properties": w.properties}
			if w.required != nil {
				schema["required"] = w.required
			}
			if tool.Description != w.description || !reflect.DeepEqual(tool.InputSchema, any(schema)) {
				s.Errorf("%s: %q\n%v, want\n%v", tool.Name, tool.Description, tool.InputSchema, schema)
			}
		}
	})
}

func TestGetKnowledge(t *testing.T) {
	serve(t, files, nil, func(s *served) {
		got, failed := s.call("sage_get_knowledge", map[string]any{"layer": "core", "timeout_ms": 2000})
		if failed {
			s.Fatal(got)
		}
		s.holds(got, []string{"[text://principles] content/core/principles.md\n# Core Principles", "Every timeout has a fallback.", "The default limit is ten results."}, "content")
		s.want(got, "core", "metadata", "layer")
		s.want(got, 2., "metadata", "files_loaded")
		s.want(got, false, "metadata", "from_cache")
		s.want(got, 0., "metadata", "load_time_ms")
		s.want(got, nil, "complete")
		s.want(got, map[string]any{"path": "content/core/defaults.md", "title": "Default Values", "address": "text://defaults"}, "metadata", "sources", 0)
		for _, source := range at(got, "metadata", "sources").([]any) { // what is cited resolves
			address, err := citekit.ParseAddress(at(source, "address").(string))
			if err != nil {
				s.Fatal(err)
			}
			if _, err := s.corpus.ResolveAddress(s.Context(), address, nil); err != nil {
				s.Error(err)
			}
		}
		all, _ := s.call("sage_get_knowledge", map[string]any{"layer": "all"})
		s.want(all, 6., "metadata", "files_loaded")
		s.holds(all, []string{"zebra", "type hints"}, "content")
	})
}

// TestTopics checks what a topic may be, and which files it selects.
func TestTopics(t *testing.T) {
	serve(t, files, nil, func(s *served) {
		for _, one := range []struct{ layer, topic, path, text, address string }{
			{"core", "principles", "content/core/principles.md", "Every timeout has a fallback.", "text://principles"},
			{"core", "principles.md", "content/core/principles.md", "Every timeout", "text://principles"},
			{"core", "fail-early", "content/core/principles.md", "A fault is reported", "text://principles#"},
			{"core", "Default Values", "content/core/defaults.md", "ten results", "text://defaults#"},
			{"guidelines", "python", "content/guidelines/python.md", "type hints", "text://python"},
			{"guidelines", "AI Collaboration", "content/guidelines/ai_collaboration.md", "Ask when", "text://ai_collaboration"},
			{"practices", "engineering", "practices/engineering/testing.md", "before the code", "text://testing"},
			{"practices", "engineering/testing", "practices/engineering/testing.md", "before the code", "text://testing"},
			{"all", "readme", "readme.md", "zebra", "text://readme"},
		} {
			got, failed := s.call("sage_get_knowledge", map[string]any{"layer": one.layer, "topic": one.topic})
			if failed {
				s.Errorf("%s/%s: %v", one.layer, one.topic, got)
				continue
			}
			s.want(got, 1., "metadata", "files_loaded")
			s.want(got, one.path, "metadata", "sources", 0, "path")
			s.holds(got, []string{one.text}, "content")
			s.holds(got, []string{one.address}, "metadata", "sources", 0, "address")
		}
	})
}

func TestSearch(t *testing.T) {
	serve(t, files, nil, func(s *served) {
		got, failed := s.call("sage_search", map[string]any{"query": "timeout", "limit": 5})
		if failed {
			s.Fatal(got)
		}
		s.want(got, 1., "total")
		s.want(got, 0., "query_time_ms")
		s.want(got, "content/core/principles.md", "results", 0, "path")
		s.want(got, "Core Principles", "results", 0, "title")
		s.want(got, 1., "results", 0, "score")
		s.holds(got, []string{"Every timeout has a fallback."}, "results", 0, "snippet")
		s.holds(got, []string{"text://principles#"}, "results", 0, "address")

		both, _ := s.call("sage_search", map[string]any{"query": "default limit tests code"})
		s.want(both, 3., "total")
		for _, one := range at(both, "results").([]any) {
			if score := at(one, "score").(float64); score <= 0 || score > 1 {
				s.Errorf("score %v", score)
			}
		}
		in, _ := s.call("sage_search", map[string]any{"query": "default tests", "layer": "practices"})
		s.want(in, 1., "total")
		s.want(in, "practices/engineering/testing.md", "results", 0, "path")
		none, failed := s.call("sage_search", map[string]any{"query": "default", "layer": "frameworks"})
		s.want(none, []any{}, "results")
		s.want(none, 0., "total")
		if failed || at(none, "hint") == nil {
			s.Errorf("a layer without files: %v", none)
		}
	})
}

func TestGetContext(t *testing.T) {
	serve(t, files, nil, func(s *served) {
		got, failed := s.call("sage_get_context", map[string]any{"task_type": "coding"})
		if failed {
			s.Fatal(got)
		}
		s.holds(got, []string{"type hints", "text://python"}, "context")
		s.want(got, "python", "sections", 0)
		s.want(got, 0., "load_time_ms")
		if n := at(got, "token_count").(float64); n < 10 || n > 4000 {
			s.Errorf("%v tokens", n)
		}
		small, _ := s.call("sage_get_context", map[string]any{"task_type": "coding", "token_budget": 100, "language": "go"})
		if n := at(small, "token_count").(float64); n > 100 {
			s.Errorf("%v tokens, more than 100", n)
		}
		debug, _ := s.call("sage_get_context", map[string]any{"task_type": "debugging", "language": "zebra"})
		s.holds(debug, []string{"zebra"}, "context") // the language counts
	})
}

func TestInfo(t *testing.T) {
	serve(t, files, &sage.Options{Version: "0.1.0"}, func(s *served) {
		size := 0
		for _, content := range files {
			size += len(content)
		}
		got, failed := s.call("sage_info", nil)
		if failed {
			s.Fatal(got)
		}
		s.want(got, "0.1.0", "version")
		s.want(got, "healthy", "status")
		s.want(got, 6., "knowledge_base", "content_files")
		s.want(got, float64((size+1023)/1024), "knowledge_base", "total_size_kb")
		s.want(got, map[string]any{"enabled": true, "hit_rate": 0.}, "cache")
		s.want(got, 0., "uptime_seconds")
		if err := os.Remove(filepath.Join(s.dir, "readme.md")); err != nil {
			s.Fatal(err)
		}
		gone, _ := s.call("sage_info", nil)
		s.want(gone, "degraded", "status")
	})
}

// TestErrors checks the form of errors, and their codes.
func TestErrors(t *testing.T) {
	serve(t, files, nil, func(s *served) {
		for _, one := range []struct {
			tool          string
			args          map[string]any
			code, message string
		}{
			{"sage_get_knowledge", map[string]any{}, "INVALID_INPUT", "layer"},
			{"sage_get_knowledge", map[string]any{"layer": "cores"}, "INVALID_INPUT", "core, guidelines"},
			{"sage_get_knowledge", map[string]any{"layer": 5}, "INVALID_INPUT", "layer"},
			{"sage_get_knowledge", map[string]any{"layer": "core", "topik": "x"}, "INVALID_INPUT", "topic"},
			{"sage_get_knowledge", map[string]any{"layer": "core", "timeout_ms": 0}, "INVALID_INPUT", "timeout_ms"},
			{"sage_get_knowledge", map[string]any{"layer": "core", "timeout_ms": "soon"}, "INVALID_INPUT", "timeout_ms"},
			{"sage_get_knowledge", map[string]any{"layer": "core", "topic": "nothing"}, "NOT_FOUND", `"nothing"`},
			{"sage_get_knowledge", map[string]any{"layer": "core", "topic": "../readme"}, "INVALID_INPUT", "topic"},
			{"sage_get_knowledge", map[string]any{"layer": "core", "topic": "/etc/passwd"}, "INVALID_INPUT", "topic"},
			{"sage_get_knowledge", map[string]any{"layer": "core", "topic": strings.Repeat("a", 513)}, "INVALID_INPUT", "513 bytes"},
			{"sage_search", map[string]any{"query": " "}, "INVALID_INPUT", "query"},
			{"sage_search", map[string]any{"query": "a", "limit": 0}, "INVALID_INPUT", "limit"},
			{"sage_search", map[string]any{"limit": 2}, "INVALID_INPUT", "query"},
			{"sage_get_context", map[string]any{"task_type": "cooking"}, "INVALID_INPUT", "coding, debugging"},
			{"sage_get_context", map[string]any{"task_type": "coding", "token_budget": 3}, "INVALID_INPUT", "token_budget"},
			{"sage_info", map[string]any{"verbose": true}, "INVALID_INPUT", "verbose"},
		} {
			got, failed := s.call(one.tool, one.args)
			if !failed {
				s.Errorf("%s %v: no error", one.tool, one.args)
				continue
			}
			s.want(got, one.code, "error", "code")
			s.holds(got, []string{one.message}, "error", "message")
			s.want(got, false, "fallback", "complete")
			s.want(got, "", "fallback", "content")
			s.want(got, 0., "error", "details", "elapsed_ms")
			if strings.Contains(fmt.Sprint(at(got, "error", "message")), "invalid syntax") {
				s.Errorf("the message repeats the code: %v", got)
			}
		}
		missing, _ := s.call("sage_get_knowledge", map[string]any{"layer": "frameworks"})
		s.want(missing, "NOT_FOUND", "error", "code")
		s.want(missing, "T3", "error", "details", "timeout_level")
		s.want(missing, "- core: Core principles and philosophy\n- guidelines: Coding and collaboration guidelines\n- practices: Best practices and engineering patterns\n", "fallback", "content")
	})
}

// TestNoFiles checks the answers of a server before anything is mapped.
func TestNoFiles(t *testing.T) {
	serve(t, nil, nil, func(s *served) {
		none, _ := s.call("sage_get_knowledge", map[string]any{"layer": "all"})
		s.want(none, "NOT_FOUND", "error", "code")
		s.want(none, "no file is mapped here yet; ingest the files first", "error", "message")
		found, failed := s.call("sage_search", map[string]any{"query": "a"})
		s.want(found, []any{}, "results")
		context, alsoFailed := s.call("sage_get_context", map[string]any{"task_type": "planning"})
		s.want(context, []any{}, "sections")
		s.want(context, 0., "token_count")
		if state := info(s); failed || alsoFailed || at(state, "status") != "healthy" {
			s.Error(found, context, state)
		}
	})
}

// TestBadArguments gives each argument values that its schema refuses, and some that are
// only large.
func TestBadArguments(t *testing.T) {
	sharedtest.NotShort(t)
	serve(t, files, nil, func(s *served) {
		valid := map[string]map[string]any{
			"sage_get_knowledge": {"layer": "core"}, "sage_search": {"query": "timeout"}, "sage_get_context": {"task_type": "coding"}, "sage_info": {},
		}
		list, err := s.session.ListTools(s.Context(), nil)
		if err != nil {
			s.Fatal(err)
		}
		for _, tool := range list.Tools {
			for name, property := range at(tool.InputSchema, "properties").(map[string]any) {
				bad := []any{[]any{}, map[string]any{}, true, 1.5, -1, -1e30, strings.Repeat("long ", 200_000)}
				if at(property, "type") == "string" {
					bad = []any{[]any{"core"}, map[string]any{"a": 1}}
				}
				if at(property, "enum") != nil {
					bad = append(bad, "", "x", "CORE", strings.Repeat("x", 1_000_000))
				}
				for _, value := range bad {
					args := maps.Clone(valid[tool.Name])
					args[name] = value
					got, failed := s.call(tool.Name, args)
					if message, _ := at(got, "error", "message").(string); !failed || at(got, "error", "code") != "INVALID_INPUT" || !strings.Contains(message, name) || len(message) > 2000 {
						s.Errorf("%s with %s %.50v: %.300v", tool.Name, name, value, got)
					}
				}
			}
		}
		for tool, args := range map[string]map[string]any{
			"sage_get_knowledge": {"layer": "core", "topic": nil, "timeout_ms": 1 << 30},
			"sage_search":        {"query": strings.Repeat("timeout ", 100_000), "limit": 1 << 30},
			"sage_get_context":   {"task_type": "coding", "language": strings.Repeat("go ", 100_000), "token_budget": 1 << 30},
		} {
			if got, failed := s.call(tool, args); failed {
				s.Errorf("%s: %.300v", tool, got)
			}
		}
	})
}
