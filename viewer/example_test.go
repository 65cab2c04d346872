package viewer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/viewer"
)

// A program shows its files beside pages of its own. Who may see them is decided by what
// stands before, as anybody who reaches a Handler without a Key may.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "tides-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "tides.txt"), []byte("High water is at noon.\n"), 0o600); err != nil {
		panic(err)
	}
	c, err := corpus.Open(dir, nil)
	if err != nil {
		panic(err)
	}
	defer c.Close()

	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	server := httptest.NewServer(viewer.New(c.Service(nil), nil).Beside(mux))
	defer server.Close()
	for _, link := range []string{
		server.URL + "/hello",
		viewer.Link(server.URL, "text://tides#lines=1-1", "at noon"),
		server.URL + "/v1/resources",
	} {
		answer, err := http.Get(link)
		if err != nil {
			panic(err)
		}
		answer.Body.Close()
		fmt.Println(answer.Status, answer.Header.Get("Content-Type"))
	}
	// Output:
	// 200 OK text/plain; charset=utf-8
	// 200 OK text/html; charset=utf-8
	// 200 OK application/json
}

// A link to where words stand, for a chat or a text.
func ExampleLink() {
	fmt.Println(viewer.Link("https://cite.example", "doc://book#pages=12", "high water"))
	// Output: https://cite.example/view/doc://book%23pages=12?q=high+water
}
