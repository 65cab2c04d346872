package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// A described is what the JSON interface says of itself.
type described struct {
	Paths map[string]map[string]struct {
		Parameters  []struct{ Name, In string }
		RequestBody struct {
			Content map[string]struct{ Schema bodySchema }
		}
	}
	Components struct{ Schemas map[string]bodySchema }
}

// A bodySchema is the part of a schema of OpenAPI that bodies are made from.
type bodySchema struct {
	Ref        string `json:"$ref"`
	Type       any
	Enum       []any
	Required   []string
	Properties map[string]bodySchema
	Items      *bodySchema
}

func (d *described) full(s bodySchema) bodySchema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.Components.Schemas[name]
	}
	return s
}

// fill returns a value of a schema, with set at the place that path names and what is
// required beside it. Only names of the caller's own are in it else.
func (d *described) fill(s bodySchema, path []string, set any) any {
	s = d.full(s)
	if len(path) == 0 && set != nil {
		return set
	}
	switch {
	case s.Properties != nil:
		object := make(map[string]any)
		for name, property := range s.Properties {
			if len(path) > 0 && path[0] == name {
				object[name] = d.fill(property, path[1:], set)
			} else if slices.Contains(s.Required, name) {
				object[name] = d.fill(property, nil, nil)
				if name == "id" {
					object[name] = "rednotes"
				}
			}
		}
		return object
	case s.Items != nil && len(path) > 0:
		return []any{d.fill(*s.Items, path[1:], set)}
	case s.Items != nil:
		return []any{d.fill(*s.Items, nil, nil)}
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	return "scarlet7 says"
}

// texts returns the paths of the values of a schema that may be any string.
func (d *described) texts(s bodySchema, path []string) (all [][]string) {
	s = d.full(s)
	switch {
	case s.Properties != nil:
		for name, property := range s.Properties {
			all = append(all, d.texts(property, append(slices.Clone(path), name))...)
		}
	case s.Items != nil:
		all = d.texts(*s.Items, append(slices.Clone(path), "0"))
	case len(s.Enum) == 0 && (s.Type == "string" || slices.Contains(asList(s.Type), any("string"))):
		all = [][]string{path}
	}
	return all
}

// api walks all operations of the JSON interface.
func (n *neighbour) api(t *testing.T) {
	ask := func(key, method, path, body string) string {
		status, header, text := n.as(key, "X-Request-Id", "r").send(method, path, body)
		for _, name := range []string{"Date", "Content-Length"} {
			header.Del(name)
		}
		if _, after, ok := strings.Cut(text, `"latency":{`); ok {
			_, after, _ = strings.Cut(after, "}")
			before, _, _ := strings.Cut(text, `"latency":{`)
			text = before + after
		}
		return fmt.Sprint(status, header, text)
	}
	var d described
	_, _, text := n.as(redKey).send("GET", "/v1/openapi.json", "")
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	calls, operations := 0, 0
	for path, methods := range d.Paths {
		for method, op := range methods {
			operations++
			method = strings.ToUpper(method)
			try := func(what string, request func(id string) (path, body string)) {
				answer := func(id string) string {
					path, body := request(id)
					text := ask(redKey, method, path, body)
					for _, sent := range []string{n.dir, strings.ToLower(n.dir), n.cursor, n.job} { // what was sent comes back in errors
						text = strings.ReplaceAll(text, sent, "SENT")
					}
					return text
				}
				n.same(t, method+" "+path+" with "+what, answer(theirs), answer(absent))
				calls++
			}
			hostile := func(id string) []string {
				return []string{id, id + ".part-2", id + "~1m-9tafjevngv0z", "text://" + id, "text://" + id + "#lines=1-3", id + ".md", n.dir + "/" + id + ".md", "../" + id, n.cursor, n.job}
			}
			_, hasBody := op.RequestBody.Content["application/json"]
			body := op.RequestBody.Content["application/json"].Schema
			written := func(path []string, set any) string {
				data, err := json.Marshal(d.fill(body, path, set))
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			workspaces := func(name string) (string, string) {
				if hasBody {
					return path, written([]string{"workspaceId"}, name)
				}
				return strings.NewReplacer("{id}", "rednotes", "{address}", "text:%2F%2Frednotes").Replace(path) + "?workspaceId=" + name, ""
			}
			named := func(key, name string) string {
				path, body := workspaces(name)
				return strings.ReplaceAll(ask(key, method, path, body), name, "NAME")
			}
			if path != "/v1/openapi.json" {
				if a, b := named(redKey, "blue"), named(redKey, "nope"); a != b || !strings.HasPrefix(a, "404") {
					t.Errorf("%s %s tells of the workspace:\n%.500s\n%.500s", method, path, a, b)
				}
			}
			if a, b := named("none", "blue"), named("none", "nope"); a != b || !strings.HasPrefix(a, "401") {
				t.Errorf("%s %s without key:\n%.500s\n%.500s", method, path, a, b)
			}
			if hasBody {
				n.told(t, path, ask(redKey, method, path, written(nil, nil)))
				for _, place := range d.texts(body, nil) {
					for i := range hostile("") {
						try(strings.Join(place, "."), func(id string) (string, string) { return path, written(place, hostile(id)[i]) })
					}
				}
				continue
			}
			for _, p := range op.Parameters {
				for i := range hostile("") {
					if method == "PUT" && p.In == "path" && hostile(theirs)[i] == hostile(absent)[i] {
						continue // what the first request makes is there for the second
					}
					try(p.Name, func(id string) (string, string) {
						value := hostile(id)[i]
						switch p.In {
						case "path":
							return strings.Replace(path, "{"+p.Name+"}", url.PathEscape(value), 1), ""
						case "query":
							return strings.NewReplacer("{id}", "rednotes", "{address}", "text:%2F%2Frednotes").Replace(path) + "?" + p.Name + "=" + url.QueryEscape(value), ""
						}
						return path, ""
					})
				}
			}
			if path != "/v1/openapi.json" && !strings.Contains(path, "{") {
				n.told(t, path, ask(redKey, method, path, ""))
			}
		}
	}
	if operations < 16 || calls < 300 {
		t.Errorf("%d operations, %d calls: the test tries too little", operations, calls)
	}
	// What is there is found by its owner: the test asks for what can be had.
	for _, path := range []string{"/v1/resources/" + theirs, "/v1/evidence/text:%2F%2F" + theirs + "%23lines=1-3"} {
		if answer := ask(blueKey, "GET", path, ""); !strings.HasPrefix(answer, "200") || !strings.Contains(answer, "azure0") && !strings.Contains(answer, "Part 1") {
			t.Errorf("the owner gets: %.300s", answer)
		}
	}
}
