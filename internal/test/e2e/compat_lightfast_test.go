package e2e

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/stdio"
)

// lightfastRows are those of the mapping of the Lightfast API to MCP.
func lightfastRows() described {
	d := described{subject: "Lightfast mapping", dialect: "lightfast", about: "`--dialect lightfast`: four tools, whose answers are those of the JSON interface `/v1`."}
	search := func(more args, claims ...claim) func(*served) error {
		arguments := args{"q": "spring tide at new moon"}
		for name, v := range more {
			arguments[name] = v
		}
		return calls("search", arguments, claims...)
	}
	answer := func(more args, claims ...claim) func(*served) error {
		arguments := args{"question": "When is the range widest?"}
		for name, v := range more {
			arguments[name] = v
		}
		return calls("answer", arguments, claims...)
	}
	add := func(name string, check func(*served) error) { d.rows = append(d.rows, row{name: name, check: check}) }

	add("tools `search`, `get_contents`, `find_similar`, `answer`", offered("search", "get_contents", "find_similar", "answer"))
	add("exactly these four", func(s *served) error {
		if got := s.ask("tools/list", nil).result.at("tools").list(); len(got) != 4 {
			return fmt.Errorf("there are %d tools", len(got))
		}
		return nil
	})
	add("`search`: `q`, required, at least one character", both(schema("search", is("required", []string{"q"}), is("properties.q.minLength", 1)), search(nil, kind(aList, "results")), fails("search", args{"q": ""}, "q")))
	inWorkspace := func(tool string, arguments args, one, two claim) {
		add("`"+tool+"`: `workspaceId` chooses the workspace; an unknown one is an error", both(schema(tool, is("properties.workspaceId.type", "string")), choosesWorkspace(tool, arguments, one, two)))
	}
	inWorkspace("search", args{"q": "new moon"}, is("results.0.documentId", "research_paper"), each("results", is("documentId", "cats")))
	add("`search`: `mode` auto, knowledge, graph, hybrid; default auto", both(schema("search", is("properties.mode.enum", []string{"auto", "knowledge", "graph", "hybrid"}), is("properties.mode.default", "auto")),
		search(args{"mode": "auto"}, kind(aList, "results")), search(args{"mode": "knowledge"}, kind(aList, "results")), search(args{"mode": "graph"}, kind(anArray, "results")), search(args{"mode": "hybrid"}, kind(aList, "results")), fails("search", args{"q": "tide", "mode": "fast"}, "mode")))
	add("`search`: `filters.sources`", search(args{"filters": args{"sources": []string{"research_paper"}}}, each("results", is("documentId", "research_paper"))))
	add("`search`: `filters.types`", both(search(args{"filters": args{"types": []string{"text"}}}, each("results", kind(aString, "documentId"))), search(args{"filters": args{"types": []string{"audio"}}}, long("results", 0, 0))))
	add("`search`: `filters.authors`, `filters.labels`", both(search(args{"filters": args{"authors": []string{"nobody"}}}, long("results", 0, 0)), search(args{"filters": args{"labels": []string{"none"}}}, long("results", 0, 0))))
	add("`search`: `filters.after`, `filters.before`, times", both(schema("search", is("properties.filters.properties.after.format", "date-time"), is("properties.filters.properties.before.format", "date-time")),
		search(args{"filters": args{"after": "2999-01-01T00:00:00Z"}}, long("results", 0, 0)), search(args{"filters": args{"before": "2999-01-01T00:00:00Z"}}, kind(aList, "results")), fails("search", args{"q": "tide", "filters": args{"after": "soon"}}, "after")))
	add("`search`: `topK` 1 to 50, default 20", both(schema("search", is("properties.topK", args{"type": "integer", "minimum": 1, "maximum": 50, "default": 20})),
		search(args{"topK": 1}, long("results", 1, 1)), fails("search", args{"q": "tide", "topK": 51}, "topK"), fails("search", args{"q": "tide", "topK": 0}, "topK")))
	add("`search`: `include.document`, default true", both(schema("search", is("properties.include.properties.document.default", true)),
		search(nil, each("results", kind(aString, "document.id", "document.title"))), search(args{"include": args{"document": false}}, each("results", is("document", nil)))))
	add("`search`: `include.rationale`, default false", both(schema("search", is("properties.include.properties.rationale.default", false)),
		search(nil, each("results", is("rationale", nil))), search(args{"include": args{"rationale": true}}, each("results", something("rationale")))))
	add("`search`: `include.highlights`, default true", both(schema("search", is("properties.include.properties.highlights.default", true)),
		search(nil, something("results.0.highlights")), search(args{"include": args{"highlights": false}}, each("results", is("highlights", nil)))))
	add("`search`: `quality.rerank`, default true", both(schema("search", is("properties.quality.properties.rerank.default", true)), search(args{"quality": args{"rerank": false}}, kind(aList, "results"))))
	add("`search`: `results` with `id`, `kind`, `documentId`, `address`, `text`, `score`", search(nil, each("results", kind(aString, "id", "kind", "documentId", "address", "text"), kind(aNumber, "score"))))
	add("`search`: the results are of the question", search(nil, is("results.0.documentId", "research_paper"), says("results.0.text", "new moon")))

	add("`get_contents`: `ids`, required, 1 to 100", both(schema("get_contents", is("required", []string{"ids"}), is("properties.ids.minItems", 1), is("properties.ids.maxItems", 100)), fails("get_contents", args{"ids": []any{}}, "ids")))
	add("`get_contents`: `kind` document", contentsOf("document", nil, is("contents.0.kind", "document"), says("contents.0.text", "The moon pulls the sea")))
	add("`get_contents`: `kind` chunk", contentsOf("chunk", nil, is("contents.0.kind", "chunk"), kind(aString, "contents.0.text", "contents.0.address")))
	add("`get_contents`: `kind` is one of these, `id` is needed", both(fails("get_contents", args{"ids": []args{{"kind": "page", "id": "x"}}}, "kind"), fails("get_contents", args{"ids": []args{{"kind": "chunk"}}}, "id")))
	add("`get_contents`: `expand.chunks`, default false", both(schema("get_contents", is("properties.expand.properties.chunks.default", false)), contentsOf("document", args{"expand": args{"chunks": true}}, kind(aList, "contents.0.chunks"))))
	add("`get_contents`: `expand.graph.hops` 0 to 2, default 1", both(schema("get_contents", is("properties.expand.properties.graph.properties.hops", args{"type": "integer", "minimum": 0, "maximum": 2, "default": 1})),
		contentsOf("document", args{"expand": args{"graph": args{"hops": 2, "include": []string{"relationships"}}}}, kind(anArray, "relationships"))))
	add("`get_contents`: `expand.graph.include` relationships, entities, evidence", both(schema("get_contents", is("properties.expand.properties.graph.properties.include.items.enum", []string{"relationships", "entities", "evidence"})),
		contentsOf("document", args{"expand": args{"graph": args{"include": []string{"relationships", "entities", "evidence"}}}}, kind(anArray, "relationships"))))
	add("`get_contents`: `includeRaw`, default false", both(schema("get_contents", is("properties.includeRaw.default", false)), contentsOf("document", args{"includeRaw": true}, something("contents.0.raw")), contentsOf("document", nil, is("contents.0.raw", nil))))
	inWorkspace("get_contents", args{"ids": []args{{"kind": "document", "id": "cats"}}}, is("contents.0.error.code", "NOT_FOUND"), says("contents.0.text", "A tired cat sleeps"))

	similar := func(subject, more args, claims ...claim) func(*served) error {
		arguments := args{"subject": subject}
		for name, v := range more {
			arguments[name] = v
		}
		return calls("find_similar", arguments, claims...)
	}
	words := args{"kind": "text", "text": "the range at full moon"}
	add("`find_similar`: `subject`, required", both(schema("find_similar", is("required", []string{"subject"})), fails("find_similar", args{}, "subject")))
	add("`find_similar`: `subject` of kind text", similar(words, nil, is("results.0.documentId", "research_paper")))
	add("`find_similar`: `subject` of kind chunk", func(s *served) error {
		id, err := aChunk(s)
		if err != nil {
			return err
		}
		return similar(args{"kind": "chunk", "id": id}, nil, kind(anArray, "results"))(s)
	})
	add("`find_similar`: `subject` of kind document", similar(args{"kind": "document", "id": "research_paper"}, nil, kind(anArray, "results")))
	add("`find_similar`: `subject` of another kind is an error", fails("find_similar", args{"subject": args{"kind": "page", "id": "x"}}, "subject"))
	add("`find_similar`: `by` chunks, documents; default chunks", both(schema("find_similar", is("properties.by.enum", []string{"chunks", "documents"}), is("properties.by.default", "chunks")),
		similar(words, nil, is("results.0.kind", "chunk")), similar(words, args{"by": "documents"}, is("results.0.kind", "document"))))
	add("`find_similar`: `filters`", similar(words, args{"filters": args{"sources": []string{"nowhere"}}}, long("results", 0, 0)))
	add("`find_similar`: `topK` 1 to 50, default 10", both(schema("find_similar", is("properties.topK", args{"type": "integer", "minimum": 1, "maximum": 50, "default": 10})), similar(words, args{"topK": 1}, long("results", 1, 1))))

	inWorkspace("find_similar", args{"subject": words}, is("results.0.documentId", "research_paper"), each("results", is("documentId", "cats")))

	add("`answer`: `question`, required, at least one character", both(schema("answer", is("required", []string{"question"}), is("properties.question.minLength", 1)), answer(nil, says("answer", "range"))))
	add("`answer`: `mode`, default hybrid", both(schema("answer", is("properties.mode.default", "hybrid")), answer(args{"mode": "knowledge"}, kind(aString, "answer"))))
	add("`answer`: `answerType` extractive, abstractive; default abstractive", both(schema("answer", is("properties.answerType.enum", []string{"extractive", "abstractive"}), is("properties.answerType.default", "abstractive")), answer(args{"answerType": "extractive"}, says("answer", "range"), is("citations.0.documentId", "research_paper"))))
	add("`answer`: `citations`, default true, with `address`, `text`, `documentId`", both(schema("answer", is("properties.citations.default", true)),
		answer(nil, each("citations", kind(aString, "address", "text", "documentId"))), answer(args{"citations": false}, long("citations", 0, 0))))
	add("`answer`: `maxTokens` 16 to 4096, default 400", both(schema("answer", is("properties.maxTokens", args{"type": "integer", "minimum": 16, "maximum": 4096, "default": 400})), fails("answer", args{"question": "Why?", "maxTokens": 15}, "maxTokens")))
	add("`answer`: `model`", both(schema("answer", is("properties.model.type", "string")), answer(args{"model": "any"}, kind(aString, "answer"))))
	add("`answer`: `constraints.after`, `constraints.before`", both(schema("answer", is("properties.constraints.properties.after.format", "date-time"), is("properties.constraints.properties.before.format", "date-time")),
		answer(args{"constraints": args{"after": "2999-01-01T00:00:00Z"}}, long("citations", 0, 0))))
	add("`answer`: `stream`, default false; the events `meta`, `token`, `citation` as messages of progress, `final` as the result", both(schema("answer", is("properties.stream.default", false)), answersInEvents))
	add("`answer`: `include.rationale`, default true", both(schema("answer", is("properties.include.properties.rationale.default", true)), answer(nil, something("citations.0.rationale")), answer(args{"include": args{"rationale": false}}, is("citations.0.rationale", nil))))
	inWorkspace("answer", args{"question": "Where does a tired cat sleep?"}, is("found", false), is("citations.0.documentId", "cats"))

	add("results are `application/json`, one object as text", search(nil, kind(anObj, "meta")))
	add("`resource://knowledge/document/{id}`", asks("resources/read", args{"uri": "resource://knowledge/document/research_paper"}, is("contents.0.mimeType", "application/json"), says("contents.0.text", "The moon pulls the sea")))
	add("`resource://knowledge/chunk/{id}`", func(s *served) error {
		id, err := aChunk(s)
		if err != nil {
			return err
		}
		return asks("resources/read", args{"uri": "resource://knowledge/chunk/" + id}, is("contents.0.mimeType", "application/json"), says("contents.0.text", "tide"))(s)
	})
	add("the patterns are listed, with counts", asks("resources/templates/list", args{}, entryWith("resourceTemplates", "uriTemplate", "resource://knowledge/document/{id}", kind(aCount, "_meta.count")),
		entryWith("resourceTemplates", "uriTemplate", "resource://knowledge/chunk/{id}", kind(aString, "name"))))
	add("`requestId` in results", search(nil, kind(aString, "meta.requestId")))
	add("latency by stage under `meta`", search(nil, kind(aNumber, "meta.latency.total", "meta.latency.search", "meta.latency.lookup", "meta.latency.extract")))
	add("errors: structured, with a code", func(s *served) error {
		o := s.ask("tools/call", args{"name": "get_contents", "arguments": args{"ids": []args{{"kind": "page", "id": "x"}}}})
		return all(is("isError", true), kind(aString, "_meta.code"))(o.result)
	})
	add("setting: the time of each tool (`timeouts`)", limitsTime)
	add("setting: the tools of a workspace (`--tools search,answer`)", func(s *served) error {
		limited, err := limitedTools(s, s.flags("--tools", "search,answer")...)
		if err == nil && strings.Join(limited, " ") != "answer search" {
			err = fmt.Errorf("the tools are %v", limited)
		}
		return err
	})
	return d
}

// choosesWorkspace makes a check of a tool of a server of two workspaces, one and two: of
// its answers when the call names them, and of its error when it names another.
func choosesWorkspace(tool string, arguments args, one, two claim) func(*served) error {
	return func(s *served) error {
		second, port := s.t.TempDir(), freePort(s.t)
		writeFile(s.t, filepath.Join(second, "cats.md"), []byte("# Cats\n\nA tired cat sleeps under the full moon, whose range is new.\n"))
		for _, other := range []string{"dogs", "birds", "fish", "bees", "ants"} { // so that words of the first are rare
			writeFile(s.t, filepath.Join(second, other+".md"), []byte("# About "+other+"\n\nMany "+other+" live near water.\n"))
		}
		if out, err := exec.CommandContext(s.t.Context(), scratchBinary(s.t), "--dir", second, "ingest", ".").CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		settings := filepath.Join(s.t.TempDir(), "citekit.yaml")
		writeFile(s.t, settings, fmt.Appendf(nil, "workspaces: {one: {dir: %q}, two: {dir: %q}}\n", s.base, second))
		return serves(s.flags("--transport", "http", "--port", port, "--config", settings), port, func(base string) error {
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(s.t.Context(), &mcp.StreamableClientTransport{Endpoint: base + "/mcp", DisableStandaloneSSE: true}, nil)
			if err != nil {
				return err
			}
			defer session.Close()
			for workspace, is := range map[string]claim{"": one, "one": one, "two": two, "nope": says("detail", "no such workspace")} {
				given := maps.Clone(arguments)
				if workspace != "" {
					given["workspaceId"] = workspace
				}
				result, err := session.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: given})
				if err != nil {
					return err
				}
				text, _ := result.Content[0].(*mcp.TextContent)
				if result.IsError != (workspace == "nope") {
					return fmt.Errorf("workspace %q: %s", workspace, text.Text)
				}
				if err := is(decoded(text.Text)); err != nil {
					return fmt.Errorf("workspace %q: %w", workspace, err)
				}
			}
			return nil
		})(s)
	}
}

// answersInEvents asks for an answer as a stream, and for progress.
func answersInEvents(s *served) error {
	c, _, err := converse(s, s.base, s.flags()...)
	if err != nil {
		return err
	}
	told, err := c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"answer","arguments":{"question":"When is the range widest?","stream":true}}}`)
	names, last := []string{}, map[string]value{}
	for ; err == nil && told.at("id").v == nil; told, err = c.hear() {
		event := decoded(told.at("params.message").text())
		if name := event.at("event").text(); name != "" {
			names, last[name] = append(names, name), event.at("data")
		}
	}
	if err != nil {
		return err
	}
	final := decoded(told.at("result.content.0.text").text())
	if err := all(kind(aString, "answer"), kind(aList, "citations"), kind(anObj, "meta"))(final); err != nil {
		return fmt.Errorf("final: %w: %s", err, told)
	}
	if names[0] != "meta" || slices.Index(names, "token") > slices.Index(names, "citation") {
		return fmt.Errorf("the events are %v", names)
	}
	whole := strings.TrimSpace(final.at("answer").text())
	cited := final.at("citations").list()
	for name, c := range map[string]claim{
		"meta": all(is("requestId", final.at("meta.requestId").v), is("answerType", final.at("answerType").v)),
		"token": func(v value) error {
			if text := strings.TrimSpace(v.at("text").text()); text == "" || !strings.Contains(whole, text) {
				return fmt.Errorf("%q is not in %q", text, whole)
			}
			return nil
		},
		"citation": func(v value) error { return is("of", cited[len(cited)-1])(value{args{"of": v.v}}) },
	} {
		if err := c(last[name]); err != nil {
			return fmt.Errorf("event %s: %w", name, err)
		}
	}
	return nil
}

// limitsTime gives each tool in turn a time in which nothing can be done. The others still
// answer.
func limitsTime(s *served) error {
	tools := map[string]args{
		"search": {"q": "tide"}, "get_contents": {"ids": []args{{"kind": "document", "id": "research_paper"}}},
		"find_similar": {"subject": args{"kind": "text", "text": "tide"}}, "answer": {"question": "When is the range widest?"},
	}
	for late := range tools {
		settings := filepath.Join(s.t.TempDir(), "citekit.yaml")
		var times []string
		for tool := range tools {
			times = append(times, tool+": "+map[bool]string{true: "1ns", false: "2m"}[tool == late])
		}
		writeFile(s.t, settings, []byte("timeouts: {"+strings.Join(times, ", ")+"}\n"))
		server, err := stdio.Start(s.t.Context(), s.base, append([]string{scratchBinary(s.t), "serve", "--config", settings}, s.flags()...)...)
		if err != nil {
			return err
		}
		defer server.Stop()
		limited := &served{server, s.t, s.base, s.dialect}
		for tool, arguments := range tools {
			result := limited.ask("tools/call", args{"name": tool, "arguments": arguments}).result
			if tool == late && result.at("_meta.code").v != "TIMEOUT" || tool != late && result.at("isError").v == true {
				return fmt.Errorf("with no time for %s, %s: %s", late, tool, result)
			}
		}
	}
	return nil
}

// something claims that there is a value at a path, and that it is not empty.
func something(path string) claim {
	return func(v value) error {
		switch x := v.at(path).v.(type) {
		case nil:
			return fmt.Errorf("%s is not there", path)
		case string:
			if x == "" {
				return fmt.Errorf("%s is empty", path)
			}
		case []any:
			if len(x) == 0 {
				return fmt.Errorf("%s is empty", path)
			}
		}
		return nil
	}
}

// aChunk returns the id of a passage that a search finds.
func aChunk(s *served) (string, error) {
	found, err := s.tool("search", args{"q": "spring tide at new moon"})
	if err != nil {
		return "", err
	}
	return found.at("results.0.id").text(), kind(aString, "results.0.id")(found)
}

// contentsOf makes a check of get_contents of the document or the passage that the tests
// are about.
func contentsOf(kind string, more args, claims ...claim) func(*served) error {
	return func(s *served) error {
		id := "research_paper"
		if kind == "chunk" {
			var err error
			if id, err = aChunk(s); err != nil {
				return err
			}
		}
		arguments := args{"ids": []args{{"kind": kind, "id": id}}}
		for name, v := range more {
			arguments[name] = v
		}
		return calls("get_contents", arguments, claims...)(s)
	}
}
