//lint:file-ignore SA1019 the suites also call what the protocol deprecates

package mcpadapter_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addFixtures adds the tools, resources and prompts that the conformance suites
// call by name. What each must answer is in the README of the suites.
func addFixtures(server *mcp.Server) {
	for name, content := range fixtureContents() {
		addFixture(server, name, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	addFixture(server, "test_error_handling", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("this tool intentionally returns an error for testing")
	})
	addFixture(server, "test_tool_with_logging", logThrice)
	addFixture(server, "test_logging_tool", logThrice)
	addFixture(server, "test_tool_with_progress", progressThrice)
	addFixture(server, "test_reconnection", endStream)
	addFixture(server, "test_missing_capability", needSampling)
	addSchemaFixtures(server)
	addAskingFixtures(server)
	addChangeFixtures(server)
	addInputFixtures(server)
	addResourceFixtures(server)
	addPromptFixtures(server)
}

func addFixture(server *mcp.Server, name string, run func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: "For the conformance suites."},
		func(ctx context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
			result, err := run(ctx, req)
			return result, nil, err
		})
}

// say is the result that says a text.
func say(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func fixtureContents() map[string][]mcp.Content {
	words := &mcp.TextContent{Text: "This is a simple text response for testing."}
	picture := &mcp.ImageContent{Data: fixturePNG(), MIMEType: "image/png"}
	embedded := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "An embedded resource."}}
	return map[string][]mcp.Content{
		"test_simple_text":            {words},
		"test_streaming_elicitation":  {words},
		"test_image_content":          {picture},
		"test_audio_content":          {&mcp.AudioContent{Data: fixtureWAV(), MIMEType: "audio/wav"}},
		"test_embedded_resource":      {embedded},
		"test_multiple_content_types": {words, picture, embedded},
	}
}

func fixturePNG() []byte {
	return decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
}

func fixtureWAV() []byte {
	return decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
}

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func logThrice(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, step := range []string{"started", "at work", "done"} {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: step}); err != nil {
			return nil, err
		}
	}
	return say("logged"), nil
}

func progressThrice(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, progress := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: progress, Total: 100}); err != nil {
			return nil, err
		}
	}
	return say("%v", token), nil
}

// endStream ends the stream that the result is to come on, so that the client
// must connect again. A server that keeps no events has none to end.
func endStream(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	return say("connected again"), nil
}

func needSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if able := req.ClientCapabilities(); able != nil && able.Sampling != nil {
		return say("the client can sample"), nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is required", Data: data}
}

// addSchemaFixtures adds tools whose schemas must reach the client unchanged.
func addSchemaFixtures(server *mcp.Server) {
	schemas := map[string]string{
		"json_schema_2020_12_tool": `{
			"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
			"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
			"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
				"contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}},
			"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
			"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
			"then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false}`,
		"test_x_mcp_header": `{"type": "object", "properties": {
			"region": {"type": "string", "x-mcp-header": "Region"}, "level": {"type": "integer"}}}`,
	}
	for name, schema := range schemas {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "For the conformance suites.", InputSchema: json.RawMessage(schema)},
			func(_ context.Context, _ *mcp.CallToolRequest, args map[string]any) (*mcp.CallToolResult, any, error) {
				return say("called with %v", args), nil, nil
			})
	}
}

// addAskingFixtures adds tools that ask the client while they run.
func addAskingFixtures(server *mcp.Server) {
	type asking struct {
		Prompt  string `json:"prompt,omitempty"`
		Message string `json:"message,omitempty"`
	}
	add := func(name string, ask func(context.Context, *mcp.ServerSession, asking) (any, error)) {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "For the conformance suites."},
			func(ctx context.Context, req *mcp.CallToolRequest, in asking) (*mcp.CallToolResult, any, error) {
				answer, err := ask(ctx, req.Session, in)
				if err != nil {
					return nil, nil, err
				}
				return say("%v", answer), nil, nil
			})
	}
	add("test_sampling", func(ctx context.Context, session *mcp.ServerSession, in asking) (any, error) {
		result, err := session.CreateMessage(ctx, sampling(in.Prompt))
		if err != nil {
			return nil, err
		}
		return result.Content.(*mcp.TextContent).Text, nil
	})
	schemas := map[string]string{
		"test_elicitation": `{"username": {"type": "string", "description": "Your preferred username"}}`,
		"test_elicitation_sep1034_defaults": `{"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
			"score": {"type": "number", "default": 95.5}, "verified": {"type": "boolean", "default": true},
			"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}}`,
		"test_elicitation_sep1330_enums": `{
			"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
			"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
			"untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
			"titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "anyOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]}}}`,
	}
	for name, properties := range schemas {
		add(name, func(ctx context.Context, session *mcp.ServerSession, in asking) (any, error) {
			result, err := session.Elicit(ctx, elicitation(in.Message, properties))
			if err != nil {
				return nil, err
			}
			return fmt.Sprintf("action=%s, content=%v", result.Action, result.Content), nil
		})
	}
}

// elicitation asks a person for properties, given as JSON.
func elicitation(message, properties string) *mcp.ElicitParams {
	if message == "" {
		message = "Please answer."
	}
	schema := json.RawMessage(`{"type": "object", "properties": ` + properties + `}`)
	return &mcp.ElicitParams{Message: message, RequestedSchema: schema}
}

func sampling(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{
		{Role: "user", Content: &mcp.TextContent{Text: prompt}},
	}}
}

// addChangeFixtures adds tools that change a list that clients hear of.
func addChangeFixtures(server *mcp.Server) {
	addFixture(server, "test_trigger_tool_change", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		addFixture(server, "test_added", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return say("added"), nil })
		return say("added a tool"), nil
	})
	addFixture(server, "test_trigger_prompt_change", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		addPromptFixture(server, "test_added", nil, &mcp.TextContent{Text: "added"})
		return say("added a prompt"), nil
	})
}

const (
	askName    = `{"name": {"type": "string"}}`
	askConfirm = `{"ok": {"type": "boolean"}}`
	askContext = `{"context": {"type": "string"}}`
)

// addInputFixtures adds tools that answer with what they need, and go on when
// they are called again with that.
func addInputFixtures(server *mcp.Server) {
	name, greeting := elicitation("What is your name?", askName), sampling("Greet someone.")
	add := func(tool string, run func(*mcp.CallToolParamsRaw) *mcp.CallToolResult) {
		addFixture(server, "test_input_required_result_"+tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if strings.HasSuffix(req.Params.RequestState, "-TAMPERED") { // as the suites do it
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request state is not of this server"}
			}
			return run(req.Params), nil
		})
	}
	add("elicitation", func(p *mcp.CallToolParamsRaw) *mcp.CallToolResult {
		if given, _ := accepted(p.InputResponses, "user_name")["name"].(string); given != "" {
			return say("Hello, %s!", given)
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"user_name": name}}
	})
	add("sampling", func(p *mcp.CallToolParamsRaw) *mcp.CallToolResult {
		if text, ok := sampled(p.InputResponses, "capital_question"); ok {
			return say("The client's model says: %s", text)
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"capital_question": sampling("What is the capital of France?")}}
	})
	add("list_roots", func(p *mcp.CallToolParamsRaw) *mcp.CallToolResult {
		if roots, ok := p.InputResponses["client_roots"].(*mcp.ListRootsResult); ok {
			return say("%d roots", len(roots.Roots))
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}}
	})
	for _, tool := range []string{"request_state", "tampered_state"} {
		add(tool, func(p *mcp.CallToolParamsRaw) *mcp.CallToolResult {
			if p.RequestState == tool && accepted(p.InputResponses, "confirm") != nil {
				return say("state-ok")
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"confirm": elicitation("Please confirm", askConfirm)}, RequestState: tool}
		})
	}
	add("multiple_inputs", func(p *mcp.CallToolParamsRaw) *mcp.CallToolResult {
		_, greeted := sampled(p.InputResponses, "greeting")
		_, rooted := p.InputResponses["client_roots"].(*mcp.ListRootsResult)
		if greeted && rooted && accepted(p.InputResponses, "user_name") != nil {
			return say("all inputs are there")
		}
		return &mcp.CallToolResult{RequestState: "inputs", InputRequests: mcp.InputRequestMap{
			"user_name": name, "greeting": greeting, "client_roots": &mcp.ListRootsParams{},
		}}
	})
	add("multi_round", twoRounds)
	addFixture(server, "test_input_required_result_capabilities", askWhatIsAble(name, greeting))
	server.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "For the conformance suites."},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if given := accepted(req.Params.InputResponses, "user_context"); given != nil {
				return promptOf(&mcp.TextContent{Text: fmt.Sprint(given["context"])}), nil
			}
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": elicitation("Which context?", askContext)}}, nil
		})
}

// twoRounds asks twice; its state is all it knows of the first round.
func twoRounds(p *mcp.CallToolParamsRaw) *mcp.CallToolResult {
	first := &mcp.CallToolResult{RequestState: "round=1", InputRequests: mcp.InputRequestMap{"step1": elicitation("Step 1: your name?", askName)}}
	if p.RequestState == "" {
		return first
	}
	if given := accepted(p.InputResponses, "step1"); given != nil && p.RequestState == "round=1" {
		return &mcp.CallToolResult{
			RequestState:  fmt.Sprintf("round=2;name=%v", given["name"]),
			InputRequests: mcp.InputRequestMap{"step2": elicitation("Step 2: your colour?", `{"color": {"type": "string"}}`)},
		}
	}
	if given := accepted(p.InputResponses, "step2"); given != nil {
		return say("both rounds are complete: %v", given["color"])
	}
	return first
}

// askWhatIsAble asks only for what the client says that it can do.
func askWhatIsAble(name *mcp.ElicitParams, greeting *mcp.CreateMessageParams) func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		able, requests := req.ClientCapabilities(), mcp.InputRequestMap{}
		if able != nil && able.Elicitation != nil {
			requests["user_name"] = name
		}
		if able != nil && able.Sampling != nil {
			requests["greeting"] = greeting
		}
		if len(requests) == 0 || len(req.Params.InputResponses) > 0 {
			return say("nothing more to ask"), nil
		}
		return &mcp.CallToolResult{InputRequests: requests}, nil
	}
}

// accepted returns what a person answered, or nil.
func accepted(responses mcp.InputResponseMap, key string) map[string]any {
	if response, ok := responses[key].(*mcp.ElicitResult); ok && response.Action == "accept" {
		return response.Content
	}
	return nil
}

func sampled(responses mcp.InputResponseMap, key string) (string, bool) {
	response, ok := responses[key].(*mcp.CreateMessageWithToolsResult)
	if !ok || len(response.Content) == 0 {
		return "", false
	}
	text, ok := response.Content[0].(*mcp.TextContent)
	return text.Text, ok
}

func addResourceFixtures(server *mcp.Server) {
	contents := func(of mcp.ResourceContents) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			one := of
			one.URI = req.Params.URI
			if one.Blob == nil && one.Text == "" {
				id := strings.TrimSuffix(strings.TrimPrefix(one.URI, "test://template/"), "/data")
				one.Text = fmt.Sprintf(`{"id": %q, "templateTest": true, "data": "Data for ID: %s"}`, id, id)
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&one}}, nil
		}
	}
	text := mcp.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	for _, name := range []string{"static-text", "watched-resource"} {
		server.AddResource(&mcp.Resource{Name: name, URI: "test://" + name, MIMEType: text.MIMEType}, contents(text))
	}
	server.AddResource(&mcp.Resource{Name: "static-binary", URI: "test://static-binary", MIMEType: "image/png"},
		contents(mcp.ResourceContents{MIMEType: "image/png", Blob: fixturePNG()}))
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		contents(mcp.ResourceContents{MIMEType: "application/json"}))
}

func addPromptFixtures(server *mcp.Server) {
	addPromptFixture(server, "test_simple_prompt", nil, &mcp.TextContent{Text: "This is a simple prompt for testing."})
	addPromptFixture(server, "test_prompt_with_image", nil, &mcp.ImageContent{Data: fixturePNG(), MIMEType: "image/png"}, &mcp.TextContent{Text: "What is it?"})
	required := func(name string) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: name, Description: "For the conformance suites.", Required: true}
	}
	server.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: "For the conformance suites.", Arguments: []*mcp.PromptArgument{required("arg1"), required("arg2")}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			args := req.Params.Arguments
			return promptOf(&mcp.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"])}), nil
		})
	server.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "For the conformance suites.", Arguments: []*mcp.PromptArgument{required("resourceUri")}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			resource := &mcp.ResourceContents{URI: req.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}
			return promptOf(&mcp.EmbeddedResource{Resource: resource}, &mcp.TextContent{Text: "Please process the embedded resource above."}), nil
		})
}

func addPromptFixture(server *mcp.Server, name string, args []*mcp.PromptArgument, contents ...mcp.Content) {
	server.AddPrompt(&mcp.Prompt{Name: name, Description: "For the conformance suites.", Arguments: args},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return promptOf(contents...), nil
		})
}

func promptOf(contents ...mcp.Content) *mcp.GetPromptResult {
	result := &mcp.GetPromptResult{Description: "For the conformance suites."}
	for _, content := range contents {
		result.Messages = append(result.Messages, &mcp.PromptMessage{Role: "user", Content: content})
	}
	return result
}
