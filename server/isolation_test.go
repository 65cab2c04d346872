package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// What the other workspace has: ids of the same length that are not like anything
// else, so that no suggestion depends on which of the two is asked for.
const (
	theirs = "q7w9z3x5q7w9" // is a resource of the other workspace
	absent = "k2v8j4p6k2v8" // is there in none
)

// A neighbour is a server of two workspaces, as one caller sees it who wants what
// the other one has.
type neighbour struct {
	*runningServer
	mine  client // a session of the caller
	other client // a session of the neighbour
	dir   string // of the neighbour's files

	link, session, job, cursor string // that the neighbour was given
}

func newNeighbour(t *testing.T) *neighbour {
	t.Helper()
	text := func(word string) string {
		var b strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&b, "# Part %d\n\nWhat %s%d says of the harvest.\n\n", i+1, word, i)
		}
		return b.String()
	}
	red, _ := newPlace(t, modality.All(), "red", map[string]string{"common.md": text("scarlet"), "rednotes.md": text("crimson")})
	blue, _ := newPlace(t, modality.All(), "blue", map[string]string{"common.md": text("cobalt"), theirs + ".md": text("azure"), "later.md": "# Cobalt\n"})
	services := make(map[string]*api.Service)
	r, b := everyDialect(t, red, services), everyDialect(t, blue, services)
	known := &keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"red"}}, blueKey: {ID: "k-blue", Workspaces: []string{"blue"}}}}
	s := start(t, []server.Workspace{r, b}, &server.Options{Authenticator: known, Limits: server.Limits{Rate: -1}})
	n := &neighbour{runningServer: s, mine: s.as(redKey).sessionWith(pages), other: s.as(blueKey).session(), dir: blue.dir}
	n.link = n.other.evidenceLink("text://" + theirs + "#lines=2-3")
	n.session = n.other.header.Get("Mcp-Session-Id")
	n.job = n.other.field("ingest", map[string]any{"paths": []string{"later.md"}}, "job_id")
	n.cursor = n.other.field("getStructure", map[string]any{"resource_id": theirs}, "next_cursor")
	return n
}

// everyDialect serves a place with the tools of all dialects. The services are those that
// calls reach by name.
func everyDialect(t *testing.T, p *place, services map[string]*api.Service) server.Workspace {
	t.Helper()
	c := corpus.New(p.lib, &corpus.Options{
		AgentsIngest: true, Dialects: corpus.Dialects(), Named: func(name string) *api.Service { return services[name] },
		Server: &mcpadapter.Options{Timeouts: server.Timeouts(), Watch: 20 * time.Millisecond},
	})
	t.Cleanup(func() { c.Close() })
	opts := c.ServerOptions()
	opts.Links = transport.NewEvidenceLinks(p.lib, nil)
	services[p.name] = c.Service(opts)
	return server.Workspace{
		Name: p.name, API: services[p.name],
		Hosted: transport.Hosted{Server: mcpadapter.NewServer(p.lib, opts), Links: opts.Links},
	}
}

// field returns a field of what a tool answers, which must be there.
func (c client) field(tool string, arguments map[string]any, name string) string {
	c.t.Helper()
	text, failed := c.tool(tool, arguments)
	var fields map[string]json.RawMessage
	var value string
	if err := json.Unmarshal([]byte(text), &fields); err != nil || json.Unmarshal(fields[name], &value) != nil || value == "" || failed {
		c.t.Fatalf("%s: no %s in %.300s", tool, name, text)
	}
	return value
}

// randomText matches the random part of ids, which may spell any word.
var randomText = regexp.MustCompile(`[A-Z2-7]{26}`)

// told fails the test if a text has anything that is the neighbour's, beside an
// id that was asked for.
func (n *neighbour) told(t *testing.T, what, text string) {
	t.Helper()
	text = randomText.ReplaceAllString(text, "")
	for _, secret := range []string{"cobalt", "azure", "later", n.dir, "blue"} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
			t.Errorf("%s tells %q: %.600s", what, secret, text)
		}
	}
}

// same fails the test if what is answered for the neighbour's resource differs
// from what is answered for one that there is not, in more than its name.
func (n *neighbour) same(t *testing.T, what, ofTheirs, ofAbsent string) {
	t.Helper()
	n.told(t, what, ofTheirs)
	if a, b := stripped(ofTheirs, theirs), stripped(ofAbsent, absent); a != b {
		t.Errorf("%s tells that it is there:\n%.800s\none that is not there:\n%.800s", what, a, b)
	}
}

// A schema is the part of a tool's input schema that arguments are made from.
type schema struct {
	Properties map[string]schema
	Required   []string
	Type       any
	Enum       []any
	Items      *schema
	Minimum    *float64

	// Of the schemas of other dialects.
	Const       any
	OneOf       []schema
	Ref         string `json:"$ref"`
	Definitions map[string]schema
}

// is reports whether values of the schema may be of a type.
func (s *schema) is(kind string) bool {
	return s.Type == kind || slices.Contains(asList(s.Type), any(kind))
}

func asList(v any) []any { list, _ := v.([]any); return list }

// ordinary returns a value that a caller may give for a property.
func (s *schema) ordinary(t *testing.T, name string) any {
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.OneOf) > 0:
		return s.OneOf[0].ordinary(t, name)
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.is("string"):
		return map[string]string{"resource_id": "rednotes", "address": "text://rednotes#lines=1-3", "path": "rednotes.md"}[name] + map[bool]string{true: "scarlet7 says"}[name != "resource_id" && name != "address" && name != "path"]
	case s.is("integer"), s.is("number"):
		if s.Minimum != nil {
			return max(*s.Minimum, 1)
		}
		return 1
	case s.is("boolean"):
		return true
	case s.is("array"):
		return []any{s.Items.ordinary(t, name)}
	case s.is("object"):
		object := map[string]any{}
		for _, name := range s.Required {
			property := s.Properties[name]
			object[name] = property.ordinary(t, name)
		}
		return object
	}
	t.Fatalf("property %s has a type that the test does not know: %v", name, s.Type)
	return nil
}

// hostile returns what may be in place of a property to reach a resource.
func (s *schema) hostile(t *testing.T, root *schema, id string, n *neighbour) (values []any) {
	texts := []any{id, id + ".part-2", "text://" + id, "text://" + id + "#lines=1-3", "citekit://maps/" + id, id + ".md", n.dir + "/" + id + ".md", "../" + id, n.cursor, n.job}
	switch {
	case len(s.Enum) > 0 || s.Const != nil:
		return nil
	case s.Ref != "":
		of := root.Definitions[strings.TrimPrefix(s.Ref, "#/definitions/")]
		return of.hostile(t, root, id, n)
	case len(s.OneOf) > 0:
		for _, one := range s.OneOf {
			values = append(values, one.hostile(t, root, id, n)...)
		}
	case s.is("array") && s.Items != nil:
		for _, value := range s.Items.hostile(t, root, id, n) {
			values = append(values, []any{value})
		}
	case s.is("object"):
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			property := s.Properties[name]
			for _, value := range property.hostile(t, root, id, n) {
				object := s.ordinary(t, "").(map[string]any)
				object[name] = value
				values = append(values, object)
			}
		}
	case s.is("string"):
		return texts
	}
	return values
}

// TestNothingOfOthers walks all that the server itself says that it offers, and
// tries to reach what another workspace has.
func TestNothingOfOthers(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	n := newNeighbour(t)
	n.tools(t)
	n.resources(t)
	n.prompts(t)
	n.http(t)
	n.api(t)
}

func (n *neighbour) tools(t *testing.T) {
	var listed struct {
		Tools []struct {
			Name        string
			InputSchema schema
		}
	}
	if err := json.Unmarshal(n.mine.request("tools/list", nil).Result, &listed); err != nil {
		t.Fatal(err)
	}
	calls, viewed := 0, false
	for _, tool := range listed.Tools {
		viewed = viewed || strings.HasSuffix(tool.Name, "viewEvidence")
		required := func() map[string]any {
			arguments := make(map[string]any)
			for _, name := range tool.InputSchema.Required {
				property := tool.InputSchema.Properties[name]
				arguments[name] = property.ordinary(t, name)
			}
			return arguments
		}
		text, _ := n.mine.tool(tool.Name, required())
		n.told(t, tool.Name, text)
		for name, property := range tool.InputSchema.Properties {
			mine, others := property.hostile(t, &tool.InputSchema, theirs, n), property.hostile(t, &tool.InputSchema, absent, n)
			if name == "workspaceId" {
				mine, others = append(mine, "blue"), append(others, "nought")
			}
			for i := range mine {
				a, b := required(), required()
				a[name], b[name] = mine[i], others[i]
				ofTheirs, _ := n.mine.tool(tool.Name, a)
				ofAbsent, _ := n.mine.tool(tool.Name, b)
				// What was sent comes back in errors; nothing else may.
				for _, sent := range []string{n.dir, strings.ToLower(n.dir), n.cursor, n.job} {
					ofTheirs, ofAbsent = strings.ReplaceAll(ofTheirs, sent, "SENT"), strings.ReplaceAll(ofAbsent, sent, "SENT")
				}
				if fmt.Sprint(mine[i]) == n.cursor || fmt.Sprint(mine[i]) == fmt.Sprint([]any{n.cursor}) {
					ofTheirs, ofAbsent = strings.ReplaceAll(ofTheirs, theirs, "SENT"), strings.ReplaceAll(ofAbsent, theirs, "SENT")
				}
				n.same(t, fmt.Sprintf("%s with %s %v", tool.Name, name, mine[i]), ofTheirs, ofAbsent)
				calls++
			}
		}
	}
	if len(listed.Tools) < 18 || calls < 400 {
		t.Errorf("%d tools, %d calls: the test tries too little", len(listed.Tools), calls)
	}
	if !viewed {
		t.Error("the tool of the page that shows evidence is not tried")
	}
	// What is there is found by its owner: the test asks for what can be had.
	if text, failed := n.other.tool("getContents", map[string]any{"ids": []string{"text://" + theirs + "#lines=1-3"}}); failed || !strings.Contains(text, "azure0") {
		t.Errorf("the owner reads: %.300s", text)
	}
}

func (n *neighbour) resources(t *testing.T) {
	var listed struct {
		ResourceTemplates []struct{ URITemplate string }
	}
	if err := json.Unmarshal(n.mine.request("resources/templates/list", nil).Result, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.ResourceTemplates) < 7 {
		t.Errorf("%d templates: the test tries too little", len(listed.ResourceTemplates))
	}
	n.told(t, "resources/list", string(n.mine.request("resources/list", nil).Result))
	for _, template := range listed.ResourceTemplates {
		for _, rest := range []string{"", "#lines=1-3", "/part-2"} {
			uri := func(id string) string {
				before, _, _ := strings.Cut(template.URITemplate, "{")
				return before + id + rest
			}
			for _, method := range []string{"resources/read", "resources/subscribe", "resources/unsubscribe"} {
				a := n.mine.request(method, map[string]any{"uri": uri(theirs)})
				b := n.mine.request(method, map[string]any{"uri": uri(absent)})
				n.same(t, method+" "+uri(theirs), string(a.Error)+string(a.Result), string(b.Error)+string(b.Result))
			}
		}
		complete := func(value string) string {
			r := n.mine.request("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": template.URITemplate}, "argument": map[string]any{"name": "resource_id", "value": value}})
			return string(r.Error) + string(r.Result)
		}
		for length := range len(theirs) + 1 {
			n.same(t, "completion of "+theirs[:length], complete(theirs[:length]), complete(absent[:length]))
		}
	}
}

func (n *neighbour) prompts(t *testing.T) {
	var listed struct {
		Prompts []struct {
			Name      string
			Arguments []struct{ Name string }
		}
	}
	if err := json.Unmarshal(n.mine.request("prompts/list", nil).Result, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Prompts) < 5 {
		t.Errorf("%d prompts: the test tries too little", len(listed.Prompts))
	}
	for _, prompt := range listed.Prompts {
		get := func(value string) string {
			arguments := make(map[string]string)
			for _, a := range prompt.Arguments {
				arguments[a.Name] = value
			}
			r := n.mine.request("prompts/get", map[string]any{"name": prompt.Name, "arguments": arguments})
			return string(r.Error) + string(r.Result)
		}
		for _, form := range []string{"%s", "text://%s", "text://%s#lines=1-3", "%s.part-2"} {
			n.same(t, "prompt "+prompt.Name, get(fmt.Sprintf(form, theirs)), get(fmt.Sprintf(form, absent)))
		}
		for _, a := range prompt.Arguments {
			complete := func(value string) string {
				r := n.mine.request("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": prompt.Name}, "argument": map[string]any{"name": a.Name, "value": value}})
				return string(r.Error) + string(r.Result)
			}
			n.same(t, "completion of "+prompt.Name+" "+a.Name, complete(theirs[:3]), complete(absent[:3]))
		}
	}
}

// http tries what the neighbour was given, and what names its workspace.
func (n *neighbour) http(t *testing.T) {
	ask := func(method, path, body string, headers ...string) string {
		c := client{n.runningServer, n.mine.header.Clone(), n.mine.http}
		for i := 0; i < len(headers); i += 2 {
			c.header.Set(headers[i], headers[i+1])
		}
		status, header, text := c.send(method, path, body)
		delete(header, "Date")
		return fmt.Sprint(status, header, text)
	}
	list := message("tools/list", nil)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		body := map[string]string{"POST": list}[method]
		made := strings.Map(func(r rune) rune { return map[bool]rune{true: 'A', false: r}['B' <= r && r <= 'Z'] }, n.session)
		n.same(t, method+" in the neighbour's session", ask(method, "/mcp", body, "Mcp-Session-Id", n.session), ask(method, "/mcp", body, "Mcp-Session-Id", made))
		n.same(t, method+" for the neighbour's workspace", ask(method, "/mcp", body, "X-Mcp-Workspace", "blue"), ask(method, "/mcp", body, "X-Mcp-Workspace", "nought"))
		// Who follows a link must be the one it was given to, or have the link alone.
		answer := ask(method, n.link, body)
		n.told(t, method+" of the neighbour's evidence", answer)
		if strings.HasPrefix(answer, "200") {
			t.Errorf("%s of the neighbour's evidence: %.200s", method, answer)
		}
	}
	// A hash alone, or with the signature of another, is no link.
	hash, query, _ := strings.Cut(n.link, "?")
	own := n.mine.evidenceLink("text://rednotes#lines=2-3")
	ownHash, ownQuery, _ := strings.Cut(own, "?")
	for _, path := range []string{hash, hash + "?" + ownQuery, ownHash + "?" + query} {
		n.told(t, path, ask("GET", path, ""))
		if answer := ask("GET", path, "", "Authorization", ""); strings.HasPrefix(answer, "200") {
			t.Errorf("GET %s: %.200s", path, answer)
		}
	}
	n.same(t, "a hash without signature", ask("GET", hash, ""), strings.ReplaceAll(ask("GET", "/evidence/"+strings.Repeat("0", 64), ""), strings.Repeat("0", 64), hash))
	// Changes of the neighbour's resources come to nobody else: what is subscribed
	// to is answered alike, above. And probes tell no names.
	n.told(t, "readyz", ask("GET", "/readyz", "", "Authorization", ""))
	if status, _, _ := n.other.send("POST", "/mcp", list); status != http.StatusOK {
		t.Errorf("the neighbour's session ended: %d", status)
	}
}

// TestNotToldByTime asks for what is another's and for what is not there, at
// random, and compares how long the answers take: how often one of the first took
// longer than one of the second must be half of all.
func TestNotToldByTime(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("compares times, which other work on the machine changes: only with CITEKIT_LONG=1, with nothing beside it")
	}
	n := newNeighbour(t)
	const tries = 10_000
	made := strings.Repeat("A", len(n.session))
	for _, c := range []struct {
		name          string
		body          func(id string) string
		header        string
		theirs, other string
		status        int
	}{
		{"getNode", func(id string) string { return toolCall("getNode", map[string]any{"node_id": id + ".part-2"}) }, "", "", "", 200},
		{"resources/read", func(id string) string {
			return message("resources/read", map[string]any{"uri": "text://" + id + "#lines=1-3"})
		}, "", "", "", 200},
		{"workspace", func(string) string { return message("tools/list", nil) }, "X-Mcp-Workspace", "blue", "gray", 403},
		{"session", func(string) string { return message("tools/list", nil) }, "Mcp-Session-Id", n.session, made, 404},
	} {
		took := map[bool][]time.Duration{}
		for i := range tries + 100 {
			isTheirs := rand.IntN(2) == 0
			id, value := absent, c.other
			if isTheirs {
				id, value = theirs, c.theirs
			}
			r := httptest.NewRequest("POST", "/mcp", strings.NewReader(c.body(id)))
			r.Host, r.Header = n.address, n.mine.header.Clone()
			if c.header != "" {
				r.Header.Set(c.header, value)
			}
			begun := time.Now()
			answer := httptest.NewRecorder()
			n.server.ServeHTTP(answer, r)
			if spent := time.Since(begun); i >= 100 { // the first fill caches
				took[isTheirs] = append(took[isTheirs], spent)
			}
			if answer.Code != c.status {
				t.Fatalf("%s: %d %s", c.name, answer.Code, answer.Body)
			}
		}
		more, limit := longer(took[true], took[false])
		t.Logf("%s: another's takes longer than what is not there in %.4f of %d pairs (chance gives .5 ± %.4f)", c.name, more, len(took[true])*len(took[false]), limit)
		if math.Abs(more-.5) > limit {
			t.Errorf("%s: another's is told by time", c.name)
		}
	}
}

// longer returns how often one of a is more than one of b, and how far from a
// half that is by chance but once in a million times (Mann and Whitney).
func longer(a, b []time.Duration) (more, limit float64) {
	type timed struct {
		took time.Duration
		ofA  bool
	}
	var all []timed
	for _, d := range a {
		all = append(all, timed{d, true})
	}
	for _, d := range b {
		all = append(all, timed{d, false})
	}
	slices.SortFunc(all, func(x, y timed) int { return cmp.Compare(x.took, y.took) })
	below, sum := 0, 0
	for _, x := range all {
		if x.ofA {
			sum += below
		} else {
			below++
		}
	}
	na, nb := float64(len(a)), float64(len(b))
	return float64(sum) / (na * nb), 5 * math.Sqrt((na+nb+1)/(12*na*nb))
}
