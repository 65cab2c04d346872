package llm

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/citekit/citekit"
)

// A Model answers requests in JSON.
//
// Implementations must be safe for concurrent use, and do their own retries;
// an [Endpoint] does them for what is reached over HTTP.
type Model interface {
	// Generate answers req. Errors match [ErrRefused] if the model will not
	// answer, and ctx.Err() once ctx is done; those of a server are an
	// [*Error]. They never hold a key. A response beside an error counts only
	// for what it took.
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// A MediaModel is a [Model] that takes documents, pictures, sound or film, and
// not only text.
type MediaModel interface {
	Model

	// AcceptsMedia reports whether a request may have a file of the media
	// type, such as "application/pdf", and of so many bytes.
	AcceptsMedia(mediaType string, size int64) bool

	// Upload makes src ready for requests. The caller calls Release, also
	// where ctx is done by then. It does not keep src.
	Upload(ctx context.Context, src *citekit.Source, mediaType string) (*Media, error)
}

// A StreamModel is a [Model] that tells its answer as it writes it.
type StreamModel interface {
	Model

	// Stream answers as Generate does, and calls tell with each piece of the
	// text, in order. An error of tell ends the request and is returned.
	Stream(ctx context.Context, req *Request, tell func(piece string) error) (*Response, error)
}

// Media is a file that a [MediaModel] has been given.
type Media struct {
	MediaType string
	Data      []byte // the file itself, or nil
	URI       string // else where the model has it
	Usage     Usage  // what the upload took

	// Release deletes the file where the model has it. It is nil if there is
	// nothing to delete.
	Release func(ctx context.Context) error
}

// A Request is what a [Model] is asked.
type Request struct {
	// Instructions are ours. They hold nothing of the source.
	Instructions string

	// Parts are what the instructions are about, in order.
	Parts []Part

	// Schema is the JSON schema of the answer: an object, all of whose
	// properties are required, and which has no others. Name names it, in
	// lower case letters.
	Schema json.RawMessage
	Name   string
}

// A Part of a request is a text or a file.
type Part struct {
	Text  string
	Media *Media // if not nil, the part is this
}

// A Response is the answer of a [Model].
type Response struct {
	Text      string
	Truncated bool   // the answer ended at a limit of length
	Model     string // which model answered, as it names itself
	Usage     Usage
}

// ErrRefused reports that a model would not answer, or that a filter kept back
// what it said.
var ErrRefused = errors.New("the model refused")

// Usage is what requests took. The zero value is nothing.
type Usage struct {
	Requests     int `json:"requests"` // to the model, retries included
	Retries      int `json:"retries"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"` // those spent on thinking included

	// Cost is in the currency of the [Prices] that were given; Priced says
	// that there were some.
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

// Prices are what a model costs. No prices are built in: they change, and they
// differ between contracts.
type Prices struct {
	Input  float64 `json:"input"`  // for a million tokens
	Output float64 `json:"output"` // for a million tokens
}

// Price sets the cost of u; nil prices leave it without one.
func (p *Prices) Price(u *Usage) {
	if p == nil {
		return
	}
	u.Cost = (p.Input*float64(u.InputTokens) + p.Output*float64(u.OutputTokens)) / 1e6
	u.Priced = true
}
