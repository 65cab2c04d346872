package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// A logged is a server all of whose logs are kept, of every level.
type logged struct {
	*runningServer
	log, audit, text journal // the log as JSON and as text
}

// startLogged serves a workspace with a text, whose tools log too.
func startLogged(t *testing.T, text string) *logged {
	t.Helper()
	l := new(logged)
	debug := &slog.HandlerOptions{Level: slog.LevelDebug}
	logger := slog.New(slog.NewMultiHandler(slog.NewJSONHandler(&l.log, debug), slog.NewTextHandler(&l.text, debug)))
	place, workspace := newPlace(t, modality.All(), "red", map[string]string{"rednotes.md": text})
	workspace.Hosted = hostLogging(t, place.lib, logger)
	known := &keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"red"}}}}
	l.runningServer = start(t, []server.Workspace{workspace}, &server.Options{
		Authenticator: known, Logger: logger, Audit: slog.New(slog.NewJSONHandler(&l.audit, debug)),
		Limits: server.Limits{Rate: -1}, Handler: transport.HandlerOptions{Logger: logger, SSE: true},
	})
	return l
}

// settled returns the logs once a last request is in them.
func (l *logged) settled(t *testing.T) (log, audit, text string) {
	t.Helper()
	last := l.as(redKey, "X-Request-Id", "the-last").session()
	last.request("ping", nil)
	last.tool("listResources", map[string]any{})
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if log, audit, text = l.log.text(), l.audit.text(), l.text.text(); strings.Contains(text, "the-last") && strings.Contains(audit, "the-last") && strings.Contains(log, "the-last") {
			return log, audit, text
		}
	}
	t.Fatalf("the last request is not in the log: %s", text)
	return "", "", ""
}

// longestLine is how long a line of a log may be, whatever callers send.
const longestLine = 8 << 10

// checkLines fails the test unless a log has one object in each line, of letters that
// show alone.
func checkLines(t *testing.T, log string, isJSON bool) (objects []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("not printable: %.300q", line)
		}
		if len(line) > longestLine {
			t.Errorf("%d bytes: %.300q", len(line), line)
		}
		if !isJSON {
			if !strings.HasPrefix(line, "time=") {
				t.Errorf("no record: %.300q", line)
			}
			continue
		}
		var object map[string]any
		decoder := json.NewDecoder(strings.NewReader(line))
		if err := decoder.Decode(&object); err != nil || decoder.More() {
			t.Errorf("%v: %.300q", err, line)
		}
		objects = append(objects, object)
	}
	return objects
}

// hostileTexts are what callers may send to have it in a log, or on the terminal of
// who reads it.
func hostileTexts() []string {
	return []string{
		"a\nb\r\n{\"level\":\"ERROR\",\"msg\":\"forged\"}", "\x1b[2J\x1b]0;forged\x07\x1b[31m", "\u202eforged\u2066\u2069\u200b\ufeff",
		"\u0085\u2028\u2029\u009b31m", "\x00\x7f\x08", "\U000e0041\U000e0001", "\u00a0\u3000\u00ad", `\u001b[31m\n"`, strings.Repeat("\u202ex", 1<<18),
	}
}

// TestHostileTextsInLogs sends what would forge lines, wherever a caller may send a
// text.
func TestHostileTextsInLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	l := startLogged(t, "# One\n\nOne is what it says.\n")
	c := l.as(redKey).session()
	for _, text := range hostileTexts() {
		hostileBodies(t, c, text)
		hostileHeaders(c, text)
	}
	hostileBytes(t, l.address, c.header.Get("Mcp-Session-Id"))
	log, audit, text := l.settled(t)
	requests := checkLines(t, audit, true)
	checkLines(t, log, true)
	checkLines(t, text, false)
	if len(requests) < 150 {
		t.Errorf("%d requests in the audit log: the test tries too little", len(requests))
	}
	for _, r := range requests {
		for key := range r {
			if !slices.Contains([]string{"time", "level", "msg", "outcome", "method", "caller", "workspace", "tool", "resource", "request_id", "ms", "bytes", "waited_ms", "not_logged", "reason", "claimed_caller"}, key) {
				t.Errorf("a line of the audit log has %q: %v", key, r)
			}
		}
	}
}

// hostileBodies sends a text in every place of a message.
func hostileBodies(t *testing.T, c client, text string) {
	t.Helper()
	post := func(body string) {
		if status, _, answer := c.send("POST", "/mcp", body); status >= 500 && status != http.StatusServiceUnavailable {
			t.Errorf("%.100q: %d %.200s", body, status, answer)
		}
	}
	meta := map[string]any{"requestId": text, "traceparent": text, "progressToken": text, text: text}
	for _, m := range []struct {
		method string
		params any
	}{
		{text, nil},
		{"tools/call", map[string]any{"name": text, "arguments": map[string]any{}}},
		{"tools/call", map[string]any{"name": "getNode", "arguments": map[string]any{"resource_id": text, "node_id": text}, "_meta": meta}},
		{"tools/call", map[string]any{"name": "getNode", "arguments": map[string]any{text: text}}},
		{"tools/call", map[string]any{"name": "resolve", "arguments": map[string]any{"address": "text://" + text + "#lines=1"}}},
		{"tools/call", map[string]any{"name": "resolve", "arguments": map[string]any{"address": text}}},
		{"tools/call", map[string]any{"name": "search", "arguments": map[string]any{"query": text, "cursor": text}}},
		{"tools/call", map[string]any{"name": "ingest", "arguments": map[string]any{"path": text}}},
		{"resources/read", map[string]any{"uri": text}},
		{"resources/read", map[string]any{"uri": "text://" + text}},
		{"resources/read", map[string]any{"uri": "citekit://maps/" + text}},
		{"resources/subscribe", map[string]any{"uri": "citekit://maps/" + text}},
		{"prompts/get", map[string]any{"name": text, "arguments": map[string]any{text: text}}},
		{"prompts/get", map[string]any{"name": "summarize", "arguments": map[string]any{"resource_id": text}}},
		{"completion/complete", map[string]any{"ref": map[string]any{"type": text, "name": text}, "argument": map[string]any{"name": text, "value": text}}},
		{"logging/setLevel", map[string]any{"level": text}},
		{"tools/list", map[string]any{"cursor": text}},
		{"initialize", map[string]any{"protocolVersion": text, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": text, "version": text}}},
	} {
		post(message(m.method, m.params))
	}
	id, _ := json.Marshal(text)
	post(`{"jsonrpc":"2.0","id":` + string(id) + `,"method":"ping"}`)
	post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(id) + `,"reason":` + string(id) + `}}`)
	post(`{"jsonrpc":"2.0","method":` + string(id) + `}`)
	post(text)
	post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getNode","arguments":{"resource_id":"` + "\xff\xfe\u202e" + `"}}}`)
}

// hostileHeaders sends a text in headers and in paths, where HTTP allows it.
func hostileHeaders(c client, text string) {
	if len(text) > 1000 {
		text = text[:1000]
	}
	value := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1 // no client sends it; see hostileBytes
		}
		return r
	}, text)
	for _, name := range []string{
		"X-Request-Id", "Traceparent", "Tracestate", "X-Mcp-Workspace", "X-Mcp-Tools", "X-Mcp-Toolsets", "X-Mcp-Readonly", "Mcp-Session-Id",
		"Mcp-Protocol-Version", "Authorization", "Origin", "User-Agent", "Referer", "X-Forwarded-For", "Accept", "Content-Type", "Last-Event-Id", "Mcp-Method", "Mcp-Name",
	} {
		changed := client{c.runningServer, c.header.Clone(), c.http}
		changed.header[name] = []string{value}
		if name == "Authorization" {
			changed.header[name] = []string{"Bearer " + value}
		}
		changed.send("POST", "/mcp", toolCall("listResources", map[string]any{}))
	}
	escaped := ""
	for _, b := range []byte(text) {
		escaped += fmt.Sprintf("%%%02x", b)
	}
	for _, path := range []string{"/evidence/" + escaped, "/" + escaped, "/evidence/x?key=" + escaped} {
		c.send("GET", path, "")
	}
	c.send("POST", "/mcp?"+escaped, message("ping", nil))
}

// hostileBytes sends bytes that are not HTTP.
func hostileBytes(t *testing.T, address, session string) {
	t.Helper()
	body := message("tools/list", nil)
	for _, head := range []string{
		"\x1b[31m / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nX-Request-Id: a\x1b[31mb\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: \x1b[31m\u202e\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\n\x1b[31m\u202e: x\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nAuthorization: Bearer " + redKey + "\r\nX-Request-Id: \xff\xfe\u202e\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: " + session +
			"\r\nMcp-Protocol-Version: 2025-11-25\r\nConnection: close\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body,
		"\x16\x03\x01\x00\x05\x1b[31m",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, _ = conn.Write([]byte(head))
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}
}

// What must not be in a log.
const (
	secretText  = "gooseberrytext" // is what the sources say
	secretQuery = "kumquatquery"   // is what callers ask for and quote
	secretKey   = "mulberry-key"   // is what they authenticate with
)

// TestSecretsInLogs calls every tool with what is a caller's own matter.
func TestSecretsInLogs(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	var source bytes.Buffer
	for i := range 40 {
		fmt.Fprintf(&source, "# Part %d\n\nThe %s of part %d and its %s are here.\n\n", i+1, secretText, i+1, secretQuery)
	}
	l := startLogged(t, source.String())
	c := l.as(redKey).session()
	var listed struct {
		Tools []struct {
			Name        string
			InputSchema schema
		}
	}
	if err := json.Unmarshal(c.request("tools/list", nil).Result, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Tools) < 13 {
		t.Errorf("%d tools: the test tries too little", len(listed.Tools))
	}
	found := 0
	for _, tool := range listed.Tools {
		required := func() map[string]any {
			arguments := make(map[string]any)
			for _, name := range tool.InputSchema.Required {
				property := tool.InputSchema.Properties[name]
				arguments[name] = asked(property.ordinary(t, name))
			}
			return arguments
		}
		text, _ := c.tool(tool.Name, required())
		if strings.Contains(text, secretText) {
			found++
		}
		for name, property := range tool.InputSchema.Properties {
			if name == "resource_id" {
				continue // which resource a call names is told
			}
			for _, value := range secretsFor(property) {
				arguments := required()
				arguments[name] = value
				c.tool(tool.Name, arguments)
			}
		}
	}
	for _, text := range []string{
		first(c.tool("resolve", map[string]any{"address": "text://rednotes#lines=1-3"})),
		first(c.tool("getContents", map[string]any{"ids": []string{"text://rednotes#lines=1-3"}})),
		first(c.tool("verify", map[string]any{"quote": "The " + secretText + " of part 3", "address": "text://rednotes#lines=1-30"})),
	} {
		if strings.Contains(text, secretText) {
			found++
		}
	}
	if found < 3 {
		t.Errorf("%d answers have what the sources say: the test tries too little", found)
	}
	c.send("GET", c.evidenceLink("text://rednotes#lines=1-3"), "")
	for _, prompt := range []string{"summarize", "answer", "cite"} {
		c.request("prompts/get", map[string]any{"name": prompt, "arguments": map[string]string{"question": secretQuery, "resource_id": secretQuery}})
	}
	for _, token := range []string{"Bearer " + secretKey, "Basic " + secretKey, secretKey, "Bearer " + secretKey + " " + secretKey} {
		denied := l.as("", "Authorization", token)
		denied.send("POST", "/mcp", toolCall("search", map[string]any{"query": secretQuery}))
		denied.send("GET", "/evidence/x?signature="+secretKey, "")
	}
	log, audit, text := l.settled(t)
	for _, kept := range []string{log, audit, text} {
		for _, secret := range []string{secretText, secretQuery, secretKey, redKey} {
			for line := range strings.Lines(kept) {
				if strings.Contains(strings.ToLower(line), secret) {
					t.Errorf("the log has %s: %.500s", secret, line)
				}
			}
		}
	}
	requests := checkLines(t, audit, true)
	for _, tool := range listed.Tools {
		if !slices.ContainsFunc(requests, func(r map[string]any) bool {
			return r["tool"] == tool.Name && r["caller"] == "k-red" && r["workspace"] == "red" && r["outcome"] != "" && r["ms"] != nil
		}) {
			t.Errorf("the audit log does not say who called %s", tool.Name)
		}
	}
	if !slices.ContainsFunc(requests, func(r map[string]any) bool { return r["tool"] == "resolve" && r["resource"] == "rednotes" }) {
		t.Error("the audit log does not say what resolve was for")
	}
}

func first(text string, _ bool) string { return text }

// asked returns what a caller asks for in place of an ordinary text.
func asked(value any) any {
	if list, ok := value.([]any); ok {
		return []any{asked(list[0])}
	}
	if text, ok := value.(string); ok && strings.Contains(text, "scarlet7") {
		return secretQuery + " says"
	}
	return value
}

// secretsFor returns what may be in place of a property.
func secretsFor(s schema) []any {
	texts := []any{secretQuery, `"` + secretQuery + ` and`, "the " + secretText + " of", strings.Repeat(secretQuery+" ", 100), "text://" + "rednotes" + "#" + secretQuery + "=1", "text://rednotes#lines=" + secretQuery}
	switch {
	case s.is("array"):
		var lists []any
		for _, text := range texts {
			lists = append(lists, []any{text})
		}
		return lists
	case s.is("object"):
		return []any{map[string]any{secretQuery: secretQuery}}
	}
	return texts // of another type than is wanted too: a refusal may quote it
}
