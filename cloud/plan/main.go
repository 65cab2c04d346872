// Plan tells what a number of documents and of resolves a second take: disks, cores,
// requests and money. docs/scale.md has what it writes. Change the figures in
// model.go to your own.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	documents := flag.Float64("documents", 0, "a number of documents, such as 2e7; without it, those of docs/scale.md")
	resolves := flag.Float64("resolves", 100, "resolves a second, with -documents")
	flag.Parse()
	if flag.NArg() > 0 || *documents < 0 || *resolves < 0 {
		fmt.Fprintln(os.Stderr, "plan: give -documents and -resolves, both at least 0")
		os.Exit(2)
	}
	m := standard()
	plans := documented(&m)
	if *documents > 0 {
		plans = []plan{m.plan(*documents, *resolves)}
	}
	m.write(os.Stdout, plans)
}

// documented are the plans of docs/scale.md.
func documented(m *model) []plan {
	return []plan{m.plan(1e6, 100), m.plan(1e8, 1000), m.plan(1e9, 10_000)}
}
