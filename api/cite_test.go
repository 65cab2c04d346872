package api_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

const tea = "# Tea\n\nGreen tea is brewed with water of eighty degrees.\n\n## Pot\n\nA pot holds six cups. See [milk](milk.md).\n"

func TestCite(t *testing.T) {
	server := serve(t, map[string]string{"tea.md": tea}, nil)
	for _, test := range []struct {
		body   string
		status int
		has    []string
	}{
		{`{"address": "tea"}`, 200, []string{`"address":"text://tea"`, `"documentId":"tea"`, `"format":"markdown"`, `"text":"[Tea](text://tea)"`}},
		{`{"address": "tea", "pin": true}`, 200, []string{`"text":"[Tea](text://tea#v=`}},
		{`{"address": "tea.tea.pot", "pin": false}`, 200, []string{`"text":"[Tea, Pot, lines 5–7](text://tea#lines=5-7)"`, `"label":"Tea, Pot, lines 5–7"`}},
		{`{"address": "tea", "quote": "green tea is brewed", "format": "url", "url": "https://example.org/tea"}`, 200,
			[]string{`"quote":"Green tea is brewed"`, `"text":"https://example.org/tea#line=2,3:~:text=`}},
		{`{"address": "tea", "format": "footnote", "number": 3}`, 200, []string{`"text":"[^3]: `}},
		{`{"address": "tea", "format": "csl"}`, 200, []string{`"value":{"`}},
		{`{"address": "tea", "format": "anthropic"}`, 200, []string{`"value":{"type":"search_result"`}},

		{`{"address": "nothing"}`, 404, []string{`error:not_found`, `"pointer":"/address"`}},
		{`{"address": "text://tea#lines=900"}`, 400, []string{`error:invalid_input`, `"pointer":"/address"`}},
		{`{"address": "tea", "quote": "A pot holds nine cups"}`, 404, []string{`the quote is altered; text://tea#lines=7-7 has: “A pot holds six cups”`, `"pointer":"/quote"`}},
		{`{"address": "tea", "quote": " "}`, 400, []string{`"pointer":"/quote"`}},
		{`{"address": "tea", "url": "https://example.org"}`, 400, []string{`url is for the format url`, `"pointer":"/url"`}},
		{`{"address": "tea", "format": "url", "url": "a#b"}`, 400, []string{`"pointer":"/url"`}},
		{`{"address": "tea", "format": "url", "url": "javascript:alert(1)"}`, 400, []string{`"pointer":"/url"`, `javascript\" cannot be cited`}},
		{`{"address": "tea", "workspaceId": "default"}`, 200, []string{`"documentId":"tea"`}},
		{`{"address": "tea", "workspaceId": "other"}`, 404, []string{`"pointer":"/workspaceId"`}},
		{`{"address": "text://tea#lines=2", "format": "anthropic"}`, 400, []string{`"pointer":"/format"`}},
		{`{"address": "tea", "format": "word"}`, 400, []string{`"pointer":"/format"`}},
		{`{"quote": "tea"}`, 400, []string{`"pointer":"/address"`}},
	} {
		status, got := server.send("POST", "/v1/cite", test.body)
		if status != test.status || !json.Valid([]byte(got)) {
			t.Errorf("%s: %d %s", test.body, status, got)
		}
		for _, part := range test.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s, without %s", test.body, got, part)
			}
		}
	}
	for _, form := range cite.Forms() {
		if status, got := server.send("POST", "/v1/cite", `{"address": "tea", "quote": "six cups", "format": "`+string(form)+`"}`); status != 200 {
			t.Errorf("%s: %d %s", form, status, got)
		}
	}
}

// Who may check words but not read gets no text by citing, and a source that has changed
// is told.
func TestCiteWithoutReading(t *testing.T) {
	dir := t.TempDir()
	c := openIn(t, dir, map[string]string{"tea.md": tea}, nil)
	s := c.Service(nil)
	s.Offers = func(_ context.Context, tool string) bool { return tool == "verify" }
	h := httptest.NewServer(api.New(s, nil))
	defer h.Close()
	server := client{t, h.URL}
	if status, got := server.send("POST", "/v1/cite", `{"address": "tea", "format": "anthropic"}`); status != 403 || strings.Contains(got, "six cups") {
		t.Errorf("the text of a source that the caller may not read: %d %s", status, got)
	}
	if status, got := server.send("POST", "/v1/cite", `{"address": "tea", "quote": "six cups", "format": "anthropic"}`); status != 200 {
		t.Error(status, got)
	}
	sharedtest.Write(t, filepath.Join(dir, "tea.md"), []byte("# Coffee\n"))
	if status, got := server.send("POST", "/v1/cite", `{"address": "tea"}`); status != 200 || !strings.Contains(got, `"stale":true,"warning":"text://tea: `) {
		t.Error(status, got)
	}
}
