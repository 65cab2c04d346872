package main

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// TestAsk has the agent answer, with a model that follows a script.
func TestAsk(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("tides.txt", []byte("The causeway floods at high tide.\nIt is dry for five hours.\n"))
	const tides = `{"resource_id":"tides","type":"text","title":"Tides","source_path":"tides.txt","nodes":[
		{"id":"flood","title":"Flood","type":"section","location":{"modality":"text","lines":[1,1]}},
		{"id":"dry","title":"Dry","type":"section","location":{"modality":"text","lines":[2,2]}}]}`
	if err := ws.WriteMap(t.Context(), "tides", []byte(tides)); err != nil {
		t.Fatal(err)
	}
	files := corpus.New(citekit.New(ws, modality.All(), nil), nil)
	defer files.Close()
	for question, want := range map[string]string{
		"When does the causeway flood?": "The causeway floods at high tide. (text://tides#lines=1-1)",
		"Who built the lighthouse?":     "The sources say nothing of it.",
	} {
		got, err := ask(t.Context(), files, quoter{}, question)
		if err != nil || got != want {
			t.Errorf("%s\n%q, %v; want %q", question, got, err, want)
		}
	}
}
