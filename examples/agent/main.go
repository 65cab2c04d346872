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

	"github.com/citekit/citekit/corpus"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: agent DIRECTORY QUESTION")
	}
	files, err := corpus.Open(os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	if answer, err := ask(context.Background(), files, quoter{}, os.Args[2]); err != nil { // any model of Eino instead of quoter
		log.Print(err)
	} else {
		fmt.Println(answer)
	}
}

// ask has a model answer a question with the tools of a server over files.
func ask(ctx context.Context, files *corpus.Corpus, chat model.ToolCallingChatModel, question string) (string, error) {
	server := files.Server()
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
