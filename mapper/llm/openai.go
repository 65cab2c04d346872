package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/citekit/citekit"
)

const openAIBaseURL = "https://api.openai.com/v1"

// OpenAIOptions configure an [OpenAI]. They can be read from JSON, see
// [ParseConfig]; the key is not part of it.
type OpenAIOptions struct {
	Key string `json:"-"` // "" for servers without keys

	// KeyEnv is the environment variable from which New takes the key if Key is
	// empty; "" means none.
	KeyEnv string `json:"key_env,omitempty"`

	Model   string `json:"model,omitempty"`    // required: servers differ, and models come and go
	BaseURL string `json:"base_url,omitempty"` // "" means https://api.openai.com/v1

	MaxOutputTokens int      `json:"max_output_tokens,omitempty"` // zero means the limit of the server
	Temperature     *float64 `json:"temperature,omitempty"`       // nil means the default of the server

	// Timeout is the time limit of one request; zero means 5 minutes.
	Timeout Seconds `json:"timeout,omitempty"`

	// Retries is the number of retries of a request; zero means 3; negative
	// means none. RetryDelay is the pause before the first retry, doubled for
	// each further one; zero means 1 second.
	Retries    int     `json:"retries,omitempty"`
	RetryDelay Seconds `json:"retry_delay,omitempty"`

	// TextOnly says that the model does not see pictures.
	TextOnly bool `json:"text_only,omitempty"`

	// MaxImageBytes is the maximum size of a picture; zero means 20 MiB.
	// Pictures are sent unchanged.
	MaxImageBytes int64 `json:"max_image_bytes,omitempty"`

	Prices *Prices `json:"prices,omitempty"` // for Usage.Cost; nil counts no cost

	// Client makes the requests; nil means a new client.
	Client *http.Client `json:"-"`
}

const defaultMaxImageBytes = 20 << 20

// An OpenAI is a model of any server that speaks the chat completions of
// OpenAI: OpenAI itself, Ollama, vLLM, LM Studio and others. The base URL
// selects the server. It is safe for concurrent use.
//
//	model, err := llm.NewOpenAI(&llm.OpenAIOptions{
//		BaseURL: "http://localhost:11434/v1",
//		Model:   "qwen3-vl",
//	})
//	mapper := llm.New(model, modality.All(), nil)
//
// Ollama silently cuts off text beyond the context it was started with
// (OLLAMA_CONTEXT_LENGTH, or num_ctx of the model): set [Options.MaxText]
// to fit.
//
// Such models read text, and many see pictures. If a server cannot bind its
// answers to a schema, an OpenAI asks for JSON, and if the server cannot do
// that either, for text.
type OpenAI struct {
	options  OpenAIOptions
	url      string
	endpoint Endpoint

	mu    sync.Mutex
	talks dialect
}

var _ MediaModel = (*OpenAI)(nil)

// NewOpenAI returns a model. It makes no request. Without the name of a model, or
// with an invalid base URL, the error matches [citekit.ErrSyntax].
func NewOpenAI(opts *OpenAIOptions) (*OpenAI, error) {
	m := new(OpenAI)
	if opts != nil {
		m.options = *opts
	}
	o := &m.options
	if o.Model == "" {
		return nil, fmt.Errorf("no model; name one that the server has: %w", citekit.ErrSyntax)
	}
	key, err := FindKey(o.Key, o.KeyEnv)
	if err != nil {
		return nil, err
	}
	o.Key = key
	if o.BaseURL == "" {
		o.BaseURL = openAIBaseURL
	}
	if o.MaxImageBytes <= 0 {
		o.MaxImageBytes = defaultMaxImageBytes
	}
	base, err := BaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	m.url = base.String() + "/chat/completions"
	m.talks.oldLimit = base.Host != "api.openai.com"
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key)
	}
	m.endpoint = Endpoint{
		Client:  o.Client,
		Key:     o.Key,
		Header:  header,
		Timeout: o.Timeout.Duration(0),
		Retry:   NewRetry(o.Retries, o.RetryDelay),
		Explain: explainOpenAI,
	}
	return m, nil
}

// AcceptsMedia implements [MediaModel]: pictures in PNG, JPEG, WebP and
// GIF.
func (m *OpenAI) AcceptsMedia(mediaType string, size int64) bool {
	if m.options.TextOnly || size <= 0 || size > m.options.MaxImageBytes {
		return false
	}
	switch mediaType {
	case "image/png", "image/jpeg", "image/webp", "image/gif":
		return true
	}
	return false
}

// Upload implements [MediaModel]. It only reads the picture, which goes
// with every request.
func (m *OpenAI) Upload(_ context.Context, src *citekit.Source, mediaType string) (*Media, error) {
	if !m.AcceptsMedia(mediaType, src.Size()) {
		return nil, fmt.Errorf("openai: a file of this type or size: %w", errors.ErrUnsupported)
	}
	data := make([]byte, src.Size())
	if _, err := io.ReadFull(src.Reader(), data); err != nil {
		return nil, err
	}
	return &Media{MediaType: mediaType, Data: data}, nil
}

type chatMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a string, or a list of parts
}

type chatPart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitempty"`
	ImageURL *chatImage `json:"image_url,omitempty"`
}

type chatImage struct {
	URL string `json:"url"`
}

type completionRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	Stream              bool            `json:"stream,omitempty"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type completion struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

// Generate implements [Model].
func (m *OpenAI) Generate(ctx context.Context, req *Request) (*Response, error) {
	requests := 0
	for {
		talks := m.dialect()
		var answer completion
		reply, err := m.endpoint.Do(ctx, Call{Method: http.MethodPost, URL: m.url, JSON: m.body(req, talks)}, &answer)
		if err == nil {
			return m.response(&answer, requests+reply.Attempts, reply.Attempts-1)
		}
		var failed *Error
		if errors.As(err, &failed) {
			requests += failed.Attempts
			if m.learn(talks, failed) {
				continue
			}
		}
		return nil, fmt.Errorf("openai: %w", err)
	}
}

func (m *OpenAI) body(req *Request, talks dialect) *completionRequest {
	body := &completionRequest{
		Model:    m.options.Model,
		Messages: []chatMessage{{"system", req.Instructions}, {"user", userContent(req.Parts)}},
	}
	if !talks.noTemperature {
		body.Temperature = m.options.Temperature
	}
	if talks.oldLimit {
		body.MaxTokens = m.options.MaxOutputTokens
	} else {
		body.MaxCompletionTokens = m.options.MaxOutputTokens
	}
	switch {
	case req.Schema == nil:
	case talks.format == bySchema:
		body.ResponseFormat = &responseFormat{"json_schema", &jsonSchema{req.Name, true, req.Schema}}
	default:
		// A server that cannot bind its answer to the schema gets the schema in
		// the text.
		body.Messages[0].Content = req.Instructions + "\nThe form of the answer, as a JSON schema:\n" + string(req.Schema)
		if talks.format == byObject {
			body.ResponseFormat = &responseFormat{Type: "json_object"}
		}
	}
	return body
}

// userContent returns text alone as a string, which servers without pictures
// insist on.
func userContent(list []Part) any {
	var texts []string
	var parts []chatPart
	media := false
	for _, p := range list {
		if p.Media == nil {
			texts = append(texts, p.Text)
			parts = append(parts, chatPart{Type: "text", Text: p.Text})
			continue
		}
		media = true
		data := "data:" + p.Media.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Media.Data)
		parts = append(parts, chatPart{Type: "image_url", ImageURL: &chatImage{data}})
	}
	if media {
		return parts
	}
	return strings.Join(texts, "\n\n")
}

func (m *OpenAI) response(answer *completion, requests, retries int) (*Response, error) {
	response := &Response{
		Model: answer.Model,
		Usage: Usage{Requests: requests, Retries: retries, InputTokens: answer.Usage.Prompt, OutputTokens: answer.Usage.Completion},
	}
	if response.Model == "" {
		response.Model = m.options.Model
	}
	m.options.Prices.Price(&response.Usage)
	if len(answer.Choices) == 0 {
		return response, fmt.Errorf("openai: %w", &Error{Message: "the server answers without a choice", Attempts: requests})
	}
	choice := answer.Choices[0]
	switch {
	case choice.Message.Refusal != "":
		return response, fmt.Errorf("openai: %w", ErrRefused)
	case choice.FinishReason == "content_filter":
		return response, fmt.Errorf("openai: %w (content filter)", ErrRefused)
	}
	response.Text = choice.Message.Content
	response.Truncated = choice.FinishReason == "length"
	return response, nil
}
