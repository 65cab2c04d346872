package llm

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/citekit/citekit"
)

// A Model answers requests in JSON.
//
// Implementations must be safe for concurrent use, and do their own retries; an
// [Endpoint] does them for servers reached over HTTP.
type Model interface {
	// Generate answers req. Errors match [ErrRefused] if the model refuses to
	// answer, and ctx.Err() once ctx is done; errors of a server are an
	// [*Error]. They never contain a key. If a response comes with an error,
	// only its usage is valid.
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// A MediaModel is a [Model] that takes documents, pictures, sound or film, and
// not only text.
type MediaModel interface {
	Model

	// AcceptsMedia reports whether a request may have a file of the media type,
	// such as "application/pdf", and of size bytes.
	AcceptsMedia(mediaType string, size int64) bool

	// Upload makes src ready for requests. The caller calls Release, even if
	// ctx is done by then. Upload does not keep src.
	Upload(ctx context.Context, src *citekit.Source, mediaType string) (*Media, error)
}

// A StreamModel is a [Model] that passes on its answer while writing it.
type StreamModel interface {
	Model

	// Stream answers as Generate does, and calls tell with each piece of the
	// text, in order. An error of tell ends the request and is returned.
	Stream(ctx context.Context, req *Request, tell func(piece string) error) (*Response, error)
}

// Media is a file given to a [MediaModel].
type Media struct {
	MediaType string // such as "application/pdf"
	Data      []byte // the file itself, or nil
	URI       string // or else its URI at the model
	Usage     Usage  // usage of the upload

	// Release deletes the file at the model. It is nil if there is nothing to
	// delete.
	Release func(ctx context.Context) error
}

// A Request is a request to a [Model].
type Request struct {
	// Instructions come from this package. They contain nothing of the source.
	Instructions string

	// Parts are the material for the instructions, in order.
	Parts []Part

	// Schema is the JSON schema of the answer: an object whose properties are
	// all required, and which has no other properties. Name is the name of the
	// schema, in lower case letters.
	Schema json.RawMessage
	Name   string
}

// A Part of a request is a text or a file.
type Part struct {
	Text  string // the text, if Media is nil
	Media *Media // if not nil, the part is this
}

// A Response is the answer of a [Model].
type Response struct {
	Text      string // of the answer
	Truncated bool   // the answer ended at a length limit
	Model     string // which model answered, as it names itself
	Usage     Usage  // of the request
}

// ErrRefused reports that a model refused to answer, or that a filter withheld
// its answer.
var ErrRefused = errors.New("the model refused")

// Usage is the usage of requests. The zero value means no usage.
type Usage struct {
	Requests     int `json:"requests"`      // to the model, including retries
	Retries      int `json:"retries"`       // requests that repeated a failed one
	InputTokens  int `json:"input_tokens"`  // of the instructions and parts
	OutputTokens int `json:"output_tokens"` // including those spent on thinking

	// Cost is in the currency of the given [Prices]; Priced says that prices
	// were given.
	Cost   float64 `json:"cost,omitempty"`
	Priced bool    `json:"-"`
}

// Add adds other to u.
func (u *Usage) Add(other Usage) {
	u.Requests += other.Requests
	u.Retries += other.Retries
	u.InputTokens += other.InputTokens
	u.OutputTokens += other.OutputTokens
	u.Cost += other.Cost
	u.Priced = u.Priced || other.Priced
}

// Prices are the prices of a model. The package has none built in: they change,
// and they differ between contracts.
type Prices struct {
	Input  float64 `json:"input"`  // per million tokens
	Output float64 `json:"output"` // per million tokens
}

// Price sets the cost of u; with nil prices, it sets none.
func (p *Prices) Price(u *Usage) {
	if p == nil {
		return
	}
	u.Cost = (p.Input*float64(u.InputTokens) + p.Output*float64(u.OutputTokens)) / 1e6
	u.Priced = true
}
