package main

import (
	"log"
	"os"
	"path/filepath"
)

// The program finds its sentence in the samples of the quickstart.
func Example() {
	samples := os.DirFS(filepath.Join("..", "quickstart", "samples"))
	dir, err := os.MkdirTemp("", "answer-")
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "tides"), samples)
	}
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	main()
	// Output:
	// doc://guide#pages=3: "At new\nand full moon both pull along one line and the range is\nwidest: spring tide."
}
