package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/citekit/citekit/mapper/llm"
)

var _ llm.StreamModel = (*Model)(nil)

// A chunk is a piece of a streamed completion.
type chunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// Stream answers as [Model.Generate] does, and calls tell with each piece of
// the text as it comes. An error of tell ends the request and is returned.
// Servers do not report the tokens of a streamed answer: its usage counts only
// requests.
func (m *Model) Stream(ctx context.Context, req *llm.Request, tell func(piece string) error) (*llm.Response, error) {
	requests := 0
	for {
		talks := m.dialect()
		body := m.body(req, talks)
		body.Stream = true
		s := &answerStream{tell: tell, response: llm.Response{Model: m.options.Model}}
		attempts, err := m.endpoint.Events(ctx, llm.Call{Method: http.MethodPost, URL: m.url, JSON: body}, s.chunk)
		requests += attempts
		if err == nil {
			s.response.Text = s.text.String()
			s.response.Usage = llm.Usage{Requests: requests, Retries: attempts - 1}
			return &s.response, nil
		}
		if s.told != nil {
			return nil, s.told
		}
		var failed *llm.Error
		if errors.As(err, &failed) && m.learn(talks, failed) {
			continue
		}
		return nil, fmt.Errorf("openai: %w", err)
	}
}

// An answerStream is an answer that comes in pieces.
type answerStream struct {
	tell     func(piece string) error
	told     error // the error that tell returned
	text     strings.Builder
	response llm.Response
}

func (s *answerStream) chunk(data []byte) error {
	if string(data) == "[DONE]" {
		return nil
	}
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return &llm.Error{Message: "the server sent a part of the stream that is not JSON"}
	}
	if c.Model != "" {
		s.response.Model = c.Model
	}
	if len(c.Choices) == 0 {
		return nil
	}
	switch choice := c.Choices[0]; {
	case choice.Delta.Refusal != "":
		return llm.ErrRefused
	case choice.FinishReason == "content_filter":
		return fmt.Errorf("%w (content filter)", llm.ErrRefused)
	default:
		s.response.Truncated = s.response.Truncated || choice.FinishReason == "length"
		s.text.WriteString(choice.Delta.Content)
		if choice.Delta.Content != "" {
			s.told = s.tell(choice.Delta.Content)
		}
	}
	return s.told
}
