// Documents reads a folder of real office documents, books and mail through
// citekit, compares what it reads with what other programs read, and prints a
// table for each format.
//
//	go run ./internal/tool/documents fetch -list docs/corpus/documents.tsv -dir DIR
//	go run ./internal/tool/documents measure -dir DIR
//
// The first brings the files of the list from the public repositories that
// have them; it needs git and the network.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("documents", flag.ExitOnError)
	list := flags.String("list", "docs/corpus/documents.tsv", "the list of files")
	dir := flags.String("dir", "documents", "the folder of the files, with a folder for each format")
	from := flags.String("from", "https://github.com/", "what the name of a repository is appended to")
	o := options{}
	flags.StringVar(&o.only, "formats", "", "formats to measure, such as docx,xlsx; all if empty")
	flags.StringVar(&o.part, "name", "", "measure files whose name has this")
	flags.BoolVar(&o.held, "held", false, "measure only the files that are held out: those whose SHA-256 begins with an odd digit")
	flags.IntVar(&o.limit, "limit", 0, "how many files of each format; 0 is all")
	flags.IntVar(&o.opened, "office", 0, "how many cuts of each format to open in LibreOffice")
	flags.IntVar(&o.pandoc, "pandoc", 0, "how many files of each format to read by pandoc, which takes long; 0 is all")
	flags.BoolVar(&o.compare, "second", false, "compare with Python's readers and pandoc")
	flags.StringVar(&o.report, "details", "", "write what is found to this file")
	if len(args) == 0 {
		return fmt.Errorf("say fetch or measure")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "fetch":
		origins, err := readList(*list)
		if err != nil {
			return err
		}
		return fetch(ctx, origins, *from, *dir)
	case "measure":
		o.dir = *dir
		return measure(ctx, o)
	}
	return fmt.Errorf("%s is not a command; say fetch or measure", args[0])
}
