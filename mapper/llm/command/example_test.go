package command_test

import (
	"context"
	"fmt"
	"os"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm/command"
	"github.com/citekit/citekit/modality"
)

// The program may be as small as this, in Python:
//
//	import json, sys
//	source = json.load(sys.stdin)["source"]
//	nodes = [{"title": line.strip(), "lines": [n, n]}
//	         for n, line in enumerate(open(source["path"]), 1) if line.isupper()]
//	json.dump({"nodes": nodes}, sys.stdout)
func ExampleNew() {
	mapper, err := command.New("./headlines.py", modality.All(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := os.Open("notes.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	src := citekit.NewSource(f, citekit.SourceInfo{Name: "notes.txt", Size: 1000})
	structure, err := mapper.Map(context.Background(), src, citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(structure.Nodes))
}
