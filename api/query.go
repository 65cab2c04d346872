package api

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/server/transport"
)

// noteQueries notes which parameters each operation describes.
func (h *Handler) noteQueries() {
	for path, item := range h.api.OpenAPI().Paths {
		for method, described := range map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put} {
			op := h.operations[method+" "+path]
			if op == nil || described == nil {
				continue
			}
			op.query = make(map[string]*huma.Schema)
			for _, p := range described.Parameters {
				if p.In == "query" {
					op.query[p.Name] = p.Schema
				}
			}
		}
	}
}

// checkQuery returns what is wrong with the query of a request for an operation. An empty
// value counts as absent.
func checkQuery(r *http.Request, op *operation) *Problem {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return transport.NewProblem(string(message.CodeInvalidInput), 0, "the query of the URL is not well-formed")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		schema, why := op.query[name], ""
		switch {
		case schema == nil && len(op.query) == 0:
			why = "this operation has no parameters of the query"
		case schema == nil:
			why = "there is no such parameter" + nearest(name, op.query)
		case len(query[name]) > 1:
			why = "is given twice"
		case query.Get(name) != "":
			why = wrongParameter(schema, query.Get(name))
		}
		if why != "" {
			return wrongInput([]transport.FieldError{{Parameter: plain.ShowLine(name, maxKey), Detail: why}})
		}
	}
	return nil
}

// checkWhole refuses an address whose place a client may have cut off: it is written with
// "://", not percent-encoded, and what follows a "#" of a URL is never sent.
func checkWhole(r *http.Request) *Problem {
	sent, _, _ := strings.Cut(r.RequestURI, "?")
	if _, path, ok := strings.Cut(sent, "/v1/"); !ok || !strings.Contains(path, "://") || strings.Contains(r.URL.Path, "#") {
		return nil
	}
	return wrongInput([]transport.FieldError{{Parameter: "address", Detail: `ends before a "#", which clients do not send: percent-encode the address, as in doc:%2F%2Fbook%23pages=3`}})
}

// wrongParameter says what is wrong with the value of a parameter, or "".
func wrongParameter(schema *huma.Schema, value string) string {
	switch {
	case schema.Type == huma.TypeInteger:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || float64(n) < *schema.Minimum || float64(n) > *schema.Maximum {
			return fmt.Sprintf("must be a whole number from %v to %v", *schema.Minimum, *schema.Maximum)
		}
	case len(schema.Enum) > 0 && !slices.Contains(schema.Enum, any(value)):
		return "must be one of " + strings.Trim(fmt.Sprint(schema.Enum), "[]")
	case schema.MaxLength != nil && len(value) > *schema.MaxLength:
		return fmt.Sprintf("has %d bytes; at most %d", len(value), *schema.MaxLength)
	}
	return ""
}
