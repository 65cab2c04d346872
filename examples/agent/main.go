// Command agent answers a question with citations by an agent of Eino that has
// the tools of citekit's MCP server in the same process.
//
//	go run . DIRECTORY QUESTION
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: agent DIRECTORY QUESTION")
	}
	ws, err := workspace.Open(os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	if answer, err := ask(context.Background(), lib, quoter{}, os.Args[2]); err != nil { // any model of Eino instead of quoter
		log.Print(err)
	} else {
		fmt.Println(answer)
	}
}

// ask has a model answer a question with the tools of a server over lib.
func ask(ctx context.Context, lib *citekit.Library, chat model.ToolCallingChatModel, question string) (string, error) {
	searcher, err := search.New(lib, nil)
	if err != nil {
		return "", err
	}
	defer searcher.Close()
	server := mcpadapter.NewServer(lib, &mcpadapter.Options{Searcher: searcher})
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, ours, nil); err != nil {
		return "", err
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	var tools []tool.BaseTool
	for definition, err := range session.Tools(ctx, nil) {
		if err != nil {
			return "", err
		}
		tools = append(tools, &mcpTool{session: session, definition: definition})
	}
	agent, err := react.NewAgent(ctx, &react.AgentConfig{ToolCallingModel: chat, ToolsConfig: compose.ToolsNodeConfig{Tools: tools}})
	if err != nil {
		return "", err
	}
	answer, err := agent.Generate(ctx, []*schema.Message{
		schema.SystemMessage("Put the address of its source behind each claim."), schema.UserMessage(question),
	})
	if err != nil {
		return "", err
	}
	return answer.Content, nil
}
