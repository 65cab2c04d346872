package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// socialTools, socialResources and socialPrompts are those of another domain.
var (
	socialTools = []string{
		"create_post", "like_post", "repost", "follow_user", "search_posts", "get_user_profile", "get_timeline", "delete_post",
		"update_profile", "upload_image", "mute_user", "block_user", "report_content", "start_oauth_flow", "refresh_oauth_tokens",
		"start_streaming", "get_recent_events",
	}
	socialResources = []string{"atproto://timeline", "atproto://profile", "atproto://notifications"}
	socialPrompts   = []string{"content_composition", "reply_template"}
)

// atprotoRows are those of the page of an AT Protocol server on the protocol.
func atprotoRows() described {
	const mapURI = "citekit://maps/lecture_01"
	d := described{subject: "AT Protocol server's page", about: "What that page says of the protocol, and the tools of its social network."}
	d.rows = []row{
		{name: "tools: `name`, `description`, `inputSchema`", check: asks("tools/list", args{}, each("tools", kind(aString, "name", "description"), is("inputSchema.type", "object"), kind(anObj, "inputSchema.properties")))},
		{name: "tools: `inputSchema.required`", check: schema("search", is("required", []string{"query"}))},
		{name: "`tools/call`: `name`, `arguments`; `content` with `type: text`", check: asks("tools/call", args{"name": "listResources", "arguments": args{}}, is("content.0.type", "text"), kind(aString, "content.0.text"))},
		{name: "`tools/call`: arguments are checked", check: fails("getNode", args{"resource_id": []int{1}}, "argument 'resource_id' is an array; it must be a string")},
		{name: "`resources/list`: `uri`, `name`, `description`, `mimeType`", check: both(
			asks("resources/list", args{}, each("resources", kind(aString, "uri", "name", "description", "mimeType"))),
			asks("resources/list", args{}, resourceWith(mapURI, is("mimeType", "application/json"))))},
		{name: "`resources/list`: a time for each that has one", check: asks("resources/list", args{}, resourceWith(mapURI, is("annotations.lastModified", "2025-02-16T14:32:10Z")))},
		{name: "`resources/read`: `contents` with `uri`, `mimeType`, `text`", check: asks("resources/read", args{"uri": mapURI},
			is("contents.0.uri", mapURI), is("contents.0.mimeType", "application/json"), says("contents.0.text", `"resource_id"`))},
		{name: "`prompts/list`: `name`, `description`, `arguments` with `name`, `description`, `required`", check: asks("prompts/list", args{},
			each("prompts", kind(aString, "name", "description"), each("arguments", kind(aString, "name", "description"))))},
		{name: "`prompts/list`: arguments that are not required", check: asks("prompts/list", args{}, promptWith("task", func(v value) error {
			if v.at("arguments.0.required").v != true || v.at("arguments.1.required").v == true {
				return fmt.Errorf("arguments are %s", v.at("arguments"))
			}
			return nil
		}))},
		{name: "`prompts/get`: `messages` with `role: user` and text with the arguments", check: asks("prompts/get", args{"name": "task", "arguments": args{"task_type": "coding", "context": "about tides"}},
			is("messages.0.role", "user"), is("messages.0.content.type", "text"), says("messages.0.content.text", "coding", "about tides"))},
		{name: "stdio: JSON-RPC 2.0, a message a line; `jsonrpc`, `id`, `result`", check: raw(`{"jsonrpc":"2.0","id":7,"method":"ping"}`, is("jsonrpc", "2.0"), is("id", 7), kind(anObj, "result"))},
		{name: "errors: `code`, `message`, `data.details`", check: faults("resources/read", args{"uri": "citekit://maps/none"}, kind(aCount, "code"), kind(aString, "message", "data.details"), says("data.details", "listResources"))},
		{name: "error -32700, not JSON", check: raw(`{"jsonrpc":"2.0","id":1,`, is("error.code", -32700), kind(aString, "error.message", "error.data.details"))},
		{name: "error -32600, not JSON-RPC", check: raw(`{"jsonrpc":"1.0","id":1,"method":"ping"}`, is("error.code", -32600), kind(aString, "error.data.details"))},
		{name: "error -32601, unknown method", check: faults("no/such", args{}, is("code", -32601), kind(aString, "data.details"))},
		{name: "error -32602, invalid params", check: faults("prompts/get", args{"name": "cite_answer", "arguments": args{}}, is("code", -32602), says("data.details", "argument 'question' is missing"))},
		{name: "error -32602, `resources/read` without params", check: raw(`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`, is("error.code", -32602), kind(aString, "error.data.details"))},
		{name: "error -32602, `resources/read` without `uri`", check: faults("resources/read", args{}, is("code", -32602), says("data.details", "uri is missing"))},
		{name: "error -32603, inside the server", check: internalError},
		{name: "errors: one code for every missing resource", check: oneCode},
		{name: "capabilities: `tools.listChanged`", check: capability("tools.listChanged", true)},
		{name: "capabilities: `prompts.listChanged`", check: capability("prompts.listChanged", true)},
		{name: "capabilities: `resources.listChanged`", check: capability("resources.listChanged", true)},
		{name: "capabilities: `resources.subscribe` is true here, not false; who does not subscribe is told of no change of a resource", check: both(capability("resources.subscribe", true), onlyFollowersAreTold)},
		{name: "notification that the list of resources changed", check: newMapIsTold},
		{name: "`--transport http --port N`", check: overHTTP("http", func(base string) error {
			return posts(base+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"serverInfo"`)
		})},
		{name: "`--transport sse`: an event stream from the server", check: overHTTP("sse", func(base string) error { return streams(base + "/sse") })},
		{name: "the program alone says how it is used, and that is no failure", check: runs(nil, 0, "Usage:", "serve")},
	}
	for _, tool := range socialTools {
		d.rows = append(d.rows, row{name: "tool `" + tool + "`", other: true, check: faults("tools/call", args{"name": tool, "arguments": args{}}, is("code", -32602), says("message", `unknown tool "`+tool+`"`))})
	}
	for _, uri := range socialResources {
		d.rows = append(d.rows, row{name: "resource `" + uri + "`", other: true, check: faults("resources/read", args{"uri": uri}, is("data.code", "NOT_FOUND"))})
	}
	for _, name := range socialPrompts {
		d.rows = append(d.rows, row{name: "prompt `" + name + "`", other: true, check: faults("prompts/get", args{"name": name}, says("message", `unknown prompt "`+name+`"`))})
	}
	return d
}

// resourceWith claims something of the entry of a URI in a list.
func resourceWith(uri string, c claim) claim { return entryWith("resources", "uri", uri, c) }

func promptWith(name string, c claim) claim { return entryWith("prompts", "name", name, c) }

func entryWith(list, key, is string, c claim) claim {
	return func(v value) error {
		for _, one := range v.at(list).list() {
			if entry := (value{one}); entry.at(key).text() == is {
				return c(entry)
			}
		}
		return fmt.Errorf("no entry has %s %s", key, is)
	}
}

// A conversation is a server whose messages are written and read as they are.
type conversation struct {
	in    io.WriteCloser
	lines *bufio.Reader
}

const initializeLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// converse starts a server in a folder, with further flags, and ends it when the test does.
func converse(s *served, base string, flags ...string) (*conversation, value, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), hanging)
	cmd := exec.CommandContext(ctx, scratchBinary(s.t), append([]string{"serve", "--dir", base}, flags...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, value{}, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, value{}, err
	}
	s.t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, out)
		cmd.Wait()
		cancel()
	})
	c := &conversation{in, bufio.NewReader(out)}
	first, err := c.say(initializeLine)
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return c, first, err
}

// say writes a line and returns the next message of the server.
func (c *conversation) say(line string) (value, error) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		return value{}, err
	}
	return c.hear()
}

func (c *conversation) hear() (value, error) {
	line, err := c.lines.ReadBytes('\n')
	if err != nil {
		return value{}, err
	}
	var v value
	return v, json.Unmarshal(line, &v.v)
}

// raw makes a check of what a server answers to a line.
func raw(line string, claims ...claim) func(*served) error {
	return func(s *served) error {
		c, _, err := converse(s, s.base)
		if err != nil {
			return err
		}
		v, err := c.say(line)
		if err != nil {
			return err
		}
		return all(claims...)(v)
	}
}

func capability(path string, want bool) func(*served) error {
	return func(s *served) error {
		_, first, err := converse(s, s.base)
		if err != nil {
			return err
		}
		return is("result.capabilities."+path, want)(first)
	}
}

// newMapIsTold adds a map to a folder that is served.
func newMapIsTold(s *served) error {
	base := s.t.TempDir()
	c, _, err := converse(s, base)
	if err != nil {
		return err
	}
	if _, err := c.say(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`); err != nil {
		return err
	}
	writeMap(s.t, base, "added", "text", "added.txt")
	told, err := c.hear()
	if err != nil {
		return err
	}
	return is("method", "notifications/resources/list_changed")(told)
}

// onlyFollowersAreTold changes a map that is served and that nobody follows.
func onlyFollowersAreTold(s *served) error {
	base := s.t.TempDir()
	writeMap(s.t, base, "here", "text", "here.txt")
	c, _, err := converse(s, base)
	if err != nil {
		return err
	}
	said := make(chan error)
	go func() {
		looks := 0
		for looks < 2 { // the first look has ended when the second tells
			told, err := c.hear()
			switch {
			case err != nil:
				said <- err
				return
			case told.at("method").text() == "notifications/resources/list_changed":
				looks++
			case told.at("method").v != nil:
				said <- fmt.Errorf("told %s", told)
				return
			}
		}
		said <- nil
	}()
	for i := 0; ; i++ {
		writeMap(s.t, base, "here", "text", fmt.Sprintf("here-%d.txt", i))
		writeMap(s.t, base, fmt.Sprintf("added-%d", i), "text", "added.txt")
		select {
		case err := <-said:
			return err
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// internalError reads evidence where the folder of evidence is a file.
func internalError(s *served) error {
	base := s.t.TempDir()
	writeFile(s.t, filepath.Join(base, ".citekit_output"), []byte("no folder"))
	writeFile(s.t, filepath.Join(base, "a.txt"), []byte("one\ntwo\n"))
	writeMap(s.t, base, "a", "text", "a.txt", map[string]any{"modality": "text", "lines": []int{1, 1}})
	c, _, err := converse(s, base)
	if err != nil {
		return err
	}
	v, err := c.say(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"text://a#lines=1"}}`)
	if err != nil {
		return err
	}
	return all(is("error.code", -32603), kind(aString, "error.message", "error.data.details"))(v)
}

func oneCode(s *served) error {
	for _, uri := range []string{"citekit://maps/none", "citekit://nodes/none/n", "citekit://nodes/lecture_01/none", "doc://none#pages=1", "atproto://timeline", "resource://none"} {
		if err := faults("resources/read", args{"uri": uri}, is("code", -32002), is("data.code", "NOT_FOUND"))(s); err != nil {
			return fmt.Errorf("%s: %w", uri, err)
		}
	}
	return nil
}

// overHTTP makes a check of a server on a port, whose address is given to call.
func overHTTP(transport string, call func(base string) error) func(*served) error {
	return func(s *served) error {
		port := freePort(s.t)
		return overPort([]string{"--transport", transport, "--port", port}, port, call)(s)
	}
}

// overPort is overHTTP for a server with some flags, which listens on a port.
func overPort(flags []string, port string, call func(base string) error) func(*served) error {
	return func(s *served) error {
		return serves(append([]string{"--dir", s.base}, flags...), port, call)(s)
	}
}

// serves is overPort for a server whose flags say what it serves.
func serves(flags []string, port string, call func(base string) error) func(*served) error {
	return func(s *served) error {
		ctx, cancel := context.WithTimeout(s.t.Context(), hanging)
		defer cancel()
		cmd := exec.CommandContext(ctx, scratchBinary(s.t), append([]string{"serve"}, flags...)...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		line, err := bufio.NewReader(stderr).ReadString('\n')
		base := "http://" + net.JoinHostPort("127.0.0.1", port)
		if err != nil || !strings.Contains(line, base) {
			return fmt.Errorf("the server wrote %q, %w", line, err)
		}
		return call(base)
	}
}

// posts sends a message, whose answer must have some words.
func posts(url, message, want string) error {
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
		return fmt.Errorf("%s: %s: %s, %w", url, answer.Status, body, err)
	}
	return nil
}

// streams opens a stream, whose first event must say where messages go.
func streams(url string) error {
	answer, err := http.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	event := make([]byte, len("event: endpoint"))
	if _, err := io.ReadFull(answer.Body, event); err != nil || string(event) != "event: endpoint" {
		return fmt.Errorf("%s: %s: %q, %w", url, answer.Status, event, err)
	}
	return nil
}
