// Altered measures how well a checker of quotes tells those that stand in a text from
// those that were altered, spliced, moved to another text, or invented.
//
//	go run ./bench/altered -dir DIR            # writes texts and quotes
//	go run ./bench/altered -dir DIR PEER.json… # asks the checkers, and prints a table
//
// README.md has the results, and says how to add a checker.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", filepath.Join(os.TempDir(), "citekit-altered"), "folder of the texts and of quotes.jsonl, which are written anew")
	texts := flag.String("texts", "", "folder with .md and .txt files in UTF-8 to take quotes from; without it, four texts of this project")
	seed := flag.Uint64("seed", 1, "seed of the quotes")
	n := flag.Int("n", 5, "quotes of each kind of change; rare ones are weighted")
	misses := flag.String("misses", "", "file for what was judged wrongly, with the answers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *dir, *texts, *seed, *n, *misses, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "altered:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, from string, seed uint64, n int, misses string, peers []string) error {
	texts, err := readTexts(from)
	if err != nil {
		return err
	}
	quotes := generate(texts, seed, n)
	folder, err := write(dir, texts, quotes)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d texts in %s, %d quotes in %s, seed %d\n", len(texts), folder, len(quotes), filepath.Join(dir, "quotes.jsonl"), seed)
	var wrong bytes.Buffer
	var rows []row
	for _, name := range peers {
		p, err := readPeer(name)
		if err != nil {
			return err
		}
		answers, version, err := p.ask(ctx, folder, quotes)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		r := judge(p, quotes, answers, &wrong)
		r.version = version
		rows = append(rows, r)
	}
	if len(rows) > 0 {
		fmt.Print(table(quotes, rows))
	}
	if misses != "" {
		return os.WriteFile(misses, wrong.Bytes(), 0o600)
	}
	return nil
}

// encode returns a value as a line of JSON that people can read.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only plain structs are encoded
	}
	return b.Bytes()
}
