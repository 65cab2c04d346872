package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// A quoter stands for a language model: it searches for the question, and
// answers with the best passage and its address.
type quoter struct{}

// WithTools implements [model.ToolCallingChatModel].
func (q quoter) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return q, nil }

// Generate implements [model.BaseChatModel].
func (quoter) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	last := messages[len(messages)-1]
	if last.Role == schema.User {
		args, err := json.Marshal(map[string]string{"query": last.Content})
		call := schema.ToolCall{ID: "1", Type: "function", Function: schema.FunctionCall{Name: "search", Arguments: string(args)}}
		return schema.AssistantMessage("", []schema.ToolCall{call}), err
	}
	var found struct {
		Results []struct{ Snippet, Address string }
	}
	if err := json.Unmarshal([]byte(last.Content), &found); err != nil {
		return nil, err
	}
	if len(found.Results) == 0 {
		return schema.AssistantMessage("The sources say nothing of it.", nil), nil
	}
	best := found.Results[0]
	return schema.AssistantMessage(strings.TrimSpace(best.Snippet)+" ("+best.Address+")", nil), nil
}

// Stream implements [model.BaseChatModel].
func (quoter) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, errors.ErrUnsupported
}
