package mcpadapter

import (
	"context"
	"fmt"
	"strings"

	answers "github.com/citekit/citekit/answer"

	"github.com/citekit/citekit/internal/mcpcall"
)

func (a *adapter) answerTool() tool {
	abstractive := "abstractive: by the server's model."
	if a.opts.Answerer == nil || !a.opts.Answerer.Writes() {
		abstractive = "abstractive: not here, without serve --model."
	}
	return tool{
		name:        "answer",
		title:       "Answer",
		description: "Answer with sentences from the sources, each with address and verdict, or found: false.",
		parameters: []parameter{
			{name: "query", kind: text, required: true, longest: maxQuery, old: []string{"question"}},
			{name: "type", kind: text, choices: []string{string(answers.Extractive), string(answers.Abstractive)}, description: "Default extractive. " + abstractive},
			{name: "top_k", kind: count, positive: true, greatest: answers.MaxSentences, old: []string{"max_sentences"}, description: fmt.Sprintf("Default %d.", answers.DefaultSentences)},
			{name: "max_tokens", kind: count, least: answers.MinTokens, greatest: answers.MaxTokens, description: fmt.Sprintf("Of the sentences. Default %d.", answers.DefaultTokens)},
			sameFilters(),
			{name: includeRationale, kind: flag, description: "Which words led to each."},
			{name: timeLimit.name, kind: count},
		},
		output:  object([]string{"found", "sentences"}),
		doing:   "answering",
		timeout: defaultTimeout,
		call:    a.answerQuestion,
	}
}

func (a *adapter) answerQuestion(ctx context.Context, args arguments) (answer, error) {
	filters, err := a.searchFilters(ctx, args.group("filters"))
	if err != nil {
		return answer{}, err
	}
	for _, name := range []string{"top_k", "max_tokens"} {
		if args.has(name) && args.count(name) == 0 {
			return answer{}, badArgument("argument '%s' is 0; it must be at least 1", name)
		}
	}
	req := answers.Request{
		Question: args.text("query"), Type: answers.Type(args.text("type")),
		Sentences: args.count("top_k"), Tokens: args.count("max_tokens"),
		Filters: filters, Rationale: args.flag(includeRationale),
	}
	var given *answers.Answer
	for event, err := range a.opts.Answerer.Stream(ctx, req) {
		if err != nil {
			if err = asArgument(err); req.Type == answers.Abstractive && !a.opts.Answerer.Writes() {
				err = noModelError{err}
			}
			return answer{}, err
		}
		switch event.Kind {
		case answers.Token:
			mcpcall.Announce(ctx, strings.Join(strings.Fields(event.Text), " "))
		case answers.Final:
			given = event.Answer
		}
	}
	given.Hint = a.hint(ctx, given.Hint, given.LeftOut, given.LeftOutIDs)
	return asJSON(given.MarshalJSON())
}

// A noModelError reports that an abstractive answer was asked for, but no model
// can write it.
type noModelError struct{ error }

func (e noModelError) Unwrap() error { return e.error }
