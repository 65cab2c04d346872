package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
)

const openAIKey = "sk-secret-4711"

// A openAIServer speaks chat completions. Handle may refuse a request with a status
// and a body; else it is answered.
type openAIServer struct {
	*httptest.Server
	mu       sync.Mutex
	requests []map[string]any
	headers  []http.Header
	paths    []string
	handle   func(request map[string]any) (status int, body string)
}

const openAICompletion = `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-x-2026","choices":[{"index":0,
	"message":{"role":"assistant","content":"{\"nodes\":[]}","refusal":null},"logprobs":null,"finish_reason":"stop"}],
	"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107}}`

func newOpenAIServer(t *testing.T, handle func(request map[string]any) (status int, body string)) *openAIServer {
	s := &openAIServer{handle: handle}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request map[string]any
		_ = json.Unmarshal(body, &request)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, request)
		s.headers = append(s.headers, r.Header)
		s.paths = append(s.paths, r.Method+" "+r.URL.String())
		status, answer := 200, openAICompletion
		if s.handle != nil {
			if code, text := s.handle(request); code != 0 {
				status, answer = code, text
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *openAIServer) model(t *testing.T, edit func(*llm.OpenAIOptions)) *llm.OpenAI {
	t.Helper()
	opts := &llm.OpenAIOptions{Model: "gpt-x", BaseURL: s.URL + "/v1/", RetryDelay: 0.001}
	if edit != nil {
		edit(opts)
	}
	m, err := llm.NewOpenAI(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var openAIRequest = &llm.Request{
	Instructions: "Map it.",
	Parts:        []llm.Part{{Text: "One."}, {Text: "Two."}},
	Schema:       json.RawMessage(`{"type":"object"}`),
	Name:         "map",
}

func TestOpenAIGenerate(t *testing.T) {
	s := newOpenAIServer(t, nil)
	temperature := 0.0
	m := s.model(t, func(o *llm.OpenAIOptions) {
		o.Key, o.MaxOutputTokens, o.Temperature, o.Prices = openAIKey, 500, &temperature, &llm.Prices{Input: 10, Output: 100}
	})
	got, err := m.Generate(t.Context(), openAIRequest)
	if err != nil {
		t.Fatal(err)
	}
	want := &llm.Response{
		Text: `{"nodes":[]}`, Model: "gpt-x-2026",
		Usage: llm.Usage{Requests: 1, InputTokens: 100, OutputTokens: 7, Cost: 0.0017, Priced: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantRequest := map[string]any{
		"model": "gpt-x",
		"messages": []any{
			map[string]any{"role": "system", "content": "Map it."},
			map[string]any{"role": "user", "content": "One.\n\nTwo."},
		},
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": "map", "strict": true, "schema": map[string]any{"type": "object"},
		}},
		"max_tokens": 500.0, "temperature": 0.0,
	}
	if diff := cmp.Diff(wantRequest, s.requests[0]); diff != "" {
		t.Error(diff)
	}
	if s.paths[0] != "POST /v1/chat/completions" || s.headers[0].Get("Authorization") != "Bearer "+openAIKey {
		t.Errorf("%s, %v", s.paths[0], s.headers[0])
	}
	if _, err := s.model(t, nil).Generate(t.Context(), openAIRequest); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.headers[1]["Authorization"]; ok {
		t.Error("a key is sent where there is none")
	}
}

func TestOpenAIImage(t *testing.T) {
	s := newOpenAIServer(t, nil)
	m := s.model(t, nil)
	src := citekit.NewSource(bytes.NewReader([]byte("pixels")), citekit.SourceInfo{Name: "a.png", Size: 6})
	media, err := m.Upload(t.Context(), src, "image/png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), &llm.Request{Parts: []llm.Part{{Media: media}, {Text: "Map it."}}}); err != nil {
		t.Fatal(err)
	}
	want := []any{
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,cGl4ZWxz"}},
		map[string]any{"type": "text", "text": "Map it."},
	}
	if diff := cmp.Diff(want, s.requests[0]["messages"].([]any)[1].(map[string]any)["content"]); diff != "" {
		t.Error(diff)
	}
	if _, ok := s.requests[0]["response_format"]; ok {
		t.Error("a form is asked for without a schema")
	}
	small := s.model(t, func(o *llm.OpenAIOptions) { o.MaxImageBytes = 5 })
	if _, err := small.Upload(t.Context(), src, "image/png"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a picture that is too large: %v", err)
	}
	if m.AcceptsMedia("application/pdf", 6) || s.model(t, func(o *llm.OpenAIOptions) { o.TextOnly = true }).AcceptsMedia("image/png", 6) {
		t.Error("accepts what it does not see")
	}
}

// openAIFormatOf returns what form of answer a request asks for.
func openAIFormatOf(request map[string]any) string {
	format, _ := request["response_format"].(map[string]any)
	kind, _ := format["type"].(string)
	return kind
}

func TestOpenAIDialects(t *testing.T) {
	for _, test := range []struct {
		name   string
		refuse func(request map[string]any) string // a body, or ""
		status int
		want   string // of the last request: format, limit, temperature
		asked  int
	}{
		{"DeepSeek has no schemas", func(r map[string]any) string {
			if openAIFormatOf(r) == "json_schema" {
				return `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`
			}
			return ""
		}, 400, "json_object max_tokens temperature", 2},
		{"a server that knows text alone", func(r map[string]any) string {
			if openAIFormatOf(r) != "" {
				return `{"error":"'response_format.type' must be 'text'"}`
			}
			return ""
		}, 400, " max_tokens temperature", 2},
		{"a server that knows no forms", func(r map[string]any) string {
			if openAIFormatOf(r) != "" {
				return `{"object":"error","message":"response_format: extra fields not permitted","code":400}`
			}
			return ""
		}, 422, " max_tokens temperature", 3},
		{"a reasoning model behind a proxy", func(r map[string]any) string {
			if r["max_tokens"] != nil {
				return `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`
			}
			if r["temperature"] != nil {
				return `{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`
			}
			return ""
		}, 400, "json_schema max_completion_tokens ", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newOpenAIServer(t, func(r map[string]any) (int, string) {
				if body := test.refuse(r); body != "" {
					return test.status, body
				}
				return 0, ""
			})
			temperature := 0.5
			m := s.model(t, func(o *llm.OpenAIOptions) { o.MaxOutputTokens, o.Temperature = 9, &temperature })
			got, err := m.Generate(t.Context(), openAIRequest)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.requests) != test.asked || got.Usage.Requests != test.asked {
				t.Errorf("asked %d times, %+v", len(s.requests), got.Usage)
			}
			last := s.requests[len(s.requests)-1]
			spoken := openAIFormatOf(last) + " "
			for _, name := range []string{"max_tokens", "max_completion_tokens"} {
				if last[name] != nil {
					spoken += name
				}
			}
			spoken += " "
			if last["temperature"] != nil {
				spoken += "temperature"
			}
			if spoken != test.want {
				t.Errorf("spoke %q, want %q", spoken, test.want)
			}
			system := last["messages"].([]any)[0].(map[string]any)["content"].(string)
			if shown := strings.Contains(system, `{"type":"object"}`); shown != (openAIFormatOf(last) != "json_schema") {
				t.Errorf("the schema is shown: %v", shown)
			}
			if _, err := m.Generate(t.Context(), openAIRequest); err != nil || len(s.requests) != test.asked+1 {
				t.Errorf("what was learned is forgotten: %d requests, %v", len(s.requests), err)
			}
		})
	}
}

func TestOpenAIErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   string
		is     error
		asked  int
	}{
		{"refusal", 200, `{"choices":[{"message":{"content":null,"refusal":"I'm sorry."},"finish_reason":"stop"}]}`, "openai: the model refused", llm.ErrRefused, 1},
		{"content filter", 200, `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`, "openai: the model refused (content filter)", llm.ErrRefused, 1},
		{"no choice", 200, `{"choices":[]}`, "openai: the server answers without a choice", nil, 1},
		{"a wrong key", 401, `{"error":{"message":"Incorrect API key provided: sk-secr**4711.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, "openai: the key was not accepted (HTTP 401)", fs.ErrPermission, 1},
		{"no such model", 404, `{"error":{"message":"model 'x' not found","type":"api_error","param":null,"code":null}}`, "openai: model 'x' not found (HTTP 404)", nil, 1},
		{"no money", 429, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, "openai: You exceeded your current quota. (HTTP 429)", nil, 1},
		{"too many requests", 429, `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`, "openai: Rate limit reached (HTTP 429), 4 times", nil, 4},
		{"a context that is too short", 400, `{"error":{"message":"This model's maximum context length is 4096 tokens.","param":"messages","code":"context_length_exceeded"}}`, "openai: This model's maximum context length is 4096 tokens. (messages) (HTTP 400)", nil, 1},
		{"a fault", 500, `oops`, "openai: internal server error (HTTP 500), 4 times", nil, 4},
		{"forms refused for ever", 400, `{"error":"response_format"}`, "openai: response_format (HTTP 400)", nil, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newOpenAIServer(t, func(map[string]any) (int, string) { return test.status, test.body })
			_, err := s.model(t, func(o *llm.OpenAIOptions) { o.Key = openAIKey }).Generate(t.Context(), openAIRequest)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
			if len(s.requests) != test.asked {
				t.Errorf("asked %d times", len(s.requests))
			}
		})
	}
}

func TestOpenAITruncated(t *testing.T) {
	s := newOpenAIServer(t, func(map[string]any) (int, string) {
		return 200, `{"choices":[{"message":{"content":"{\"nodes\":[{"},"finish_reason":"length"}]}`
	})
	got, err := s.model(t, nil).Generate(t.Context(), openAIRequest)
	if err != nil || !got.Truncated || got.Text != `{"nodes":[{` || got.Model != "gpt-x" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestOpenAICancelled(t *testing.T) {
	s := newOpenAIServer(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.model(t, nil).Generate(ctx, openAIRequest); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestOpenAIOptions(t *testing.T) {
	t.Setenv("CITEKIT_TEST_KEY", openAIKey)
	var opts llm.OpenAIOptions
	if err := llm.ParseConfig([]byte(`{"model":"m","base_url":"http://127.0.0.1:1/v1","key_env":"CITEKIT_TEST_KEY","text_only":true,"timeout":3}`), &opts); err != nil {
		t.Fatal(err)
	}
	if _, err := llm.NewOpenAI(&opts); err != nil {
		t.Error(err)
	}
	for name, opts := range map[string]*llm.OpenAIOptions{
		"no options": nil, "no model": {Key: openAIKey}, "base": {Model: "m", BaseURL: "::"},
		"query": {Model: "m", BaseURL: "https://example.com/v1?api-version=1"}, "key": {Model: "m", Key: "sk-1\nsk-2"},
	} {
		if _, err := llm.NewOpenAI(opts); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
