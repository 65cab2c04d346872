// Package gemini has a model of the Gemini API.
//
//	model, err := gemini.New(&gemini.Options{Key: os.Getenv("GEMINI_API_KEY")})
//	mapper := llm.New(model, modality.All(), nil)
//
// It speaks the REST API, version v1beta, over net/http. Small files go with
// the request; others are uploaded, waited for, and deleted afterwards, whether
// the request succeeded or not. The key goes in a header, never in a URL.
package gemini

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
)

// DefaultModel is the alias of the Gemini API for its newest Flash model. A
// numbered model is shut down after about a year. The map records which model
// answered.
const DefaultModel = "gemini-flash-latest"

const defaultBaseURL = "https://generativelanguage.googleapis.com"

// Options configure a [Model]. Only a key is required. They can be read from
// JSON, see [llm.ParseConfig]; the key is not part of it.
type Options struct {
	Key string `json:"-"`

	// KeyEnv is the environment variable from which New takes the key if Key is
	// empty; "" means none.
	KeyEnv string `json:"key_env,omitempty"`

	Model   string `json:"model,omitempty"`    // "" means DefaultModel
	BaseURL string `json:"base_url,omitempty"` // without a version; "" means Google's server

	MaxOutputTokens int      `json:"max_output_tokens,omitempty"` // zero means the limit of the model
	Temperature     *float64 `json:"temperature,omitempty"`       // nil means the default of the model, as Google advises

	// Timeout is the time limit of one request; zero means 5 minutes.
	// ProcessTimeout is the time limit for an uploaded file to become ready;
	// zero means 15 minutes.
	Timeout        llm.Seconds `json:"timeout,omitempty"`
	ProcessTimeout llm.Seconds `json:"process_timeout,omitempty"`

	// Retries is the number of retries of a request; zero means 3; negative
	// means none. RetryDelay is the pause before the first retry, doubled for
	// each further one; zero means 1 second.
	Retries    int         `json:"retries,omitempty"`
	RetryDelay llm.Seconds `json:"retry_delay,omitempty"`

	// InlineBytes is the maximum size of a file that goes with the request;
	// zero means 4 MiB, and negative uploads every file.
	InlineBytes int64 `json:"inline_bytes,omitempty"`

	Prices *llm.Prices `json:"prices,omitempty"` // for Usage.Cost; nil counts no cost

	// Client makes the requests; nil means a new client.
	Client *http.Client `json:"-"`
}

const (
	defaultInlineBytes    = 4 << 20
	defaultProcessTimeout = 15 * time.Minute
	maxFileBytes          = 2 << 30  // of the Files API
	maxPDFBytes           = 50 << 20 // of a document, inline or uploaded
)

// A Model asks a model of the Gemini API. It is safe for concurrent use.
type Model struct {
	options  Options
	base     string
	endpoint llm.Endpoint
}

var _ llm.MediaModel = (*Model)(nil)

// New returns a model. It makes no request. Without a key, or with an invalid
// base URL, the error matches [citekit.ErrSyntax].
func New(opts *Options) (*Model, error) {
	m := new(Model)
	if opts != nil {
		m.options = *opts
	}
	o := &m.options
	key, err := llm.FindKey(o.Key, o.KeyEnv)
	if err != nil {
		return nil, err
	}
	if o.Key = key; key == "" {
		return nil, fmt.Errorf("no key for the Gemini API; GEMINI_API_KEY usually has it: %w", citekit.ErrSyntax)
	}
	if o.Model == "" {
		o.Model = DefaultModel
	}
	o.Model = strings.TrimPrefix(o.Model, "models/")
	if o.InlineBytes == 0 {
		o.InlineBytes = defaultInlineBytes
	}
	if o.BaseURL == "" {
		o.BaseURL = defaultBaseURL
	}
	base, err := llm.BaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	m.base = base.String()
	m.endpoint = llm.Endpoint{
		Client:  o.Client,
		Key:     o.Key,
		Header:  http.Header{"X-Goog-Api-Key": {o.Key}},
		Timeout: o.Timeout.Duration(0),
		Retry:   llm.NewRetry(o.Retries, o.RetryDelay),
		Explain: explain,
	}
	return m, nil
}

// AcceptsMedia implements [llm.MediaModel]: PDF up to 50 MB, and the pictures,
// sound and film that the Gemini API reads, up to 2 GB.
func (m *Model) AcceptsMedia(mediaType string, size int64) bool {
	limit, ok := acceptedMedia[mediaType]
	return ok && size > 0 && size <= limit
}

var acceptedMedia = map[string]int64{
	"application/pdf": maxPDFBytes,
	"image/png":       maxFileBytes, "image/jpeg": maxFileBytes, "image/webp": maxFileBytes, "image/heic": maxFileBytes, "image/heif": maxFileBytes,
	"video/mp4": maxFileBytes, "video/mpeg": maxFileBytes, "video/quicktime": maxFileBytes, "video/x-msvideo": maxFileBytes,
	"video/x-flv": maxFileBytes, "video/webm": maxFileBytes, "video/x-ms-wmv": maxFileBytes, "video/3gpp": maxFileBytes,
	"audio/wav": maxFileBytes, "audio/x-wav": maxFileBytes, "audio/mpeg": maxFileBytes, "audio/mp3": maxFileBytes, "audio/aac": maxFileBytes,
	"audio/mp4": maxFileBytes, "audio/x-m4a": maxFileBytes, "audio/ogg": maxFileBytes, "audio/flac": maxFileBytes, "audio/x-flac": maxFileBytes, "audio/aiff": maxFileBytes,
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text       string      `json:"text,omitempty"`
	Thought    bool        `json:"thought,omitempty"`
	InlineData *inlineData `json:"inlineData,omitempty"`
	FileData   *fileData   `json:"fileData,omitempty"`
}

type inlineData struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"` // base64 in JSON
}

type fileData struct {
	MimeType string `json:"mimeType"`
	FileURI  string `json:"fileUri"`
}

type generateRequest struct {
	SystemInstruction content          `json:"systemInstruction"`
	Contents          []content        `json:"contents"`
	GenerationConfig  generationConfig `json:"generationConfig"`
}

type generationConfig struct {
	ResponseMimeType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	MaxOutputTokens    int             `json:"maxOutputTokens,omitempty"`
	Temperature        *float64        `json:"temperature,omitempty"`
}

type generateResponse struct {
	Candidates []struct {
		Content      content `json:"content"`
		FinishReason string  `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	UsageMetadata struct {
		Prompt     int `json:"promptTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	ModelVersion string `json:"modelVersion"`
}

// Generate implements [llm.Model].
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	body := generateRequest{
		SystemInstruction: content{Parts: []part{{Text: req.Instructions}}},
		Contents:          []content{{Role: "user", Parts: parts(req.Parts)}},
		GenerationConfig: generationConfig{
			ResponseMimeType:   "application/json",
			ResponseJSONSchema: req.Schema,
			MaxOutputTokens:    m.options.MaxOutputTokens,
			Temperature:        m.options.Temperature,
		},
	}
	var answer generateResponse
	reply, err := m.endpoint.Do(ctx, llm.Call{
		Method: http.MethodPost,
		URL:    m.base + "/v1beta/models/" + url.PathEscape(m.options.Model) + ":generateContent",
		JSON:   body,
	}, &answer)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	return m.response(&answer, reply.Attempts)
}

func parts(list []llm.Part) []part {
	var parts []part
	for _, p := range list {
		switch {
		case p.Media == nil:
			parts = append(parts, part{Text: p.Text})
		case p.Media.URI != "":
			parts = append(parts, part{FileData: &fileData{p.Media.MediaType, p.Media.URI}})
		default:
			parts = append(parts, part{InlineData: &inlineData{p.Media.MediaType, p.Media.Data}})
		}
	}
	return parts
}

func (m *Model) response(answer *generateResponse, attempts int) (*llm.Response, error) {
	used := answer.UsageMetadata
	response := &llm.Response{
		Model: answer.ModelVersion,
		Usage: llm.Usage{Requests: attempts, Retries: attempts - 1, InputTokens: used.Prompt, OutputTokens: used.Candidates + used.Thoughts},
	}
	if response.Model == "" {
		response.Model = m.options.Model
	}
	m.options.Prices.Price(&response.Usage)
	if len(answer.Candidates) == 0 {
		return response, fmt.Errorf("gemini: %w (%s)", llm.ErrRefused, reason(answer.PromptFeedback.BlockReason))
	}
	candidate := answer.Candidates[0]
	var text strings.Builder
	for _, p := range candidate.Content.Parts {
		if !p.Thought {
			text.WriteString(p.Text)
		}
	}
	response.Text = text.String()
	switch candidate.FinishReason {
	case "STOP", "FINISH_REASON_UNSPECIFIED", "":
	case "MAX_TOKENS":
		response.Truncated = true
	default:
		return response, fmt.Errorf("gemini: %w (%s)", llm.ErrRefused, reason(candidate.FinishReason))
	}
	return response, nil
}

// reason turns the reason given by the server into a word.
func reason(word string) string {
	word = strings.ToLower(strings.ReplaceAll(word, "_", " "))
	if word == "" || len(word) > 60 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz ") != "" {
		return "no reason given"
	}
	return word
}

// explain reads the body of an error: google.rpc.Status in JSON, with a
// RetryInfo where a retry makes sense.
func explain(failed *llm.Error, _ http.Header, body []byte) {
	var answer struct {
		Error struct {
			Message string `json:"message"`
			Details []struct {
				Reason     string `json:"reason"`
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return
	}
	failed.Message = answer.Error.Message
	for _, detail := range answer.Error.Details {
		if strings.HasPrefix(detail.Reason, "API_KEY_") {
			failed.KeyRejected = true
		}
		if delay, err := time.ParseDuration(detail.RetryDelay); err == nil {
			failed.RetryAfter = max(failed.RetryAfter, delay)
		}
	}
}
