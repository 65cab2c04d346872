package api_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

var teaAndMilk = map[string]string{"tea.md": tea, "milk.md": "# Milk\n\nMilk is for black tea.\n", "dot.png": dot()}

// dot returns a picture.
func dot() string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 4))); err != nil {
		panic(err)
	}
	return b.String()
}

// A valueSchema is a part of the description that requests are made from.
type valueSchema struct {
	Ref        string                  `json:"$ref"`
	Type       any                     `json:"type"`
	Enum       []any                   `json:"enum"`
	Format     string                  `json:"format"`
	Properties map[string]*valueSchema `json:"properties"`
	Required   []string                `json:"required"`
	Items      *valueSchema            `json:"items"`
	MinLength  int                     `json:"minLength"`
	MaxLength  *int                    `json:"maxLength"`
	MinItems   int                     `json:"minItems"`
	MaxItems   *int                    `json:"maxItems"`
	Minimum    *float64                `json:"minimum"`
	Maximum    *float64                `json:"maximum"`
}

// kind is the type of a schema, without null.
func (s *valueSchema) kind() string {
	if list, ok := s.Type.([]any); ok {
		return fmt.Sprint(slices.DeleteFunc(slices.Clone(list), func(one any) bool { return one == "null" })[0])
	}
	return fmt.Sprint(s.Type)
}

// A media is what is described for one media type.
type media struct {
	Schema    *valueSchema
	Validated *jsonschema.Schema // the same
	resolved  *jsonschema.Resolved
}

func (m *media) UnmarshalJSON(data []byte) error {
	return errors.Join(
		json.Unmarshal(data, &struct{ Schema **valueSchema }{&m.Schema}),
		json.Unmarshal(data, &struct{ Schema **jsonschema.Schema }{&m.Validated}))
}

type content map[string]*media

type parameter struct {
	Name, In string
	Required bool
	Schema   *valueSchema
}

type operation struct {
	method, path string
	Parameters   []parameter
	RequestBody  struct{ Content content }
	Responses    map[string]struct{ Content content }
}

// A spec is what the server says of its operations.
type spec struct {
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]*valueSchema }
	defs       map[string]*jsonschema.Schema // the same, to validate answers with
}

// specOf returns the description of a server.
func specOf(t *testing.T, c client) *spec {
	t.Helper()
	_, data := c.send(http.MethodGet, "/v1/openapi.json", "")
	d := new(spec)
	var raw struct {
		Components struct{ Schemas map[string]*jsonschema.Schema }
	}
	for _, to := range []any{d, &raw} {
		if err := json.Unmarshal([]byte(strings.ReplaceAll(data, "#/components/schemas/", "#/$defs/")), to); err != nil {
			t.Fatal(err)
		}
	}
	d.defs = raw.Components.Schemas
	return d
}

// operations returns all operations, in one order.
func (d *spec) operations() (all []*operation) {
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			op := d.Paths[path][method]
			op.method, op.path = strings.ToUpper(method), path
			all = append(all, op)
		}
	}
	return all
}

func (d *spec) follow(s *valueSchema) *valueSchema {
	for s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	return s
}

// body returns the schema of the body of a request, or nil.
func (op *operation) body() *valueSchema {
	if m := op.RequestBody.Content["application/json"]; m != nil {
		return m.Schema
	}
	return nil
}

// check checks that an answer is one of those that the description has for its status, and
// returns it as JSON.
func (d *spec) check(t *testing.T, op *operation, status int, media, answer string) (parsed any) {
	t.Helper()
	media, _, _ = strings.Cut(media, ";")
	said, ok := op.Responses[fmt.Sprint(status)]
	described := cmp.Or(said.Content[media], said.Content["*/*"])
	switch {
	case !ok || status >= 500 || described == nil && status != http.StatusNotModified:
		t.Errorf("%s %s: %d with %q is not described, or a fault of the server: %s", op.method, op.path, status, media, answer)
	case media == "text/event-stream":
		d.checkStream(t, described, answer)
	case strings.HasSuffix(media, "json"):
		return d.validate(t, described, answer)
	}
	return nil
}

// validate checks that an answer has its schema, and returns it.
func (d *spec) validate(t *testing.T, m *media, answer string) (parsed any) {
	t.Helper()
	if m.resolved == nil {
		m.Validated.Defs = d.defs
		resolved, err := m.Validated.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		m.resolved = resolved
	}
	err := json.Unmarshal([]byte(answer), &parsed)
	if err == nil {
		err = m.resolved.Validate(parsed)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, answer)
	}
	return parsed
}

// checkStream checks that a stream begins with meta or progress and ends with final.
func (d *spec) checkStream(t *testing.T, described *media, stream string) {
	t.Helper()
	events := strings.Split(strings.TrimSuffix(stream, "\n\n"), "\n\n")
	for i, event := range events {
		name, data, _ := strings.Cut(event, "\ndata: ")
		if last := i == len(events)-1; (name == "event: meta") != (i == 0) && name != "event: progress" || (name == "event: final") != last {
			t.Errorf("event %d of %d: %s", i+1, len(events), event)
		}
		d.validate(t, described, data)
	}
}

// request sends a request and returns its answer.
func (op *operation) request(c client, path, body string) (status int, media, answer string) {
	t := c.t
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), op.method, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("%s %s %.300s: %v", op.method, path, body, err)
	}
	if tag := strings.Trim(res.Header.Get("ETag"), `"`); tag != "" && res.StatusCode == http.StatusOK && op.method == http.MethodGet {
		if hash := sha256.Sum256(data); hex.EncodeToString(hash[:]) != tag {
			t.Errorf("%s: the ETag is not the hash of the bytes", path)
		}
	}
	return res.StatusCode, res.Header.Get("Content-Type"), string(data)
}

// A maker makes requests that a description allows.
type maker struct {
	*spec
	rand *rand.Rand
	all  bool // make every property, and no more than an item of each list
}

// words are values of fields by their names, most of which lead to something.
var words = map[string][]string{
	"path":        {"new/cocoa.md", "cocoa.md", "tea.md", "../x", ".x"},
	"paths":       {"tea.md", "*.md", "nothing"},
	"address":     {"image://dot", "text://tea#lines=7-7", "text://tea", "tea", "tea.tea.pot", "text://milk#lines=1-3", "text://tea#lines=900", "doc://tea#pages=1", "nothing", "text://", "tea.md"},
	"id":          {"tea", "milk", "tea", "nothing", "tea~1-1"},
	"q":           {"six cups", "tea", "how hot is the water", "\"eighty degrees\"", "title:pot", "-tea", "*", "\""},
	"question":    {"How many cups does a pot hold?", "What is milk for?", "Who?", "?"},
	"quote":       {"A pot holds six cups.", "holds six cups", "A pot holds nine cups.", "zebras", "."},
	"text":        {"\"A pot holds six cups.\" [text://tea#lines=7-7]", "Green tea is brewed hot.", "Milk [text://milk].", "x"},
	"sources":     {"tea", "*.md", "tea.md", "nothing", "["},
	"types":       {"text", "md", "pdf", "nothing"},
	"authors":     {"Ada"},
	"labels":      {"hot"},
	"url":         {"https://example.org/tea", "a#b"},
	"model":       {"some"},
	"mode":        {"exact"},
	"cursor":      {"nothing"},
	"workspaceId": {"", "", "", "nothing"},
}

// value returns a value of a schema. Its name is that of the property that it is for.
func (m *maker) value(s *valueSchema, name string) any {
	s = m.follow(s)
	switch {
	case len(s.Enum) > 0:
		return s.Enum[m.rand.IntN(len(s.Enum))]
	case s.Format == "date-time":
		return []string{"2020-01-31T12:00:00Z", "2031-01-01T00:00:00.5+02:00"}[m.rand.IntN(2)]
	}
	switch s.kind() {
	case "string":
		if known := words[name]; len(known) > 0 {
			return known[m.rand.IntN(len(known))]
		}
		return strings.Repeat("a", max(s.MinLength, 1))
	case "boolean":
		return m.rand.IntN(2) == 0
	case "integer", "number":
		least, most := 0.0, 1000.0
		if s.Minimum != nil {
			least = *s.Minimum
		}
		if s.Maximum != nil {
			most = *s.Maximum
		}
		return []float64{least, most, least + float64(m.rand.IntN(int(most-least)+1))}[m.rand.IntN(3)]
	case "array":
		n := s.MinItems + m.rand.IntN(3)
		if m.all {
			n = max(s.MinItems, 1)
		}
		list := make([]any, n)
		for i := range list {
			list[i] = m.value(s.Items, name)
		}
		return list
	}
	object := make(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		if m.all || slices.Contains(s.Required, key) || m.rand.IntN(3) == 0 {
			object[key] = m.value(s.Properties[key], key)
		}
	}
	return object
}

// path returns the path of an operation with values of its parameters.
func (m *maker) path(op *operation) string {
	path, query := op.path, make(url.Values)
	for _, p := range op.Parameters {
		switch value := fmt.Sprint(m.value(p.Schema, p.Name)); {
		case p.In == "path":
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(value), 1)
		case p.In == "query" && (p.Required || m.rand.IntN(3) == 0):
			query.Set(p.Name, value)
		}
	}
	return strings.TrimSuffix(path+"?"+query.Encode(), "?")
}

// TestDescribedRequests sends what the description allows. Every answer is one that it
// describes, and none is a fault of the server.
func TestDescribedRequests(t *testing.T) {
	sharedtest.NotShort(t)
	c := serve(t, teaAndMilk, &corpus.Options{AgentsIngest: true})
	d := specOf(t, c)
	m := &maker{spec: d, rand: sharedtest.Rand(t)}
	n := 60
	if sharedtest.Long() {
		n = 3000
	}
	for _, op := range d.operations() {
		succeeded := 0
		for range n {
			path, body := m.path(op), ""
			if op.body() != nil {
				data, err := json.Marshal(m.value(op.body(), ""))
				if err != nil {
					t.Fatal(err)
				}
				body = string(data)
			}
			status, media, answer := op.request(c, path, body)
			if d.check(t, op, status, media, answer); t.Failed() {
				t.Fatalf("%s %s %s", op.method, path, body)
			}
			if status == http.StatusOK || status == http.StatusCreated {
				succeeded++
			}
			if op.body() == nil && len(op.Parameters) == 0 {
				break
			}
		}
		if succeeded == 0 {
			t.Errorf("%s %s: none of %d requests succeeds", op.method, op.path, n)
		}
	}
}

// twice begins a key that stands for another one: the object then has that twice.
const twice = "twice "

// A fault is a body with one fault, and the JSON pointer of the field.
type fault struct{ name, pointer, body string }

// faults returns bodies with one fault each, in every field.
func (m *maker) faults(t *testing.T, s *valueSchema) (all []fault) {
	whole := m.value(s, "")
	add := func(name, pointer string) {
		data, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fault{name, pointer, strings.ReplaceAll(string(data), `"`+twice, `"`)})
	}
	var walk func(s *valueSchema, pointer string, value any, set func(any), required bool)
	walk = func(s *valueSchema, pointer string, value any, set func(any), required bool) {
		s = m.follow(s)
		with := func(name string, wrong any) { set(wrong); add(name, pointer); set(value) }
		for kind, wrong := range map[string]any{"string": "x", "boolean": true, "number": 3, "array": []any{}, "object": map[string]any{}} {
			if is := s.kind(); kind != is && (kind != "number" || is != "integer") {
				with("of type "+kind, wrong)
			}
		}
		if required {
			with("null", nil)
		}
		switch s.kind() {
		case "string":
			if s.MinLength > 0 {
				with("empty", "")
			}
			if s.MaxLength != nil {
				with("too long", strings.Repeat("a", *s.MaxLength+1))
			}
			if len(s.Enum) > 0 {
				with("of no known value", "nothing")
			}
			if s.Format == "date-time" {
				with("no time", "yesterday")
			}
		case "integer", "number":
			if s.Minimum != nil {
				with("too low", *s.Minimum-1)
			}
			if s.Maximum != nil {
				with("too high", *s.Maximum+1)
			}
			if s.kind() == "integer" {
				with("a fraction", *s.Minimum+.5)
			}
		case "array":
			list := value.([]any)
			if s.MinItems > 0 {
				with("too short", []any{})
			}
			if s.MaxItems != nil {
				with("too long", slices.Repeat([]any{list[0]}, *s.MaxItems+1))
			}
			walk(s.Items, pointer+"/0", list[0], func(item any) { list[0] = item }, true)
		case "object":
			object := value.(map[string]any)
			object["unknown"] = 1
			add("unknown", pointer+"/unknown")
			delete(object, "unknown")
			for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
				was, below := object[key], pointer+"/"+key
				if slices.Contains(s.Required, key) {
					delete(object, key)
					add("missing", below)
					object[key] = was
				}
				object[twice+key] = was
				add("given twice", below)
				delete(object, twice+key)
				walk(s.Properties[key], below, was, func(wrong any) { object[key] = wrong }, slices.Contains(s.Required, key))
			}
		}
	}
	walk(s, "", whole, func(wrong any) { whole = wrong }, true)
	return all
}

// TestFaultyRequests sends bodies with one fault, in every field of every operation. Each
// answer is a problem that names the field.
func TestFaultyRequests(t *testing.T) {
	sharedtest.NotShort(t)
	c := serve(t, teaAndMilk, &corpus.Options{AgentsIngest: true})
	d := specOf(t, c)
	m := &maker{spec: d, rand: sharedtest.Rand(t), all: true}
	for _, op := range d.operations() {
		if op.body() == nil {
			continue
		}
		faults := m.faults(t, op.body())
		if len(faults) < 20 {
			t.Errorf("%s: %d faults", op.path, len(faults))
		}
		for _, f := range faults {
			status, media, answer := op.request(c, op.path, f.body)
			problem, _ := d.check(t, op, status, media, answer).(map[string]any)
			if status != http.StatusBadRequest || media != "application/problem+json" {
				t.Errorf("%s, %s %s: %d %s %s\n%.300s", op.path, f.pointer, f.name, status, media, answer, f.body)
				continue
			}
			fields, _ := problem["errors"].([]any)
			if len(fields) != 1 || fields[0].(map[string]any)["pointer"] != f.pointer {
				t.Errorf("%s, %s %s: %s\n%.300s", op.path, f.pointer, f.name, answer, f.body)
			}
		}
		for name, body := range map[string]string{
			"no JSON": "{", "nothing": " ", "two values": "{}{}", "10 MB": `{"q": "` + strings.Repeat("a", 10<<20) + `"}`,
			"deep": strings.Repeat("[", 100_000), "no UTF-8": "{\"q\": \"\xff\"}",
		} {
			status, media, answer := op.request(c, op.path, body)
			if d.check(t, op, status, media, answer); status < 400 || status >= 500 || media != "application/problem+json" {
				t.Errorf("%s, %s: %d %s %.300s", op.path, name, status, media, answer)
			}
		}
	}
}

// TestFaultyParameters sends parameters that are wrong.
func TestFaultyParameters(t *testing.T) {
	c := serve(t, teaAndMilk, &corpus.Options{AgentsIngest: true})
	d := specOf(t, c)
	m := &maker{spec: d, rand: sharedtest.Rand(t), all: true}
	for _, op := range d.operations() {
		path, _, _ := strings.Cut(m.path(op), "?")
		for query, name := range map[string]string{"unknown=1": "unknown", "workspaceId=a&workspaceId=b": "workspaceId", "%zz": ""} {
			status, media, answer := op.request(c, path+"?"+query, "")
			problem, _ := d.check(t, op, status, media, answer).(map[string]any)
			if op.method == http.MethodHead {
				continue
			}
			if status < 400 || status >= 500 || name != "" && op.body() == nil && !strings.Contains(fmt.Sprint(problem["errors"]), name) {
				t.Errorf("%s %s?%s: %d %s", op.method, path, query, status, answer)
			}
		}
		for _, p := range op.Parameters {
			if s := d.follow(p.Schema); p.In == "query" && (s.kind() == "integer" || len(s.Enum) > 0) {
				for _, wrong := range []string{"x", "-1", "1.5", "99999999999999999999"} {
					status, media, answer := op.request(c, path+"?"+url.Values{p.Name: {wrong}}.Encode(), "")
					problem, _ := d.check(t, op, status, media, answer).(map[string]any)
					if status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(problem["errors"]), "parameter:"+p.Name) {
						t.Errorf("%s %s, %s=%s: %d %s", op.method, path, p.Name, wrong, status, answer)
					}
				}
			}
		}
	}
}
