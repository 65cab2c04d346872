package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

var _ StreamModel = (*OpenAI)(nil)

// A completionChunk is a piece of a streamed completion.
type completionChunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// Stream answers as [OpenAI.Generate] does, and calls tell with each piece of
// the text as it comes. An error of tell ends the request and is returned.
// Servers do not report the tokens of a streamed answer: its usage counts only
// requests.
func (m *OpenAI) Stream(ctx context.Context, req *Request, tell func(piece string) error) (*Response, error) {
	requests := 0
	for {
		talks := m.dialect()
		body := m.body(req, talks)
		body.Stream = true
		s := &completionStream{tell: tell, response: Response{Model: m.options.Model}}
		attempts, err := m.endpoint.Events(ctx, Call{Method: http.MethodPost, URL: m.url, JSON: body}, s.chunk)
		requests += attempts
		if err == nil {
			s.response.Text = s.text.String()
			s.response.Usage = Usage{Requests: requests, Retries: attempts - 1}
			return &s.response, nil
		}
		if s.told != nil {
			return nil, s.told
		}
		var failed *Error
		if errors.As(err, &failed) && m.learn(talks, failed) {
			continue
		}
		return nil, fmt.Errorf("openai: %w", err)
	}
}

// A completionStream is an answer being streamed.
type completionStream struct {
	tell     func(piece string) error
	told     error // the error that tell returned
	text     strings.Builder
	response Response
}

func (s *completionStream) chunk(data []byte) error {
	if string(data) == "[DONE]" {
		return nil
	}
	var c completionChunk
	if json.Unmarshal(data, &c) != nil {
		return &Error{Message: "the server sent a part of the stream that is not JSON"}
	}
	if c.Model != "" {
		s.response.Model = c.Model
	}
	if len(c.Choices) == 0 {
		return nil
	}
	switch choice := c.Choices[0]; {
	case choice.Delta.Refusal != "":
		return ErrRefused
	case choice.FinishReason == "content_filter":
		return fmt.Errorf("%w (content filter)", ErrRefused)
	default:
		s.response.Truncated = s.response.Truncated || choice.FinishReason == "length"
		s.text.WriteString(choice.Delta.Content)
		if choice.Delta.Content != "" {
			s.told = s.tell(choice.Delta.Content)
		}
	}
	return s.told
}
