package llm_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/modality"
)

// A parrot is a model that always says the same. Packages gemini and openai
// have real ones.
type parrot string

func (p parrot) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return &llm.Response{Text: string(p), Model: "parrot"}, nil
}

func ExampleNew() {
	text := "Rain, rain,\ngo away.\n"
	src := citekit.NewSource(strings.NewReader(text), citekit.SourceInfo{Name: "rain.txt", Size: int64(len(text))})
	// The second node lies outside the source, however often one asks.
	model := parrot(`{"title": "Rain", "nodes": [
		{"level": 1, "title": "First verse", "type": "passage", "lines": [1, 2], "summary": "It rains."},
		{"level": 1, "title": "Second verse", "type": "passage", "lines": [3, 4], "summary": null}
	]}`)
	structure, err := llm.New(model, modality.All(), nil).Map(context.Background(), src, citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range structure.Nodes {
		fmt.Println(n.Title, n.Location.Lines)
	}
	fmt.Println("left out:", structure.Metadata["nodes_left_out"])
	// Output:
	// First verse 1-2
	// left out: 1
}

// verses is a mapper that needs no model.
type verses struct{}

func (verses) Map(context.Context, *citekit.Source, citekit.MapRequest) (*citekit.Draft, error) {
	return &citekit.Draft{Nodes: []*citekit.Node{
		{Type: "passage", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 2}}},
	}, Method: "passages"}, nil
}

func ExampleEnrich() {
	text := "Rain, rain,\ngo away.\n"
	src := citekit.NewSource(strings.NewReader(text), citekit.SourceInfo{Name: "rain.txt", Size: int64(len(text))})
	model := parrot(`{"nodes": [{"node": 1, "title": "Rain", "summary": "The rain is told to go."}]}`)

	mapper := llm.Enrich(verses{}, model, modality.All(), nil)
	structure, err := mapper.Map(context.Background(), src, citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range structure.Nodes {
		fmt.Println(n.Title, n.Location.Lines, n.Summary)
	}
	// Output:
	// Rain 1-2 The rain is told to go.
}
