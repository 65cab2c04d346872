// Judged asks the questions of a collection that was written by hand over real files
// of Debian's packages, and prints how well they are found, beside a plain ranking of
// the same texts.
//
//	go run ./internal/tool/judged fetch
//	go run ./internal/tool/judged
//
// The first brings the packages, once. They are pinned by version and hash in
// packages.tsv, which "pin" makes anew from the lists of this system's apt-get.
//
// Half of the questions is held out: it is measured with -held alone, and then only
// figures are printed, never a question.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "judged:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	command := "measure"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("judged", flag.ExitOnError)
	held := flags.Bool("held", false, "measure the half that is held out, and print its figures alone")
	each := flags.Bool("each", false, "also print what became of each question of the open half")
	keep := flags.String("keep", "", "keep the files and their maps in this `DIR`, which must not exist or be of an earlier run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, err := load()
	if err != nil {
		return err
	}
	switch command {
	case "fetch":
		return c.fetch(ctx)
	case "pin":
		return c.pin(ctx)
	case "measure":
	default:
		return fmt.Errorf("%s is not a command; say fetch, pin or measure", command)
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "citekit-judged"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	r, err := c.open(ctx, dir)
	if errors.Is(err, errNotFetched) {
		return fmt.Errorf("%w: run go run ./internal/tool/judged fetch", err)
	}
	if err != nil {
		return err
	}
	defer r.close()
	half := open
	if *held {
		half = heldOut
	}
	judged, err := r.measure(ctx, c.questions(half))
	if err != nil {
		return err
	}
	if *each && half == open {
		printEach(os.Stdout, judged)
	}
	printTable(os.Stdout, half, judged)
	return nil
}
