package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
)

// Programs in any language ask over HTTP.
func Example() {
	dir, err := os.MkdirTemp("", "citekit-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "tea.md"), []byte("# Tea\n\nGreen tea is brewed with water of eighty degrees.\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	papers, err := corpus.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer papers.Close()
	if _, err := papers.Ingest(context.Background()); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux() // your own, behind your own authentication
	mux.Handle("/v1/", api.New(papers.Service(nil), nil))
	server := httptest.NewServer(mux)
	defer server.Close()

	res, err := http.Post(server.URL+"/v1/answer", "application/json", strings.NewReader(`{"question": "How hot is the water for green tea?"}`))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	var answer api.Answer
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	for _, cited := range answer.Citations {
		fmt.Println(cited.Text, cited.Address)
	}
	// Output:
	// Green tea is brewed with water of eighty degrees. text://tea#lines=3-3
}
