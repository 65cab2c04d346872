package llm_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mapper/llm"
)

const geminiKey = "AIza-secret-4711"

// A geminiServer speaks those parts of the Gemini API that the client uses, and
// fails the test where a request breaks the rules of the API.
type geminiServer struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	files    map[string]*geminiStored // by name
	sessions map[string]string        // names, by session
	prompts  []map[string]any
	log      []string

	// before, if not nil, may answer a request itself.
	before func(w http.ResponseWriter, r *http.Request, what string) bool
	states []string // of a file, at each look; then ACTIVE
	answer string   // to generateContent
}

type geminiStored struct {
	name, mimeType string
	size           int
	data           []byte
	done           bool
}

func newGeminiServer(t *testing.T) *geminiServer {
	s := &geminiServer{t: t, files: make(map[string]*geminiStored), sessions: make(map[string]string), answer: geminiSaid(`{"title":null,"nodes":[]}`)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// geminiSaid is an answer of generateContent.
func geminiSaid(text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":%s}],"role":"model"},"finishReason":"STOP","index":0}],
		"usageMetadata":{"promptTokenCount":1000,"candidatesTokenCount":50,"totalTokenCount":1070,"thoughtsTokenCount":20},
		"modelVersion":"gemini-3.8-flash","responseId":"r"}`, quoted)
}

func (s *geminiServer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(r.URL.String(), geminiKey) {
		s.t.Errorf("the key is in the URL of %s", r.URL.Path)
	}
	what := r.Method + " " + r.URL.Path
	session := strings.HasPrefix(r.URL.Path, "/session/")
	if command := r.Header.Get("X-Goog-Upload-Command"); session {
		what = command
	}
	s.log = append(s.log, what)
	if s.before != nil && s.before(w, r, what) {
		return
	}
	if got := r.Header.Get("X-Goog-Api-Key"); session && got != "" || !session && got != geminiKey {
		failGemini(w, 400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	switch name := strings.TrimPrefix(r.URL.Path, "/v1beta/"); {
	case session:
		s.session(w, r, body)
	case what == "POST /upload/v1beta/files":
		s.start(w, r, body)
	case strings.HasSuffix(r.URL.Path, ":generateContent"):
		var prompt map[string]any
		_ = json.Unmarshal(body, &prompt)
		s.prompts = append(s.prompts, prompt)
		fmt.Fprint(w, s.answer)
	case s.files[name] == nil || !s.files[name].done:
		failGemini(w, 403, `{"error":{"code":403,"message":"You do not have permission to access the File or it may not exist.","status":"PERMISSION_DENIED"}}`)
	case r.Method == http.MethodGet:
		fmt.Fprint(w, s.describe(s.files[name]))
	case r.Method == http.MethodDelete:
		delete(s.files, name)
		fmt.Fprint(w, "{}")
	}
}

func failGemini(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	fmt.Fprint(w, body)
}

func (s *geminiServer) start(w http.ResponseWriter, r *http.Request, body []byte) {
	var meta struct {
		File struct{ Name, DisplayName string }
	}
	_ = json.Unmarshal(body, &meta)
	size, err := strconv.Atoi(r.Header.Get("X-Goog-Upload-Header-Content-Length"))
	if r.Header.Get("X-Goog-Upload-Protocol") != "resumable" || r.Header.Get("X-Goog-Upload-Command") != "start" || err != nil {
		failGemini(w, 400, `{"error":{"message":"no start of an upload"}}`)
		return
	}
	id := strings.TrimPrefix(meta.File.Name, "files/")
	if id == meta.File.Name || len(id) > 40 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || meta.File.DisplayName != "source" {
		failGemini(w, 400, `{"error":{"message":"no name of a file"}}`)
		return
	}
	s.files[meta.File.Name] = &geminiStored{name: meta.File.Name, size: size, mimeType: r.Header.Get("X-Goog-Upload-Header-Content-Type")}
	s.sessions["/session/1"] = meta.File.Name
	w.Header().Set("X-Goog-Upload-URL", s.URL+"/session/1?upload_id=secret")
	w.Header().Set("X-Goog-Upload-Status", "active")
}

func (s *geminiServer) session(w http.ResponseWriter, r *http.Request, body []byte) {
	f := s.files[s.sessions[r.URL.Path]]
	command := r.Header.Get("X-Goog-Upload-Command")
	if command == "query" {
		status := "active"
		if f.done {
			status = "final"
		}
		w.Header().Set("X-Goog-Upload-Status", status)
		w.Header().Set("X-Goog-Upload-Size-Received", strconv.Itoa(len(f.data)))
		return
	}
	if offset := r.Header.Get("X-Goog-Upload-Offset"); offset != strconv.Itoa(len(f.data)) {
		failGemini(w, 400, `{"error":{"message":"wrong offset"}}`)
		return
	}
	f.data = append(f.data, body...)
	w.Header().Set("X-Goog-Upload-Status", "active")
	if strings.Contains(command, "finalize") {
		f.done = len(f.data) == f.size
		w.Header().Set("X-Goog-Upload-Status", "final")
		fmt.Fprintf(w, `{"file":%s}`, s.describe(f))
	}
}

func (s *geminiServer) describe(f *geminiStored) string {
	state := "ACTIVE"
	if len(s.states) > 0 {
		state, s.states = s.states[0], s.states[1:]
	}
	return fmt.Sprintf(`{"name":%q,"mimeType":%q,"sizeBytes":"%d","uri":"%s/v1beta/%s","state":%q,"source":"UPLOADED"}`, f.name, f.mimeType, f.size, s.URL, f.name, state)
}

// count returns how many requests of a kind there were.
func (s *geminiServer) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, entry := range s.log {
		if strings.HasPrefix(entry, what) {
			n++
		}
	}
	return n
}

func (s *geminiServer) left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.files))
}

func (s *geminiServer) model(edit func(*llm.GeminiOptions)) *llm.Gemini {
	opts := &llm.GeminiOptions{Key: geminiKey, BaseURL: s.URL, RetryDelay: 0.001, InlineBytes: -1}
	if edit != nil {
		edit(opts)
	}
	m, err := llm.NewGemini(opts)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// geminiFilm is a source of n bytes. No two of its blocks are alike.
func geminiFilm(n int) (*citekit.Source, []byte) {
	data := make([]byte, n)
	for i := 0; i+8 <= n; i += 4096 {
		binary.LittleEndian.PutUint64(data[i:], uint64(i))
	}
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "secret name.mp4", Size: int64(n)}), data
}

func geminiRequest(media *llm.Media) *llm.Request {
	return &llm.Request{Instructions: "Map it.", Parts: []llm.Part{{Media: media}, {Text: "Now."}}, Schema: llm.Schema(citekit.Video), Name: "map"}
}

func TestGeminiGenerate(t *testing.T) {
	s := newGeminiServer(t)
	temperature := 0.5
	m := s.model(func(o *llm.GeminiOptions) {
		o.MaxOutputTokens, o.Temperature, o.InlineBytes, o.Prices = 5000, &temperature, 0, &llm.Prices{Input: 1, Output: 10}
	})
	src, data := geminiFilm(1000)
	media, err := m.Upload(t.Context(), src, "video/mp4")
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Generate(t.Context(), geminiRequest(media))
	if err != nil {
		t.Fatal(err)
	}
	want := &llm.Response{
		Text: `{"title":null,"nodes":[]}`, Model: "gemini-3.8-flash",
		Usage: llm.Usage{Requests: 1, InputTokens: 1000, OutputTokens: 70, Cost: 0.0017, Priced: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var schema any
	_ = json.Unmarshal(llm.Schema(citekit.Video), &schema)
	encoded, _ := json.Marshal(data)
	wantPrompt := map[string]any{
		"systemInstruction": map[string]any{"parts": []any{map[string]any{"text": "Map it."}}},
		"contents": []any{map[string]any{"role": "user", "parts": []any{
			map[string]any{"inlineData": map[string]any{"mimeType": "video/mp4", "data": strings.Trim(string(encoded), `"`)}},
			map[string]any{"text": "Now."},
		}}},
		"generationConfig": map[string]any{
			"responseMimeType": "application/json", "responseJsonSchema": schema, "maxOutputTokens": 5000.0, "temperature": 0.5,
		},
	}
	if diff := cmp.Diff(wantPrompt, s.prompts[0]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"POST /v1beta/models/gemini-flash-latest:generateContent"}, s.log); diff != "" {
		t.Error(diff)
	}
}

func TestGeminiUpload(t *testing.T) {
	s := newGeminiServer(t)
	s.states = []string{"PROCESSING", "PROCESSING"}
	m := s.model(nil)
	src, data := geminiFilm(20 << 20)
	media, err := m.Upload(t.Context(), src, "video/mp4")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.files {
		if !bytes.Equal(f.data, data) || f.mimeType != "video/mp4" {
			t.Errorf("%d bytes of %s arrived", len(f.data), f.mimeType)
		}
	}
	if _, err := m.Generate(t.Context(), geminiRequest(media)); err != nil {
		t.Fatal(err)
	}
	file := s.prompts[0]["contents"].([]any)[0].(map[string]any)["parts"].([]any)[0]
	if diff := cmp.Diff(map[string]any{"fileData": map[string]any{"mimeType": "video/mp4", "fileUri": media.URI}}, file); diff != "" {
		t.Error(diff)
	}
	if err := media.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	if media.Usage.Requests != 6 || media.Usage.Retries != 0 || s.count("upload") != 3 {
		t.Errorf("%+v, %q", media.Usage, s.log)
	}
}

func TestGeminiUploadInterrupted(t *testing.T) {
	sharedtest.Once(t)
	drop := func(w http.ResponseWriter) bool {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
		return true
	}
	for _, test := range []struct {
		name   string
		before func(s *geminiServer) func(w http.ResponseWriter, r *http.Request, what string) bool
	}{
		{"a chunk is lost", func(s *geminiServer) func(http.ResponseWriter, *http.Request, string) bool {
			lost := false
			return func(w http.ResponseWriter, r *http.Request, what string) bool {
				if what != "upload" || r.Header.Get("X-Goog-Upload-Offset") == "0" || lost {
					return false
				}
				lost = true
				return drop(w)
			}
		}},
		{"half of a chunk arrives", func(s *geminiServer) func(http.ResponseWriter, *http.Request, string) bool {
			lost := false
			return func(w http.ResponseWriter, r *http.Request, what string) bool {
				if what != "upload" || lost {
					return false
				}
				lost = true
				_, data := geminiFilm(20 << 20)
				s.files[s.sessions[r.URL.Path]].data = data[:4<<20]
				return drop(w)
			}
		}},
		{"the last answer is lost", func(s *geminiServer) func(http.ResponseWriter, *http.Request, string) bool {
			return func(w http.ResponseWriter, r *http.Request, what string) bool {
				if what != "upload, finalize" {
					return false
				}
				f := s.files[s.sessions[r.URL.Path]]
				_, f.data = geminiFilm(20 << 20)
				f.done = true
				return drop(w)
			}
		}},
		{"the server fails", func(s *geminiServer) func(http.ResponseWriter, *http.Request, string) bool {
			n := 0
			return func(w http.ResponseWriter, r *http.Request, what string) bool {
				n++
				if n%3 != 1 {
					return false
				}
				failGemini(w, 503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`)
				return true
			}
		}},
		{"only the end of the last request is lost", func(s *geminiServer) func(http.ResponseWriter, *http.Request, string) bool {
			return func(w http.ResponseWriter, r *http.Request, what string) bool {
				f := s.files[s.sessions[r.URL.Path]]
				if what != "upload, finalize" || len(f.data) == 20<<20 {
					return false
				}
				_, f.data = geminiFilm(20 << 20)
				return drop(w)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newGeminiServer(t)
			s.before = test.before(s)
			src, data := geminiFilm(20 << 20)
			media, err := s.model(nil).Upload(t.Context(), src, "video/mp4")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range s.files {
				if !bytes.Equal(f.data, data) {
					t.Errorf("%d bytes arrived", len(f.data))
				}
			}
			if err := media.Release(t.Context()); err != nil || len(s.left()) != 0 {
				t.Errorf("%v, left: %q", err, s.left())
			}
			if media.Usage.Retries == 0 {
				t.Error("no retries are told")
			}
		})
	}
}

// TestGeminiUploadThatStartsOver has a server that takes a chunk, fails at the next,
// and has nothing then.
func TestGeminiUploadThatStartsOver(t *testing.T) {
	s := newGeminiServer(t)
	s.before = func(w http.ResponseWriter, r *http.Request, what string) bool {
		switch {
		case what == "query":
			s.files[s.sessions[r.URL.Path]].data = nil
		case what == "upload" && r.Header.Get("X-Goog-Upload-Offset") != "0":
			failGemini(w, 503, `{}`)
			return true
		}
		if len(s.log) > 100 {
			failGemini(w, 400, `{"error":{"message":"no end"}}`)
			return true
		}
		return false
	}
	src, _ := geminiFilm(20 << 20)
	_, err := s.model(nil).Upload(t.Context(), src, "video/mp4")
	if err == nil || err.Error() != "gemini: upload: the server does not tell how much it has" {
		t.Errorf("error %v after %d requests", err, len(s.log))
	}
}

// TestGeminiDeleteTwice loses the answer to the first request to delete a file.
func TestGeminiDeleteTwice(t *testing.T) {
	s := newGeminiServer(t)
	src, _ := geminiFilm(1000)
	media, err := s.model(nil).Upload(t.Context(), src, "video/mp4")
	if err != nil {
		t.Fatal(err)
	}
	s.before = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		if len(s.files) == 0 {
			return false
		}
		clear(s.files)
		failGemini(w, 503, `{}`)
		return true
	}
	if err := media.Release(t.Context()); err != nil || s.count("DELETE") != 2 {
		t.Errorf("%v, %q", err, s.log)
	}
}

func TestGeminiUploadFails(t *testing.T) {
	for _, test := range []struct {
		name   string
		set    func(s *geminiServer)
		want   string
		is     error
		delete bool
	}{
		{"processing", func(s *geminiServer) { s.states = []string{"PROCESSING", "FAILED"} },
			"gemini: upload: the file could not be processed: source cannot be read", citekit.ErrFormat, true},
		{"never ready", func(s *geminiServer) { s.states = slices.Repeat([]string{"PROCESSING"}, 100_000) },
			"gemini: upload: the file was still being processed after 50ms: context deadline exceeded", context.DeadlineExceeded, true},
		{"every chunk", func(s *geminiServer) {
			s.before = func(w http.ResponseWriter, _ *http.Request, what string) bool {
				if strings.HasPrefix(what, "upload") {
					failGemini(w, 500, `{"error":{"code":500,"message":"Internal error encountered.","status":"INTERNAL"}}`)
				}
				return strings.HasPrefix(what, "upload")
			}
		}, "gemini: upload: Internal error encountered. (HTTP 500)", nil, true},
		{"no place to upload to", func(s *geminiServer) {
			s.before = func(w http.ResponseWriter, _ *http.Request, what string) bool {
				return strings.HasPrefix(what, "POST /upload")
			}
		}, "gemini: upload: the server gives no place to upload to", nil, true},
		{"quota", func(s *geminiServer) {
			s.before = func(w http.ResponseWriter, _ *http.Request, what string) bool {
				failGemini(w, 429, `{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7200s"}]}}`)
				return true
			}
		}, "gemini: upload: Quota exceeded (HTTP 429); try again in 2h0m0s", nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newGeminiServer(t)
			test.set(s)
			src, _ := geminiFilm(1000)
			_, err := s.model(func(o *llm.GeminiOptions) { o.ProcessTimeout = 0.05 }).Upload(t.Context(), src, "video/mp4")
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
			if test.delete != (s.count("DELETE /v1beta/files/citekit-") > 0) {
				t.Errorf("requests %q", s.log)
			}
		})
	}
}

func TestGeminiUploadCancelledIsDeleted(t *testing.T) {
	s := newGeminiServer(t)
	s.states = slices.Repeat([]string{"PROCESSING"}, 100_000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.before = func(_ http.ResponseWriter, _ *http.Request, what string) bool {
		if strings.HasPrefix(what, "GET ") {
			cancel()
		}
		return false
	}
	src, _ := geminiFilm(1000)
	if _, err := s.model(nil).Upload(ctx, src, "video/mp4"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestGeminiDeleteFails(t *testing.T) {
	s := newGeminiServer(t)
	src, _ := geminiFilm(1000)
	m := s.model(func(o *llm.GeminiOptions) { o.Retries = 1 })
	media, err := m.Upload(t.Context(), src, "video/mp4")
	if err != nil {
		t.Fatal(err)
	}
	s.before = func(w http.ResponseWriter, _ *http.Request, what string) bool {
		failGemini(w, 503, `{}`)
		return true
	}
	if err := media.Release(t.Context()); err == nil || s.count("DELETE") != 2 {
		t.Errorf("%v, %q", err, s.log)
	}
}

func TestGeminiGenerateErrors(t *testing.T) {
	for _, test := range []struct {
		name, answer, want string
		status             int
		is                 error
		asked              int
	}{
		{"the prompt is blocked", `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":5}}`, "gemini: the model refused (prohibited content)", 200, llm.ErrRefused, 1},
		{"the answer is blocked", `{"candidates":[{"finishReason":"SAFETY","index":0}]}`, "gemini: the model refused (safety)", 200, llm.ErrRefused, 1},
		{"recitation", `{"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"RECITATION"}]}`, "gemini: the model refused (recitation)", 200, llm.ErrRefused, 1},
		{"no reason", `{}`, "gemini: the model refused (no reason given)", 200, llm.ErrRefused, 1},
		{"a key that is none", `{"error":{"code":400,"message":"API key not valid: ` + geminiKey + `","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, "gemini: the key was not accepted (HTTP 400)", 400, fs.ErrPermission, 1},
		{"a key without rights", `{"error":{"code":403,"message":"Method doesn't allow unregistered callers","status":"PERMISSION_DENIED"}}`, "gemini: Method doesn't allow unregistered callers (HTTP 403)", 403, fs.ErrPermission, 1},
		{"no such model", `{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}`, "gemini: models/x is not found (HTTP 404)", 404, nil, 1},
		{"overloaded", `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, "gemini: The model is overloaded. (HTTP 503), 4 times", 503, nil, 4},
		{"a broken answer", `{"candidates":[`, "gemini: the server answers JSON that is broken, 4 times", 200, nil, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newGeminiServer(t)
			s.before = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
				failGemini(w, test.status, test.answer)
				return true
			}
			response, err := s.model(nil).Generate(t.Context(), geminiRequest(&llm.Media{Data: []byte("x")}))
			if err == nil {
				t.Fatal("no error")
			}
			if refused := errors.Is(err, llm.ErrRefused); refused != (response != nil) || refused && response.Usage.Requests != 1 {
				t.Errorf("response %+v", response)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
			if n := s.count("POST"); n != test.asked {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestGeminiTruncated(t *testing.T) {
	s := newGeminiServer(t)
	s.answer = `{"candidates":[{"content":{"parts":[{"text":"{\"nodes\":[{"}]},"finishReason":"MAX_TOKENS"}]}`
	got, err := s.model(nil).Generate(t.Context(), geminiRequest(&llm.Media{Data: []byte("x")}))
	if err != nil || !got.Truncated || got.Text != `{"nodes":[{` || got.Model != llm.DefaultGeminiModel {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestGeminiOptions(t *testing.T) {
	t.Setenv("CITEKIT_TEST_KEY", geminiKey)
	var opts llm.GeminiOptions
	if err := llm.ParseConfig([]byte(`{"model":"models/gemini-x","base_url":"http://127.0.0.1:1/","key_env":"CITEKIT_TEST_KEY","timeout":2,"retries":-1,"prices":{"input":1,"output":2}}`), &opts); err != nil {
		t.Fatal(err)
	}
	if _, err := llm.NewGemini(&opts); err != nil {
		t.Error(err)
	}
	if err := llm.ParseConfig([]byte(`{"key":"x"}`), &opts); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a key in the configuration: %v", err)
	}
	for name, opts := range map[string]*llm.GeminiOptions{
		"no options": nil, "no key": {}, "no such variable": {KeyEnv: "CITEKIT_TEST_NONE"},
		"base": {Key: geminiKey, BaseURL: "not a url"}, "scheme": {Key: geminiKey, BaseURL: "file:///x"},
	} {
		if _, err := llm.NewGemini(opts); !errors.Is(err, citekit.ErrSyntax) || strings.Contains(err.Error(), geminiKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, _ := llm.NewGemini(&llm.GeminiOptions{Key: geminiKey})
	for mediaType, want := range map[string]bool{"application/pdf": true, "video/mp4": true, "text/plain": false, "": false} {
		if m.AcceptsMedia(mediaType, 10) != want {
			t.Errorf("accepts %q: %v", mediaType, !want)
		}
	}
	if m.AcceptsMedia("application/pdf", 51<<20) || m.AcceptsMedia("video/mp4", 3<<30) {
		t.Error("accepts what is too large")
	}
}

// geminiFilmed resolves two minutes of film.
type geminiFilmed struct{ citekit.Resolver }

func (geminiFilmed) Measure(context.Context, *citekit.Source) (citekit.Extent, error) {
	return citekit.Extent{Modality: citekit.Video, Duration: 120, MediaType: "video/mp4"}, nil
}

func TestGeminiMapLeavesNothingBehind(t *testing.T) {
	for _, test := range []struct {
		name, answer string
		is           error
	}{
		{"a map", geminiSaid(`{"title":"Film","nodes":[{"level":1,"title":"A","type":"chapter","start":0,"end":60,"summary":null}]}`), nil},
		{"places that are none", geminiSaid(`{"title":"Film","nodes":[{"level":1,"title":"A","type":"chapter","start":0,"end":600,"summary":null}]}`), llm.ErrAnswer},
		{"refused", `{"candidates":[{"finishReason":"SAFETY"}]}`, llm.ErrRefused},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newGeminiServer(t)
			s.answer = test.answer
			mapper := llm.New(s.model(nil), citekit.Resolvers{citekit.Video: geminiFilmed{}}, nil)
			src, _ := geminiFilm(1000)
			got, err := mapper.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Video})
			if !errors.Is(err, test.is) {
				t.Errorf("%v, %v", got, err)
			}
			if left := s.left(); len(left) != 0 {
				t.Errorf("left: %q", left)
			}
			if n := s.count("POST /upload"); n != 1 {
				t.Errorf("uploaded %d times", n)
			}
		})
	}
}
