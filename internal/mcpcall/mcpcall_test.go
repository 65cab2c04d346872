package mcpcall

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
)

// TestCaller has what a request over HTTP tells of its caller.
func TestCaller(t *testing.T) {
	if CallerOf(nil) != nil || CallerOf(new(mcp.RequestExtra)) != nil || CallerFrom(WithCaller(t.Context(), nil)) != nil {
		t.Error("a caller of a call that did not come over HTTP")
	}
	grant := &access.Grant{ID: "ada", Expires: time.Unix(1, 0)}
	header := http.Header{}
	header.Set(VersionHeader, "2025-06-18")
	header[BaseHeader] = []string{"http://cite.example"}
	extra := &mcp.RequestExtra{Header: header, TokenInfo: Identify(grant, "papers")}
	c := CallerFrom(WithCaller(t.Context(), CallerOf(extra)))
	if got, workspace := GrantOf(c.Info); got != grant || workspace != "papers" || !IsIdentified(c.Info) {
		t.Errorf("the grant is %v, in %q", got, workspace)
	}
	if c.Base != "http://cite.example" || c.User != "ada@papers" || c.Holder() != HolderOfGrant("ada") || !c.TakesLinks() {
		t.Errorf("the caller is %+v, holder %q", c, c.Holder())
	}
	other := CallerOf(&mcp.RequestExtra{Header: http.Header{}, TokenInfo: &auth.TokenInfo{UserID: "bob"}})
	if other.Holder() != "user bob" || other.TakesLinks() || IsIdentified(other.Info) {
		t.Errorf("the caller is %+v, holder %q", other, other.Holder())
	}
	req := &mcp.CallToolRequest{Params: new(mcp.CallToolParamsRaw)}
	if ExtraOf(t.Context(), req) != nil || ExtraOf(WithExtra(t.Context(), extra), req) != extra {
		t.Error("the extra of a session over HTTP+SSE is not that of the request that began it")
	}
	if HolderIn(t.Context()) != "" || HolderIn(WithHolder(t.Context(), "ada")) != "ada" {
		t.Error("the holder of a context is not the one that it was given")
	}
	for version, want := range map[string]bool{"2025-11-25": false, "2026-07-28": true, "": false} {
		if IsStateless(version) != want {
			t.Errorf("version %q is stateless: %t", version, !want)
		}
	}
}

// TestDescribe shows that answers and errors have the id of their request.
func TestDescribe(t *testing.T) {
	call := func(id string, result mcp.Result, err error) (mcp.Result, string, error) {
		seen := ""
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: mcp.Meta{MetaRequestID: id}}}
		adapt := func(r mcp.Result) mcp.Result { return r }
		result, err = Describe(func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) {
			seen = RequestID(ctx)
			return result, err
		})(WithAdapter(t.Context(), adapt), "tools/call", req)
		return result, seen, err
	}
	result, seen, err := call("mine-1", new(mcp.CallToolResult), nil)
	if err != nil || seen != "mine-1" || result.GetMeta()[MetaRequestID] != "mine-1" || result.GetMeta()[metaTiming] == nil {
		t.Errorf("%v, %q, %v", result.GetMeta(), seen, err)
	}
	for _, given := range []mcp.Result{new(mcp.ReadResourceResult), new(mcp.GetPromptResult), new(mcp.CompleteResult)} {
		result, _, err := call("mine-3", given, nil)
		if err != nil || result.GetMeta()[MetaRequestID] != "mine-3" || given.GetMeta() != nil {
			t.Errorf("%T: %v, given %v, %v", given, result.GetMeta(), given.GetMeta(), err)
		}
	}
	for _, id := range []string{"", "a b", "ä", strings.Repeat("x", maxRequestID+1)} {
		if _, seen, _ := call(id, new(mcp.CallToolResult), nil); seen == id || !ValidRequestID(seen) {
			t.Errorf("the id %q became %q", id, seen)
		}
	}
	_, _, err = call("mine-2", nil, &jsonrpc.Error{Code: 7, Message: "no"})
	if coded, ok := err.(*jsonrpc.Error); !ok || !strings.Contains(string(coded.Data), `"requestId":"mine-2"`) {
		t.Errorf("the error is %#v", err)
	}
}

// TestRecover shows that a panic becomes an error that says nothing of it.
func TestRecover(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	next := Recover(logger, func(tool string) mcp.Result {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: tool + " failed"}}}
	})(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("a secret\n") })
	result, err := next(t.Context(), "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "resolve"}})
	if text, _ := json.Marshal(result); err != nil || !strings.Contains(string(text), "resolve failed") || strings.Contains(string(text), "secret") {
		t.Errorf("%s, %v", text, err)
	}
	if !strings.Contains(log.String(), "a secret") || !strings.Contains(log.String(), "method=tools/call") {
		t.Errorf("the log: %s", log.String())
	}
}

func TestAnnounce(t *testing.T) {
	var told []string
	ctx := Announcing(t.Context(), func(message string) { told = append(told, message) })
	Announce(ctx, "warming\x1b up")
	Announce(t.Context(), "to nobody")
	if len(told) != 1 || strings.Contains(told[0], "\x1b") {
		t.Errorf("announced: %q", told)
	}
	req := &mcp.CallToolRequest{Params: new(mcp.CallToolParamsRaw)} // which asks for no progress
	same, done := ReportProgress(ctx, req, time.Hour, "searching")
	done()
	NotifierFor(ctx, req)(1, 2, "unheard")
	if same != ctx || len(told) != 1 {
		t.Errorf("announced: %q", told)
	}
}

// TestServedType shows that no evidence is served as what a browser may run.
func TestServedType(t *testing.T) {
	for given, want := range map[[2]string]string{
		{"text/html; charset=utf-8"}:       "text/plain map[charset:utf-8]",
		{"text/plain", "shift_jis"}:        "text/plain map[charset:shift_jis]",
		{"application/pdf; charset=utf-8"}: "application/pdf map[]",
		{"application/javascript"}:         "text/plain map[]",
		{"no media type"}:                  "application/octet-stream map[]",
	} {
		stored := new(citekit.StoredEvidence)
		stored.MediaType, stored.Charset = given[0], given[1]
		kind, parameters := ServedType(stored)
		if got := fmt.Sprint(kind, " ", parameters); got != want {
			t.Errorf("%q: %s; want %s", given, got, want)
		}
	}
}

// TestForForeign shows that what others log is escaped, and at level debug.
func TestForForeign(t *testing.T) {
	var log bytes.Buffer
	foreign := ForForeign(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	foreign.With("from", "a\x1bb").WithGroup("group").Error("two\nlines", "what", "c\x1bd", "n", 1)
	if text := log.String(); !strings.Contains(text, "level=DEBUG") || strings.ContainsAny(strings.TrimSuffix(text, "\n"), "\x1b\n") || strings.Contains(text, `\x1b`) || !strings.Contains(text, "group.n=1") {
		t.Errorf("the log: %s", text)
	}
	if KnownMethod("tools/call") != "tools/call" || KnownMethod("made/up") != Other || !IsNotification("notifications/x") || IsNotification("notifications/") {
		t.Error("methods")
	}
}
