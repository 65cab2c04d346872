package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/test/stdio"
)

// sageRows are those of the reference of the SAGE server. Its layers are folders.
func sageRows() described {
	d := described{subject: "SAGE reference", dialect: "sage", about: "`--dialect sage`. Layers are the folders `core`, `guidelines`, `frameworks` and `practices` below the base directory."}
	add := func(name string, check func(*served) error) { d.rows = append(d.rows, row{name: name, check: check}) }
	layers := []string{"core", "guidelines", "frameworks", "practices", "all"}
	know := func(arguments args, claims ...claim) func(*served) error {
		return calls("sage_get_knowledge", arguments, claims...)
	}
	core := args{"layer": "core"}

	add("tools `sage_get_knowledge`, `sage_search`, `sage_get_context`, `sage_info`", offered("sage_get_knowledge", "sage_search", "sage_get_context", "sage_info"))
	add("`sage_get_knowledge`: `layer`, required, one of five", both(schema("sage_get_knowledge", is("required", []string{"layer"}), is("properties.layer.enum", layers)), fails("sage_get_knowledge", args{}, "layer"), fails("sage_get_knowledge", args{"layer": "x"}, "layer")))
	for _, layer := range layers {
		add("`sage_get_knowledge`: `layer` "+layer, know(args{"layer": layer}, kind(aString, "content"), is("metadata.layer", layer)))
	}
	add("`sage_get_knowledge`: `topic`", both(schema("sage_get_knowledge", is("properties.topic.type", "string")), know(args{"layer": "guidelines", "topic": "python"}, says("content", "type hints"), is("metadata.files_loaded", 1))))
	add("`sage_get_knowledge`: `timeout_ms`, default 2000", both(schema("sage_get_knowledge", is("properties.timeout_ms.type", "integer"), is("properties.timeout_ms.default", 2000)), know(args{"layer": "core", "timeout_ms": 2000}, kind(aString, "content"))))
	add("`sage_get_knowledge`: `content` of the whole layer", know(core, says("content", "Name a thing after what it does.", "A timeout is five seconds.")))
	add("`sage_get_knowledge`: `metadata.files_loaded`", know(core, is("metadata.files_loaded", 2)))
	add("`sage_get_knowledge`: `metadata.load_time_ms`", know(core, kind(aCount, "metadata.load_time_ms")))
	add("`sage_get_knowledge`: `metadata.from_cache`", both(know(core, kind(aFlag, "metadata.from_cache")), know(core, is("metadata.from_cache", true))))

	search := func(more args, claims ...claim) func(*served) error {
		arguments := args{"query": "type hints"}
		for name, v := range more {
			arguments[name] = v
		}
		return calls("sage_search", arguments, claims...)
	}
	add("`sage_search`: `query`, required", both(schema("sage_search", is("required", []string{"query"})), fails("sage_search", args{}, "query")))
	add("`sage_search`: `limit`, default 10", both(schema("sage_search", is("properties.limit.type", "integer"), is("properties.limit.default", 10)), search(args{"limit": 1}, long("results", 1, 1)), search(nil, long("results", 1, 10))))
	add("`sage_search`: `layer`, default all", both(schema("sage_search", is("properties.layer.enum", layers), is("properties.layer.default", "all")), search(args{"layer": "guidelines"}, each("results", says("path", "guidelines/"))), search(args{"query": "name a thing", "layer": "core"}, each("results", says("path", "core/")))))
	add("`sage_search`: `results` with `path`, `title`, `snippet`, `score`", search(nil, each("results", kind(aString, "path", "title", "snippet"), kind(aNumber, "score")), says("results.0.path", "guidelines/python.md")))
	add("`sage_search`: `total`", search(nil, kind(aCount, "total")))
	add("`sage_search`: `query_time_ms`", search(nil, kind(aCount, "query_time_ms")))

	context := func(arguments args, claims ...claim) func(*served) error {
		return calls("sage_get_context", arguments, claims...)
	}
	add("`sage_get_context`: `task_type`, required, one of five", both(schema("sage_get_context", is("required", []string{"task_type"}), is("properties.task_type.enum", []string{"coding", "debugging", "reviewing", "planning", "documenting"})), fails("sage_get_context", args{}, "task_type"), fails("sage_get_context", args{"task_type": "x"}, "task_type")))
	for _, task := range []string{"coding", "debugging", "reviewing", "planning", "documenting"} {
		add("`sage_get_context`: `task_type` "+task, context(args{"task_type": task}, kind(aString, "context")))
	}
	add("`sage_get_context`: `language`, default python", both(schema("sage_get_context", is("properties.language.default", "python")), context(args{"task_type": "coding", "language": "go"}, kind(aString, "context"))))
	add("`sage_get_context`: `token_budget`, default 4000", both(schema("sage_get_context", is("properties.token_budget.type", "integer"), is("properties.token_budget.default", 4000)), context(args{"task_type": "coding", "token_budget": 200}, atMost("token_count", 200))))
	add("`sage_get_context`: `sections`, `token_count`, `load_time_ms`", context(args{"task_type": "coding"}, kind(aList, "sections"), kind(aCount, "token_count", "load_time_ms")))

	info := func(claims ...claim) func(*served) error { return calls("sage_info", args{}, claims...) }
	add("`sage_info`: input `{}`; `version`", info(kind(aString, "version")))
	add("`sage_info`: `status` healthy", info(is("status", "healthy")))
	add("`sage_info`: `knowledge_base.content_files`", info(kind(aCount, "knowledge_base.content_files")))
	add("`sage_info`: `knowledge_base.total_size_kb`", info(kind(aNumber, "knowledge_base.total_size_kb")))
	add("`sage_info`: `cache.enabled`, `cache.hit_rate`", info(kind(aFlag, "cache.enabled"), kind(aNumber, "cache.hit_rate")))
	add("`sage_info`: `uptime_seconds`", info(kind(aNumber, "uptime_seconds")))

	for _, one := range []struct{ layer, topic, says string }{
		{"core", "principles", "Name a thing"}, {"core", "defaults", "five seconds"}, {"guidelines", "python", "type hints"},
		{"frameworks", "autonomy", "asks before"}, {"frameworks", "timeout", "Five levels"}, {"practices", "engineering", "Review each change"},
	} {
		add("`knowledge://"+one.layer+"/"+one.topic+"`", asks("resources/read", args{"uri": "knowledge://" + one.layer + "/" + one.topic}, says("contents.0.text", one.says)))
	}
	for _, layer := range layers[:4] {
		add("`knowledge://"+layer+"`, listed, whole", both(asks("resources/list", args{}, entryWith("resources", "uri", "knowledge://"+layer, kind(aString, "description"))), asks("resources/read", args{"uri": "knowledge://" + layer}, kind(aString, "contents.0.text"))))
	}
	task := func(arguments args, claims ...claim) func(*served) error {
		return asks("prompts/get", args{"name": "sage_task_prompt", "arguments": arguments}, claims...)
	}
	add("`sage_task_prompt`: `task_type`", task(args{"task_type": "coding"}, says("messages.0.content.text", "coding")))
	add("`sage_task_prompt`: `context`", task(args{"task_type": "coding", "context": "about tides"}, says("messages.0.content.text", "about tides")))
	add("`sage_task_prompt`: the layers that there are", task(args{"task_type": "coding"}, says("messages.0.content.text", "core: ", "guidelines: ", "practices: ")))

	add("errors: `error.code`, `error.message`, `error.details.elapsed_ms`", failsAs("sage_get_knowledge", args{"layer": "core", "topic": "none"}, is("error.code", "NOT_FOUND"), kind(aString, "error.message"), kind(aCount, "error.details.elapsed_ms")))
	add("error `NOT_FOUND`", failsAs("sage_get_knowledge", args{"layer": "core", "topic": "none"}, is("error.code", "NOT_FOUND")))
	add("error `INVALID_INPUT`", failsAs("sage_search", args{}, is("error.code", "INVALID_INPUT")))
	add("error `TIMEOUT`, with `details.timeout_level`", func(s *served) error {
		fresh, err := freshly(s, s.flags()...)
		if err != nil {
			return err
		}
		defer fresh.Stop()
		return failsAs("sage_get_knowledge", args{"layer": "core", "timeout_ms": 100}, is("error.code", "TIMEOUT"), is("error.details.timeout_level", "T1"), says("error.message", "Operation exceeded T1 timeout (100ms)"))(fresh)
	})
	add("errors: `fallback` with `content` and `complete: false`", failsAs("sage_get_knowledge", args{"layer": "core", "topic": "none"}, is("fallback.complete", false), is("fallback.content", "")))
	for i, one := range []struct {
		most  int
		about string
		shows func(*served) error
	}{
		{100, "from memory alone; `TIMEOUT` and a fallback with `complete: false` if nothing is there", func(s *served) error {
			fresh, err := freshly(s, s.flags()...)
			if err != nil {
				return err
			}
			defer fresh.Stop()
			t1 := args{"layer": "core", "timeout_ms": 100}
			return both(
				failsAs("sage_get_knowledge", t1, is("error.code", "TIMEOUT"), is("error.details.timeout_level", "T1"), is("fallback.complete", false)),
				know(core, is("complete", nil), is("metadata.from_cache", false)),
				know(t1, says("content", "Name a thing", "five seconds"), is("metadata.from_cache", true), is("complete", nil)),
			)(fresh)
		}},
		{500, "a file", know(args{"layer": "guidelines", "topic": "python", "timeout_ms": 500}, is("metadata.files_loaded", 1), is("complete", nil))},
		{2000, "a layer", know(args{"layer": "guidelines", "timeout_ms": 2000}, is("metadata.files_loaded", 2), is("complete", nil))},
		{5000, "the whole base", know(args{"layer": "all", "timeout_ms": 5000}, says("content", "asks before it deletes", "spring tide"))},
		{10000, "the whole base", know(args{"layer": "all", "timeout_ms": 10000}, says("content", "asks before it deletes", "spring tide"))},
	} {
		add(fmt.Sprintf("level of time T%d, up to %d ms: %s", i+1, one.most, one.about), both(one.shows,
			know(core), // then it is in memory
			atLevel(one.most, fmt.Sprint("T", i+1)), atLevel(one.most+1, fmt.Sprint("T", min(i+2, 5)))))
	}
	const settings = "mcp:\n  host: localhost\n  port: PORT\n  timeout_ms: 5000\n  max_connections: 10\n  capabilities:\n    - knowledge_retrieval\n    - search\n    - context_management\n"
	file := func(s *served, changes ...string) (string, string) {
		path, port := filepath.Join(s.t.TempDir(), "sage.yaml"), freePort(s.t)
		writeFile(s.t, path, []byte(strings.NewReplacer(append(changes, "PORT", port)...).Replace(settings)))
		return path, port
	}
	over := func(call func(string) error, changes ...string) func(*served) error {
		return func(s *served) error {
			path, port := file(s, changes...)
			return overPort([]string{"--config", path, "--transport", "http"}, port, call)(s)
		}
	}
	add("clients: `serve` with `SAGE_CONFIG` in the environment, over stdio", func(s *served) error {
		env, err := exec.LookPath("env")
		if err != nil {
			return err
		}
		path, _ := file(s)
		server, err := stdio.Start(s.t.Context(), s.base, env, "SAGE_CONFIG="+path, scratchBinary(s.t), "serve")
		if err != nil {
			return err
		}
		defer server.Stop()
		return know(core, kind(aString, "content"))(&served{server, s.t, s.base, "sage"})
	})
	add("settings: `mcp.host`, `mcp.port`", over(answersHTTP))
	add("setting: `mcp.timeout_ms`", func(s *served) error {
		for timeout, level := range map[string]string{"100": "T1", "5000": "T4"} {
			path, _ := file(s, "5000", timeout)
			limited, err := freshly(s, "--config", path)
			if err != nil {
				return err
			}
			defer limited.Stop()
			warm := func(s *served) error { _, _ = s.tool("sage_get_knowledge", core); return nil } // fills the memory
			asked := args{"layer": "core", "topic": "none", "timeout_ms": 10000}
			if err := both(warm, failsAs("sage_get_knowledge", asked, is("error.details.timeout_level", level)))(limited); err != nil {
				return fmt.Errorf("timeout_ms %s: %w", timeout, err)
			}
		}
		return nil
	})
	add("setting: `mcp.max_connections`", both(over(keepsOpen(3, 3)), over(keepsOpen(0, 2), "max_connections: 10", "max_connections: 1")))
	for _, one := range [][2]string{{"knowledge_retrieval", "sage_get_knowledge"}, {"search", "sage_search"}, {"context_management", "sage_get_context"}} {
		capability, tool := one[0], one[1]
		add("setting: `mcp.capabilities`, "+capability, func(s *served) error {
			path, _ := file(s, "    - knowledge_retrieval\n    - search\n    - context_management\n", "    - "+capability+"\n")
			tools, err := limitedTools(s, "--config", path)
			if err == nil && !slices.Equal(tools, sorted([]any{"sage_info", tool})) {
				err = fmt.Errorf("the tools are %v", tools)
			}
			return err
		})
	}
	add("`serve --host localhost --port N` alone is over HTTP", func(s *served) error {
		port := freePort(s.t)
		return overPort([]string{"--host", "localhost", "--port", port}, port, answersHTTP)(s)
	})
	return d
}

// freshly starts a server with some flags, which has nothing in memory.
func freshly(s *served, flags ...string) (*served, error) {
	server, err := stdio.Start(s.t.Context(), s.base, append([]string{scratchBinary(s.t), "serve"}, flags...)...)
	return &served{server, s.t, s.base, s.dialect}, err
}

// atLevel makes a check that a call with a time has a level.
func atLevel(timeout int, level string) func(*served) error {
	return failsAs("sage_get_knowledge", args{"layer": "core", "topic": "none", "timeout_ms": timeout}, is("error.details.timeout_level", level))
}

// keepsOpen returns a check of how many of three connections stay open: of which each has
// one answer before the next opens.
func keepsOpen(least, most int) func(base string) error {
	return func(base string) error {
		var open []net.Conn
		asks := func(c net.Conn) bool {
			request, err := http.NewRequest(http.MethodGet, base+"/v1/info", nil)
			if err != nil || request.Write(c) != nil {
				return false
			}
			answer, err := http.ReadResponse(bufio.NewReader(c), request)
			if err != nil {
				return false
			}
			defer answer.Body.Close()
			_, err = io.Copy(io.Discard, answer.Body)
			return err == nil
		}
		for range 3 {
			c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
			if err != nil {
				return err
			}
			defer c.Close()
			asks(c)
			open = append(open, c)
		}
		n := 0
		for _, c := range open {
			if asks(c) {
				n++
			}
		}
		if n < least || n > most {
			return fmt.Errorf("%d connections stay open, not %d to %d", n, least, most)
		}
		return nil
	}
}

// failsAs makes a check of the JSON of a call that must fail.
func failsAs(tool string, arguments args, claims ...claim) func(*served) error {
	return func(s *served) error {
		o := s.ask("tools/call", args{"name": tool, "arguments": arguments})
		if o.fault.v != nil || o.result.at("isError").v != true {
			return fmt.Errorf("%s did not fail as a tool does: %s%s", tool, o.result, o.fault)
		}
		return all(claims...)(decoded(o.result.at("content.0.text").text()))
	}
}

// atMost claims a bound of the whole number at a path.
func atMost(path string, most float64) claim {
	return func(v value) error {
		if n, ok := v.at(path).v.(float64); !ok || n > most {
			return fmt.Errorf("%s is %s, more than %v", path, v.at(path), most)
		}
		return nil
	}
}

// answersHTTP checks that there is a server of MCP.
func answersHTTP(base string) error { return posts(base+"/mcp", initializeLine, `"serverInfo"`) }
