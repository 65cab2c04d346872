// Heldanswer lets a model answer a question about the files in a directory, and
// checks the answer against the files while it streams. It prints each sentence
// after it has checked it, with the address of the words that support it, or with a
// mark if no words do.
//
//	go run ./examples/heldanswer -dir ~/papers -url http://localhost:11434/v1 -model qwen3 'What was measured?'
//
// Any model with a chat completions API will do. Its key, if it needs one, is read
// from OPENAI_API_KEY.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/mapper/llm"
)

func main() {
	dir := flag.String("dir", ".", "the directory with the files")
	url := flag.String("url", "http://localhost:11434/v1", "the server of the model")
	name := flag.String("model", "", "the model, as the server calls it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model, err := llm.NewOpenAI(&llm.OpenAIOptions{BaseURL: *url, Model: *name, KeyEnv: "OPENAI_API_KEY"})
	if err == nil {
		err = run(ctx, os.Stdout, *dir, model, flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run answers a question about the files in a directory.
func run(ctx context.Context, out io.Writer, dir string, model *llm.OpenAI, question string) (err error) {
	files, err := corpus.Open(dir, &corpus.Options{Model: model})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	report, err := files.Ingest(ctx)
	if err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		fmt.Fprintln(out, "the answer is from the other files:", err)
	}
	return print(ctx, out, files.Answerer, question)
}

// print prints the sentences of an answer as they come.
func print(ctx context.Context, out io.Writer, answerer *answer.Answerer, question string) error {
	for event, err := range answerer.Stream(ctx, answer.Request{Question: question, Type: answer.Abstractive}) {
		if err != nil {
			return err
		}
		switch {
		case event.Kind == answer.Citation && event.Sentence.Verdict.Holds():
			fmt.Fprintf(out, "%s [%s]\n", event.Sentence.Text, event.Sentence.Address)
		case event.Kind == answer.Citation:
			fmt.Fprintf(out, "%s [%s: do not rely on it]\n", event.Sentence.Text, event.Sentence.Verdict)
		case event.Kind == answer.Final && !event.Answer.Found:
			fmt.Fprintln(out, "not found in these resources")
		}
	}
	return nil
}
