package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/modality"
)

// The program may be as small as this, in Python:
//
//	import json, sys
//	source = json.load(sys.stdin)["source"]
//	nodes = [{"title": line.strip(), "lines": [n, n]}
//	         for n, line in enumerate(open(source["path"]), 1) if line.isupper()]
//	json.dump({"nodes": nodes}, sys.stdout)
//
// Here the test itself is started again as that program.
func ExampleNewCommand() {
	program, err := os.Executable() // such as "./headlines.py"
	if err != nil {
		log.Fatal(err)
	}
	mapper, err := llm.NewCommand(program, modality.All(), &llm.CommandOptions{Env: append(os.Environ(), act+"=headlines")})
	if err != nil {
		log.Fatal(err)
	}
	const notes = "TIDES\nStart before low water.\nSAFETY\nThe refuge stands on stilts.\n"
	source := citekit.NewSource(strings.NewReader(notes), citekit.SourceInfo{Name: "notes.txt", Size: int64(len(notes))})
	defer source.Close()
	draft, err := mapper.Map(context.Background(), source, citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range draft.Nodes {
		fmt.Println(node.Title, node.Location)
	}
	// Output:
	// TIDES lines=1-1
	// SAFETY lines=3-3
}

// headlines is the program in Go.
func headlines() error {
	var input llm.CommandInput
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		return err
	}
	content, err := os.ReadFile(input.Source.Path)
	if err != nil {
		return err
	}
	type node struct {
		Title string `json:"title"`
		Lines [2]int `json:"lines"`
	}
	var nodes []node
	for i, line := range strings.Split(string(content), "\n") {
		if line != "" && line == strings.ToUpper(line) {
			nodes = append(nodes, node{line, [2]int{i + 1, i + 1}})
		}
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"nodes": nodes})
}
