package transport

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
)

// A Problem is an error that the JSON interface answers, as RFC 9457 has it.
type Problem struct {
	Type   string       `json:"type" format:"uri" doc:"urn:citekit:error: and the code of the error in lower case."`
	Title  string       `json:"title" doc:"The words of the status."`
	Status int          `json:"status"`
	Detail string       `json:"detail" doc:"What was wrong, and what to do next."`
	Errors []FieldError `json:"errors,omitempty" doc:"The fields of the request that are wrong, at most 10."`
	Meta   CallMeta     `json:"meta"`
}

// A FieldError is what is wrong with one field of a request.
type FieldError struct {
	Pointer   *string `json:"pointer,omitempty" doc:"JSON pointer (RFC 6901) of the field of the body, such as /filters/types/0; empty for the whole body."`
	Parameter string  `json:"parameter,omitempty" doc:"The parameter of the path or the query, instead of a pointer."`
	Detail    string  `json:"detail"`
}

// CallMeta tells about a request of the JSON interface.
type CallMeta struct {
	RequestID string             `json:"requestId" doc:"Names the request in the logs of the server."`
	Latency   map[string]float64 `json:"latency" doc:"Milliseconds: total, and of it lookup (finding and parsing maps), search (with what it looks up and reads), hash (of sources) and extract (reading sources), which may overlap; the rest is rating and writing."`
}

// problemType begins the types of problems.
const problemType = "urn:citekit:error:"

// statuses are the statuses of the codes of errors; 500 of others.
var statuses = map[string]int{
	string(message.CodeInvalidInput): http.StatusBadRequest,
	string(message.CodeNotFound):     http.StatusNotFound,
	string(message.CodeForbidden):    http.StatusForbidden,
	string(message.CodeStale):        http.StatusConflict,
	string(message.CodeTooLarge):     http.StatusUnprocessableEntity,
	string(message.CodeUnsupported):  http.StatusUnprocessableEntity,
	string(message.CodeTimeout):      http.StatusGatewayTimeout,
}

// NewProblem returns the problem of a code, such as NOT_FOUND or [OutcomeBusy]. A zero
// status means that of the code.
func NewProblem(code string, status int, detail string) *Problem {
	if status == 0 {
		status = statuses[code]
	}
	if status == 0 {
		status = http.StatusInternalServerError
	}
	return &Problem{Type: problemType + strings.ToLower(code), Title: http.StatusText(status), Status: status, Detail: detail}
}

// Code returns the code of the problem.
func (p *Problem) Code() string {
	code := strings.TrimPrefix(p.Type, problemType)
	if upper := strings.ToUpper(code); statuses[upper] != 0 || upper == string(message.CodeInternal) {
		return upper
	}
	return code
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the status, for package huma.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the media type, for package huma.
func (p *Problem) ContentType(string) string { return problemMediaType }

const problemMediaType = "application/problem+json"

// Write answers a request with the problem, which gets the id of the request if it has
// none.
func (p *Problem) Write(w http.ResponseWriter, r *http.Request) {
	if p.Meta.RequestID == "" {
		p.Meta.RequestID = RequestIDOf(r)
	}
	if p.Meta.Latency == nil {
		p.Meta.Latency = map[string]float64{"total": 0}
	}
	h := w.Header()
	h.Set("Content-Type", problemMediaType)
	h.Set("Cache-Control", "no-store")
	h.Set(mcpcall.RequestIDHeader, p.Meta.RequestID)
	h.Del("Content-Length")
	if p.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", retryAfter)
	}
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_ = json.NewEncoder(w).Encode(p) // who asked is gone
	}
}
