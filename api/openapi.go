package api

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// descriptionPath is where the description of the operations is.
const descriptionPath = "/v1/openapi.json"

// describe says what holds for all operations.
func (h *Handler) describe() {
	about := h.api.OpenAPI()
	about.Info.Description = "Finds, cites and extracts exact evidence from files. A document is a file, a chunk a part of its text; both have an address that can be cited. Every answer has meta with the id of its request; every error is a problem (RFC 9457)."
	about.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"key": {Type: "http", Scheme: "bearer", Description: "A key of the server; one that only this machine can reach may need none."},
	}
	about.Security = []map[string][]string{{"key": {}}, {}}
}

// failures are the statuses of problems, with their codes.
var failures = []struct {
	status int
	says   string
}{
	{http.StatusBadRequest, "INVALID_INPUT: errors names the fields."},
	{http.StatusUnauthorized, "unauthenticated: the key is missing or not valid."},
	{http.StatusForbidden, "FORBIDDEN: the key, or the settings of the server, do not allow it."},
	{http.StatusNotFound, "NOT_FOUND: there is no such document, chunk, place or workspace."},
	{http.StatusConflict, "STALE: the source has changed since it was mapped or cited."},
	{http.StatusRequestEntityTooLarge, "TOO_LARGE: the body is too long."},
	{http.StatusUnsupportedMediaType, "INVALID_INPUT: the body is not application/json."},
	{http.StatusUnprocessableEntity, "TOO_LARGE or UNSUPPORTED: the source is beyond a limit, or its format cannot do this."},
	{http.StatusTooManyRequests, "limited: a limit of the caller is reached; Retry-After says when to try again."},
	{http.StatusInternalServerError, "INTERNAL: the log of the server has more."},
	{http.StatusServiceUnavailable, "busy or unavailable: a limit of the server is reached, or its files cannot be read; Retry-After says when to try again."},
	{http.StatusGatewayTimeout, "TIMEOUT: it took too long."},
}

// problems returns the answers of an operation that failed.
func (h *Handler) problems() map[string]*huma.Response {
	schema := h.schema(reflect.TypeFor[Problem]())
	all := make(map[string]*huma.Response)
	for _, f := range failures {
		all[strconv.Itoa(f.status)] = &huma.Response{Description: f.says, Content: map[string]*huma.MediaType{"application/problem+json": {Schema: schema}}}
	}
	return all
}

// registerOpenAPI adds the description itself.
func (h *Handler) registerOpenAPI() {
	op := h.operation(http.MethodGet, descriptionPath, "openapi", "", "Describe all operations", "", nil)
	h.operations[op.Method+" "+op.Path].lookup = true
	op.Responses["200"] = &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}}}}
	h.api.OpenAPI().AddOperation(&op)
	h.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(h.described()) // who asked is gone
	})
}

// withoutNull says of the lists in a schema that they are never null, which huma supposes
// of slices of Go.
func withoutNull(schema *huma.Schema) {
	if schema.Type == huma.TypeArray {
		schema.Nullable = false
		withoutNull(schema.Items)
	}
	for _, property := range schema.Properties {
		withoutNull(property)
	}
}
