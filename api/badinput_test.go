package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
)

// good are bodies with every field of every operation.
var good = map[string]string{
	"/v1/search": `{"workspaceId": "", "q": "tea", "mode": "auto", "filters": {"sources": ["tea"], "types": ["md"], "authors": ["Ann Leaf"], "labels": ["drinks"], "after": "2000-01-01T00:00:00Z", "before": "2030-01-01T00:00:00Z"},
		"topK": 3, "include": {"document": true, "rationale": true, "highlights": true}, "quality": {"rerank": true}}`,
	"/v1/similar": `{"workspaceId": "", "subject": {"kind": "text", "text": "tea"}, "by": "chunks", "topK": 3,
		"filters": {"sources": ["tea"], "types": ["md"], "authors": ["Ann Leaf"], "labels": ["drinks"], "after": "2000-01-01T00:00:00Z", "before": "2030-01-01T00:00:00Z"}}`,
	"/v1/contents": `{"workspaceId": "", "ids": [{"kind": "document", "id": "tea"}], "expand": {"chunks": true, "graph": {"hops": 1, "include": ["entities"]}}, "includeRaw": true, "maxTokens": 1000}`,
	"/v1/answer": `{"workspaceId": "", "question": "How many cups does a pot hold?", "mode": "hybrid", "answerType": "extractive", "citations": true, "maxTokens": 100, "model": "m",
		"constraints": {"after": "2000-01-01T00:00:00Z", "before": "2030-01-01T00:00:00Z"}, "stream": false, "include": {"rationale": true}}`,
	"/v1/verify":  `{"workspaceId": "", "quote": "A pot holds six cups.", "address": "text://tea", "strict": false}`,
	"/v1/resolve": `{"workspaceId": "", "address": "text://tea#lines=1-2", "mode": "exact"}`,
	"/v1/cite":    `{"workspaceId": "", "address": "tea", "quote": "six cups", "format": "markdown", "pin": true, "url": "", "number": 2}`,
	"/v1/view":    `{"workspaceId": "", "address": "text://tea#lines=1-2", "quote": "Green tea", "cursor": "", "layout": true}`,
	"/v1/ingest":  `{"workspaceId": "", "paths": ["tea.md"]}`,
}

// A place is where a value is in a body: its keys and indexes.
type place []string

func (p place) pointer() string {
	var b strings.Builder
	for _, step := range p {
		b.WriteString("/" + step)
	}
	return b.String()
}

// walk calls at for each value of a body, with what is there, and set, which returns the
// body with another value there, as JSON.
func walk(t *testing.T, body string, at func(p place, value any, set func(raw string) string)) {
	t.Helper()
	var whole any
	if err := json.Unmarshal([]byte(body), &whole); err != nil {
		t.Fatal(err)
	}
	const mark = "\x01"
	var visit func(p place, value any, put func(any))
	visit = func(p place, value any, put func(any)) {
		if len(p) > 0 {
			at(p, value, func(raw string) string {
				put(mark)
				defer put(value)
				data, err := json.Marshal(whole)
				if err != nil {
					t.Fatal(err)
				}
				return strings.Replace(string(data), `"\u0001"`, raw, 1)
			})
		}
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				visit(append(slices.Clone(p), key), value[key], func(v any) { value[key] = v })
			}
		case []any:
			for i := range value {
				visit(append(slices.Clone(p), fmt.Sprint(i)), value[i], func(v any) { value[i] = v })
			}
		}
	}
	visit(nil, whole, nil)
}

// refused fails the test unless a request is answered with a problem of a status that
// names one field, and tells nothing of the files.
func (c client) refused(method, path, body string, status int, pointer string) {
	c.t.Helper()
	got, text := c.send(method, path, body)
	var p api.Problem
	if err := json.Unmarshal([]byte(text), &p); err != nil || got != status || p.Status != status || p.Detail == "" || p.Meta.RequestID == "" {
		c.t.Errorf("%s %.200s: %d %.400s; want %d", path, body, got, text, status)
		return
	}
	if pointer != "-" && (len(p.Errors) == 0 || p.Errors[0].Pointer == nil || *p.Errors[0].Pointer != pointer || p.Errors[0].Detail == "") {
		c.t.Errorf("%s %.200s: %.400s; want the field %q", path, body, text, pointer)
	}
	if strings.Contains(text, "eighty") || strings.Contains(text, "six cups") || len(text) > 4000 {
		c.t.Errorf("%s %.200s: tells %.400s", path, body, text)
	}
}

// TestBadInput puts what is wrong into each field of each operation.
func TestBadInput(t *testing.T) {
	c := serve(t, files, &corpus.Options{AgentsIngest: true})
	schemas := described(t, c)
	const bad = http.StatusBadRequest
	fields := 0
	for path, body := range good {
		if status, text := c.send("POST", path, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		has := make(map[string]bool)
		walk(t, body, func(p place, value any, set func(string) string) {
			fields++
			has[p.pointer()] = true
			wrong := []string{`{"a": 1}`, `[[]]`, `-1.5e3`, `1e999`, `"\ud800"`, `"` + strings.Repeat("é", 103_000) + `"`, strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)}
			switch value.(type) {
			case string:
				wrong = append(wrong, `true`, `12`, `["a"]`)
			case bool:
				wrong = append(wrong, `"true"`, `0`, `"maybe"`)
			case float64:
				wrong = append(wrong, `"3"`, `0.5`, `1000001`, `-1`, `true`)
			case []any:
				wrong = append(wrong, `"tea"`, `[null]`, `[1]`, "["+strings.TrimSuffix(strings.Repeat(`"a",`, 1001), ",")+"]")
			case map[string]any:
				wrong = append(wrong, `"tea"`, `[]`, `{"no/such~key": 1}`)
			}
			for _, raw := range wrong {
				given := set(raw)
				status, text := c.send("POST", path, given)
				if status == http.StatusOK && strings.HasPrefix(raw, `"`) { // a string that a field may have
					continue
				}
				var problem api.Problem
				if err := json.Unmarshal([]byte(text), &problem); err != nil || status >= 500 || status < 400 || len(text) > 4000 {
					t.Errorf("%s with %s %.60s: %d %.300s", path, p.pointer(), raw, status, text)
					continue
				}
				if len(problem.Errors) == 0 || problem.Errors[0].Pointer == nil || problem.Errors[0].Parameter != "" {
					t.Errorf("%s with %s %.60s: %.300s", path, p.pointer(), raw, text)
					continue
				}
				told, deep := *problem.Errors[0].Pointer+"/", strings.HasPrefix(raw, "[[[")
				if !strings.HasPrefix(told, p.pointer()+"/") && told != "/filters/sources/" && !deep || deep && told != "/" {
					t.Errorf("%s with %s %.60s: %.300s", path, p.pointer(), raw, text)
				}
			}
			// Twice, null, and with a name that is nearly right.
			if last := p[len(p)-1]; last[0] > '9' {
				name, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				c.refused("POST", path, strings.Replace(set(string(name)+`, "`+last+`": `+string(name)), "\x01", "", 1), bad, p.pointer())
			}
			status, text := c.send("POST", path, set("null"))
			if status >= 500 || status == bad && !strings.Contains(text, `"pointer":"`+p.pointer()) {
				t.Errorf("%s with %s null: %d %s", path, p.pointer(), status, text)
			}
		})
		// The bodies above leave out no field that the description has.
		for _, pointer := range schemas.pointers(path) {
			if !has[pointer] && pointer != "/subject/id" && pointer != "/text" {
				t.Errorf("%s: the test has no %s", path, pointer)
			}
		}
		c.refused("POST", path, ``, bad, "")
		c.refused("POST", path, `{`, bad, "")
		c.refused("POST", path, `[]`, bad, "")
		c.refused("POST", path, `null`, bad, "")
		c.refused("POST", path, body+`{}`, bad, "")
		c.refused("POST", path, "{\"q\": \"\xff\"}", bad, "")
		c.refused("POST", path, `{"`+strings.Repeat("a", 10<<20)+`": 1}`, http.StatusRequestEntityTooLarge, "-")
		c.refused("PUT", path, body, http.StatusMethodNotAllowed, "-")
		c.refused("POST", path+"?q=1", body, bad, "-")
		below := http.StatusNotFound
		if path == "/v1/view" {
			below = http.StatusMethodNotAllowed // an address, which is shown by GET
		}
		c.refused("POST", path+"/x", body, below, "-")
	}
	if fields < 60 {
		t.Errorf("%d fields: the test tries too little", fields)
	}
}

// TestWrongFields gives what no schema forbids.
func TestWrongFields(t *testing.T) {
	c := serve(t, files, nil)
	for _, one := range []struct {
		path, body string
		status     int
		pointer    string
	}{
		{"/v1/search", `{}`, 400, "/q"},
		{"/v1/search", `{"q": ""}`, 400, "/q"},
		{"/v1/search", `{"q": " \t"}`, 400, "/q"},
		{"/v1/search", `{"q": "a", "Q": "b"}`, 400, "/Q"},
		{"/v1/search", `{"q": "a", "top_k": 3}`, 400, "/top_k"},
		{"/v1/search", `{"q": "a", "topK": 0}`, 400, "/topK"},
		{"/v1/search", `{"q": "a", "topK": 51}`, 400, "/topK"},
		{"/v1/search", `{"q": "a", "filters": {"after": "yesterday"}}`, 400, "/filters/after"},
		{"/v1/search", `{"q": "a", "filters": {"after": "2020-01-01"}}`, 400, "/filters/after"},
		{"/v1/search", `{"q": "a", "filters": {"sources": ["[a"]}}`, 400, "/filters/sources"},
		{"/v1/search", `{"q": "a", "workspaceId": "other"}`, 404, "/workspaceId"},
		{"/v1/similar", `{}`, 400, "/subject"},
		{"/v1/similar", `{"subject": {"kind": "text"}}`, 400, "/subject/text"},
		{"/v1/similar", `{"subject": {"kind": "text", "text": "a", "id": "tea"}}`, 400, "/subject/id"},
		{"/v1/similar", `{"subject": {"kind": "document"}}`, 400, "/subject/id"},
		{"/v1/similar", `{"subject": {"kind": "chunk", "id": "tea"}}`, 400, "/subject/id"},
		{"/v1/similar", `{"subject": {"kind": "chunk", "id": "tea~1-1"}}`, 404, "/subject/id"},
		{"/v1/similar", `{"subject": {"kind": "document", "id": "../../etc/passwd"}}`, 400, "/subject/id"},
		{"/v1/similar", `{"subject": {"kind": "document", "id": "tea", "text": "a"}}`, 400, "/subject/text"},
		{"/v1/contents", `{"ids": []}`, 400, "/ids"},
		{"/v1/contents", `{"ids": [{"kind": "document"}]}`, 400, "/ids/0/id"},
		{"/v1/contents", `{"ids": [{"kind": "document", "id": "tea"}], "expand": {"graph": {"hops": 3}}}`, 400, "/expand/graph/hops"},
		{"/v1/contents", `{"ids": [{"kind": "document", "id": "tea"}], "expand": {"graph": {"include": ["all"]}}}`, 400, "/expand/graph/include/0"},
		{"/v1/contents", `{"ids": [` + strings.TrimSuffix(strings.Repeat(`{"kind": "document", "id": "tea"},`, 101), ",") + `]}`, 400, "/ids"},
		{"/v1/answer", `{"question": ""}`, 400, "/question"},
		{"/v1/answer", `{"question": "?"}`, 400, "/question"},
		{"/v1/answer", `{"question": "a", "maxTokens": 15}`, 400, "/maxTokens"},
		{"/v1/answer", `{"question": "a", "maxTokens": 4097}`, 400, "/maxTokens"},
		{"/v1/verify", `{}`, 400, "/quote"},
		{"/v1/verify", `{"quote": "a", "text": "b"}`, 400, "/text"},
		{"/v1/verify", `{"quote": "a", "address": "nowhere://x"}`, 404, "/address"},
		{"/v1/verify", `{"text": "b", "address": "text://tea"}`, 400, "/address"},
		{"/v1/resolve", `{"address": "text://tea#lines=900-901"}`, 400, "/address"},
		{"/v1/resolve", `{"address": "text://nix"}`, 404, "/address"},
		{"/v1/view", `{}`, 400, "/address"},
		{"/v1/view", `{"address": "text://tea#lines=900"}`, 400, "/address"},
		{"/v1/view", `{"address": "text://nix"}`, 404, "/address"},
		{"/v1/view", `{"address": "text://tea", "quote": "  "}`, 400, "/quote"},
		{"/v1/view", `{"address": "text://tea", "cursor": "x"}`, 400, "/cursor"},
		{"/v1/view", `{"address": "text://tea", "cursor": "a9zz.0123456789ab"}`, 409, "/cursor"},
		{"/v1/ingest", `{"paths": []}`, 400, "/paths"},
		{"/v1/resolve", `{"address": "file:///etc/passwd"}`, 400, "/address"},
	} {
		c.refused("POST", one.path, one.body, one.status, one.pointer)
	}
	for path, status := range map[string]int{
		"/v1/resources?limit=0": 400, "/v1/resources?limit=x": 400, "/v1/resources?limit=5&limit=6": 400, "/v1/resources?page=1": 400, "/v1/resources?limit=%zz": 400,
		"/v1/resources?state=x": 400, "/v1/unmapped?limit=1": 400, "/v1/pictures/nix": 404, "/v1/view/nix": 404, "/v1/view/text:%2F%2Ftea%23lines=900": 400, "/v1/view/tea?quote=%20": 400, "/v1/view/tea?cursor=x": 400, "/v1/pictures/text:%2F%2Ftea?side=9": 400, "/v1/pictures/text:%2F%2Ftea?side=x": 400, "/v1/pictures/text:%2F%2Ftea": 422,
		"/v1/resources?workspaceId=x": 404, "/v1/resources/nix": 404, "/v1/resources/..%2F..%2Fetc": 400, "/v1/info?x=1": 400, "/v1/": 404, "/v1/nothing": 404,
		"/v1/evidence/nix": 404, "/v1/evidence/text:%2F%2Ftea%23lines=99": 400, "/v1/evidence/text:%2F%2Ftea?mode=fast": 400, "/v1/evidence/text:%2F%2Ftea?size=1": 400, "/v1/evidence/%ff": 400, "/v1/evidence/text://tea": 400, "/v1/pictures/text://tea?size=1": 400,
	} {
		c.refused("GET", path, "", status, "-")
		if _, text := c.send("GET", path, ""); strings.Contains(path, "?") && !strings.Contains(path, "%zz") && !strings.Contains(text, `"parameter":"`) {
			t.Errorf("%s: names no parameter: %s", path, text)
		}
	}
	if status, text := c.send("POST", "/v1/search", `{"q": "tea", "highlight": true}`); status != 400 || !strings.Contains(text, "there are") {
		t.Errorf("no key is like it: %s", text)
	}
	if _, text := c.send("POST", "/v1/search", `{"q": "tea", "top_k": 3}`); !strings.Contains(text, "did you mean topK?") {
		t.Errorf("a key is like it: %s", text)
	}
	res, err := http.Post(c.url+"/v1/search", "application/x-www-form-urlencoded", strings.NewReader(`{"q": "tea"}`))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("no JSON: %d", res.StatusCode)
	}
}

// A description is what the JSON interface says of itself.
type description struct {
	OpenAPI string
	Paths   map[string]map[string]struct {
		Security    any
		RequestBody struct {
			Content map[string]struct{ Schema json.RawMessage }
		}
		Responses map[string]struct {
			Content map[string]struct{ Schema any }
		}
	}
	Components struct {
		Schemas         map[string]schema
		SecuritySchemes map[string]huma.SecurityScheme
	}
}

type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	Items      *schema
}

func described(t *testing.T, c client) *description {
	t.Helper()
	status, text := c.send("GET", "/v1/openapi.json", "")
	d := new(description)
	if err := json.Unmarshal([]byte(text), d); err != nil || status != http.StatusOK {
		t.Fatal(err, status)
	}
	return d
}

// pointers returns where the body of an operation may have values.
func (d *description) pointers(path string) (all []string) {
	var s schema
	if json.Unmarshal(d.Paths[path]["post"].RequestBody.Content["application/json"].Schema, &s) != nil {
		return nil
	}
	var visit func(s schema, at string)
	visit = func(s schema, at string) {
		if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
			s = d.Components.Schemas[name]
		}
		if at != "" {
			all = append(all, at)
		}
		for name, property := range s.Properties {
			visit(property, at+"/"+name)
		}
		if s.Items != nil {
			visit(*s.Items, at+"/0")
		}
	}
	visit(s, "")
	return all
}

// TestDescription checks that all operations and their answers are described.
func TestDescription(t *testing.T) {
	d := described(t, serve(t, files, nil))
	if !strings.HasPrefix(d.OpenAPI, "3.1") || d.Components.SecuritySchemes["key"].Scheme != "bearer" {
		t.Errorf("%s %v", d.OpenAPI, d.Components.SecuritySchemes)
	}
	var operations []string
	for path, methods := range d.Paths {
		for method, op := range methods {
			operations = append(operations, method+" "+path)
			ok := "200"
			if method == "put" {
				ok = "201"
			}
			for _, status := range []string{ok, "400", "401", "403", "404", "409", "422", "429", "500", "503", "504"} {
				if r, ok := op.Responses[status]; !ok || status > "300" && r.Content["application/problem+json"].Schema == nil {
					t.Errorf("%s %s has no %s", method, path, status)
				}
			}
			if op.Responses[ok].Content == nil {
				t.Errorf("%s %s: its answer is not described", method, path)
			}
		}
	}
	for _, one := range []string{
		"post /v1/search", "post /v1/similar", "post /v1/contents", "post /v1/answer", "post /v1/verify", "post /v1/cite", "post /v1/resolve",
		"get /v1/resources", "get /v1/resources/{id}", "get /v1/evidence/{address}", "get /v1/info", "get /v1/openapi.json",
		"post /v1/view", "get /v1/view/{address}", "get /v1/pictures/{address}", "put /v1/files/{path}", "post /v1/ingest", "get /v1/unmapped",
	} {
		if !slices.Contains(operations, one) {
			t.Errorf("%s is not described: %v", one, operations)
		}
	}
	if d.Paths["/v1/answer"]["post"].Responses["200"].Content["text/event-stream"].Schema == nil {
		t.Error("the events are not described")
	}
	for _, name := range []string{"Problem", "FieldError", "CallMeta", "Start", "Token", "Citation", "End", "SearchRequest", "Filters"} {
		if _, ok := d.Components.Schemas[name]; !ok {
			t.Errorf("no schema %s", name)
		}
	}
}
