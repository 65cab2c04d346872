package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citekit/citekit/api"
)

// TestLongCalls checks which operations may answer with megabytes.
func TestLongCalls(t *testing.T) {
	h := api.New(nil, nil)
	for path, long := range map[string]bool{
		"POST /v1/contents": true, "GET /v1/resources/a": true, "GET /v1/resources": false, "POST /v1/search": false, "GET /v1/nothing": false,
	} {
		method, at, _ := strings.Cut(path, " ")
		if got := h.Call(httptest.NewRequest(method, at, http.NoBody), nil); got.Long != long {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
