package llm

import (
	"encoding/json"
	"net/http"
	"strings"
)

// A answerFormat is a way to ask a server for JSON.
type answerFormat int

const (
	bySchema answerFormat = iota // bound to a schema
	byObject                     // any object
	byWords                      // asked for in words
)

// A dialect is the part of the interface that a server supports. It is learned
// from the requests that the server refuses.
type dialect struct {
	format        answerFormat
	oldLimit      bool // max_tokens instead of max_completion_tokens
	swapped       bool // oldLimit was learned, and does not change again
	noTemperature bool
}

func (m *OpenAI) dialect() dialect {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.talks
}

// learn changes the dialect after a request in it was refused, and reports
// whether to ask again. This ends, because no change is undone.
func (m *OpenAI) learn(used dialect, failed *Error) bool {
	if failed.Status != http.StatusBadRequest && failed.Status != http.StatusUnprocessableEntity && failed.Status != http.StatusNotImplemented {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.talks != used {
		return true // another request learned this concurrently
	}
	message := strings.ToLower(failed.Message)
	switch {
	case strings.Contains(message, "temperature") && m.options.Temperature != nil && !used.noTemperature:
		m.talks.noTemperature = true
	case m.options.MaxOutputTokens > 0 && !used.swapped && strings.Contains(message, used.limitName()):
		m.talks.oldLimit, m.talks.swapped = !used.oldLimit, true
	case used.format < byWords && namesFormat(message):
		m.talks.format++
		if m.talks.format == byObject && strings.Contains(message, "'text'") {
			m.talks.format = byWords // the server says that it supports no other
		}
	default:
		return false
	}
	return true
}

func (d dialect) limitName() string {
	if d.oldLimit {
		return "max_tokens"
	}
	return "max_completion_tokens"
}

// namesFormat reports whether a server refuses the requested JSON format.
func namesFormat(message string) bool {
	for _, word := range []string{"response_format", "response format", "json_schema", "json schema", "json_object", "structured output", "guided", "grammar", "invalid schema"} {
		if strings.Contains(message, word) {
			return true
		}
	}
	return false
}

// explainOpenAI reads the body of an error. OpenAI sends an object in "error", LM
// Studio and others a string there, old versions of vLLM a message at the top,
// and FastAPI "detail".
func explainOpenAI(failed *Error, _ http.Header, body []byte) {
	var answer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return
	}
	var object struct {
		Message string `json:"message"`
		Param   string `json:"param"`
		Code    any    `json:"code"`
	}
	var text string
	switch {
	case json.Unmarshal(answer.Error, &object) == nil && object.Message != "":
		failed.Message = object.Message
	case json.Unmarshal(answer.Error, &text) == nil && text != "":
		failed.Message = text
	case answer.Message != "":
		failed.Message = answer.Message
	case json.Unmarshal(answer.Detail, &text) == nil:
		failed.Message = text
	}
	if object.Param != "" && !strings.Contains(failed.Message, object.Param) {
		failed.Message += " (" + object.Param + ")"
	}
	code, _ := object.Code.(string)
	if code == "insufficient_quota" {
		failed.Temporary = false // waiting does not raise the quota
	}
	if code == "invalid_api_key" {
		failed.KeyRejected = true
	}
}
