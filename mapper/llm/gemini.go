package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/citekit/citekit"
)

// DefaultGeminiModel is the alias of the Gemini API for its newest Flash model. A
// numbered model is shut down after about a year. The map records which model
// answered.
const DefaultGeminiModel = "gemini-flash-latest"

const geminiBaseURL = "https://generativelanguage.googleapis.com"

// GeminiOptions configure a [Gemini]. Only a key is required. They can be read from
// JSON, see [ParseConfig]; the key is not part of it.
type GeminiOptions struct {
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
	Timeout        Seconds `json:"timeout,omitempty"`
	ProcessTimeout Seconds `json:"process_timeout,omitempty"`

	// Retries is the number of retries of a request; zero means 3; negative
	// means none. RetryDelay is the pause before the first retry, doubled for
	// each further one; zero means 1 second.
	Retries    int     `json:"retries,omitempty"`
	RetryDelay Seconds `json:"retry_delay,omitempty"`

	// InlineBytes is the maximum size of a file that goes with the request;
	// zero means 4 MiB, and negative uploads every file.
	InlineBytes int64 `json:"inline_bytes,omitempty"`

	Prices *Prices `json:"prices,omitempty"` // for Usage.Cost; nil counts no cost

	// Client makes the requests; nil means a new client.
	Client *http.Client `json:"-"`
}

const (
	defaultInlineBytes    = 4 << 20
	defaultProcessTimeout = 15 * time.Minute
	maxGeminiBytes        = 2 << 30  // of the Files API
	maxGeminiPDFBytes     = 50 << 20 // of a document, inline or uploaded
)

// A Gemini is a model of the Gemini API. It is safe for concurrent use.
//
//	model, err := llm.NewGemini(&llm.GeminiOptions{Key: os.Getenv("GEMINI_API_KEY")})
//	mapper := llm.New(model, modality.All(), nil)
//
// It speaks the REST API, version v1beta, over net/http. Small files go with
// the request; others are uploaded, waited for, and deleted afterwards, whether
// the request succeeded or not. The key goes in a header, never in a URL.
type Gemini struct {
	options  GeminiOptions
	base     string
	endpoint Endpoint
}

var _ MediaModel = (*Gemini)(nil)

// NewGemini returns a model. It makes no request. Without a key, or with an invalid
// base URL, the error matches [citekit.ErrSyntax].
func NewGemini(opts *GeminiOptions) (*Gemini, error) {
	m := new(Gemini)
	if opts != nil {
		m.options = *opts
	}
	o := &m.options
	key, err := FindKey(o.Key, o.KeyEnv)
	if err != nil {
		return nil, err
	}
	if o.Key = key; key == "" {
		return nil, fmt.Errorf("no key for the Gemini API; GEMINI_API_KEY usually has it: %w", citekit.ErrSyntax)
	}
	if o.Model == "" {
		o.Model = DefaultGeminiModel
	}
	o.Model = strings.TrimPrefix(o.Model, "models/")
	if o.InlineBytes == 0 {
		o.InlineBytes = defaultInlineBytes
	}
	if o.BaseURL == "" {
		o.BaseURL = geminiBaseURL
	}
	base, err := BaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	m.base = base.String()
	m.endpoint = Endpoint{
		Client:  o.Client,
		Key:     o.Key,
		Header:  http.Header{"X-Goog-Api-Key": {o.Key}},
		Timeout: o.Timeout.Duration(0),
		Retry:   NewRetry(o.Retries, o.RetryDelay),
		Explain: explainGemini,
	}
	return m, nil
}

// AcceptsMedia implements [MediaModel]: PDF up to 50 MB, and the pictures,
// sound and film that the Gemini API reads, up to 2 GB.
func (m *Gemini) AcceptsMedia(mediaType string, size int64) bool {
	limit, ok := geminiMedia[mediaType]
	return ok && size > 0 && size <= limit
}

var geminiMedia = map[string]int64{
	"application/pdf": maxGeminiPDFBytes,
	"image/png":       maxGeminiBytes, "image/jpeg": maxGeminiBytes, "image/webp": maxGeminiBytes, "image/heic": maxGeminiBytes, "image/heif": maxGeminiBytes,
	"video/mp4": maxGeminiBytes, "video/mpeg": maxGeminiBytes, "video/quicktime": maxGeminiBytes, "video/x-msvideo": maxGeminiBytes,
	"video/x-flv": maxGeminiBytes, "video/webm": maxGeminiBytes, "video/x-ms-wmv": maxGeminiBytes, "video/3gpp": maxGeminiBytes,
	"audio/wav": maxGeminiBytes, "audio/x-wav": maxGeminiBytes, "audio/mpeg": maxGeminiBytes, "audio/mp3": maxGeminiBytes, "audio/aac": maxGeminiBytes,
	"audio/mp4": maxGeminiBytes, "audio/x-m4a": maxGeminiBytes, "audio/ogg": maxGeminiBytes, "audio/flac": maxGeminiBytes, "audio/x-flac": maxGeminiBytes, "audio/aiff": maxGeminiBytes,
}

type geminiContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text       string          `json:"text,omitempty"`
	Thought    bool            `json:"thought,omitempty"`
	InlineData *geminiData     `json:"inlineData,omitempty"`
	FileData   *geminiFileData `json:"fileData,omitempty"`
}

type geminiData struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"` // base64 in JSON
}

type geminiFileData struct {
	MimeType string `json:"mimeType"`
	FileURI  string `json:"fileUri"`
}

type geminiRequest struct {
	SystemInstruction geminiContent   `json:"systemInstruction"`
	Contents          []geminiContent `json:"contents"`
	GenerationConfig  geminiConfig    `json:"generationConfig"`
}

type geminiConfig struct {
	ResponseMimeType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	MaxOutputTokens    int             `json:"maxOutputTokens,omitempty"`
	Temperature        *float64        `json:"temperature,omitempty"`
}

type geminiResponse struct {
	Candidates []struct {
		Content      geminiContent `json:"content"`
		FinishReason string        `json:"finishReason"`
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

// Generate implements [Model].
func (m *Gemini) Generate(ctx context.Context, req *Request) (*Response, error) {
	body := geminiRequest{
		SystemInstruction: geminiContent{Parts: []geminiPart{{Text: req.Instructions}}},
		Contents:          []geminiContent{{Role: "user", Parts: geminiParts(req.Parts)}},
		GenerationConfig: geminiConfig{
			ResponseMimeType:   "application/json",
			ResponseJSONSchema: req.Schema,
			MaxOutputTokens:    m.options.MaxOutputTokens,
			Temperature:        m.options.Temperature,
		},
	}
	var answer geminiResponse
	reply, err := m.endpoint.Do(ctx, Call{
		Method: http.MethodPost,
		URL:    m.base + "/v1beta/models/" + url.PathEscape(m.options.Model) + ":generateContent",
		JSON:   body,
	}, &answer)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	return m.response(&answer, reply.Attempts)
}

func geminiParts(list []Part) []geminiPart {
	var parts []geminiPart
	for _, p := range list {
		switch {
		case p.Media == nil:
			parts = append(parts, geminiPart{Text: p.Text})
		case p.Media.URI != "":
			parts = append(parts, geminiPart{FileData: &geminiFileData{p.Media.MediaType, p.Media.URI}})
		default:
			parts = append(parts, geminiPart{InlineData: &geminiData{p.Media.MediaType, p.Media.Data}})
		}
	}
	return parts
}

func (m *Gemini) response(answer *geminiResponse, attempts int) (*Response, error) {
	used := answer.UsageMetadata
	response := &Response{
		Model: answer.ModelVersion,
		Usage: Usage{Requests: attempts, Retries: attempts - 1, InputTokens: used.Prompt, OutputTokens: used.Candidates + used.Thoughts},
	}
	if response.Model == "" {
		response.Model = m.options.Model
	}
	m.options.Prices.Price(&response.Usage)
	if len(answer.Candidates) == 0 {
		return response, fmt.Errorf("gemini: %w (%s)", ErrRefused, geminiReason(answer.PromptFeedback.BlockReason))
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
		return response, fmt.Errorf("gemini: %w (%s)", ErrRefused, geminiReason(candidate.FinishReason))
	}
	return response, nil
}

// geminiReason turns the reason given by the server into a word.
func geminiReason(word string) string {
	word = strings.ToLower(strings.ReplaceAll(word, "_", " "))
	if word == "" || len(word) > 60 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz ") != "" {
		return "no reason given"
	}
	return word
}

// explainGemini reads the body of an error: google.rpc.Status in JSON, with a
// RetryInfo where a retry makes sense.
func explainGemini(failed *Error, _ http.Header, body []byte) {
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
