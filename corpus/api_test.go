package corpus_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/mcpadapter"
)

// TestHandlerServesAPI asks over HTTP for what options of a server allow, and what they
// leave out.
func TestHandlerServesAPI(t *testing.T) {
	for _, c := range []struct {
		opts   *mcpadapter.Options
		path   string
		status int
	}{
		{nil, "/v1/search", http.StatusOK},
		{nil, "/v1/resolve", http.StatusNotFound},
		{&mcpadapter.Options{Tools: []string{"getNode"}}, "/v1/search", http.StatusForbidden},
		{&mcpadapter.Options{Toolsets: []string{"search"}}, "/v1/search", http.StatusOK},
		{&mcpadapter.Options{Toolsets: []string{"search"}}, "/v1/resolve", http.StatusForbidden},
		{&mcpadapter.Options{ReadOnly: true}, "/v1/search", http.StatusOK},
		{&mcpadapter.Options{ReadOnly: true}, "/v1/resolve", http.StatusForbidden},
		{&mcpadapter.Options{Adjust: func() mcpadapter.Adjustment { return mcpadapter.Adjustment{Tools: []string{"getNode"}} }}, "/v1/search", http.StatusForbidden},
		{&mcpadapter.Options{Adjust: func() mcpadapter.Adjustment { return mcpadapter.Adjustment{ReadOnly: true} }}, "/v1/resolve", http.StatusForbidden},
	} {
		files, err := corpus.Open(t.TempDir(), &corpus.Options{Server: c.opts})
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		server := httptest.NewServer(files.Handler(nil))
		defer server.Close()
		body := map[string]string{"/v1/search": `{"q": "tea"}`, "/v1/resolve": `{"address": "text://tea"}`}[c.path]
		res, err := http.Post(server.URL+c.path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if text, _ := io.ReadAll(res.Body); res.StatusCode != c.status {
			t.Errorf("%+v %s: %d %s", c.opts, c.path, res.StatusCode, text)
		}
	}
}
