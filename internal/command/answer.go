package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/mapper/llm"
)

func answerCommand(s *session) *cobra.Command {
	f := searchFlags{command: "answer"}
	var req answer.Request
	model := mapperFlags{retries: 3, command: "answer"}
	c := &cobra.Command{
		Use:         "answer <question>...",
		Annotations: anyMaps,
		Short:       "Answer a question with sentences from the resources",
		Long: `Prints the sentences of the resources that answer a question, word for word,
each with its address. If they do not answer it, the command says so and its
exit code is 1. In a pipe each line is an address and a sentence, separated by a
tab. A question is not answered unless its rarest words occur close together
somewhere.

With --type abstractive a model writes the answer from the passages that are
found, which are sent to it. Each of its sentences quotes the words that support
it. The sentences are checked against the source. A sentence that says more than
its quotes is marked; --drop leaves it out. --type has two uses and may be
repeated: extractive or abstractive is the kind of answer, and document, text
and so on are the types of resources. Keys are taken from GEMINI_API_KEY or
OPENAI_API_KEY.`,
		Example: lines(
			"citekit answer 'How hot is the water for green tea?'",
			"citekit answer --max-sentences 1 --json 'Who keeps the lighthouse?'",
			"citekit answer --type abstractive --model openai --model-config '{\"model\": \"…\"}' 'How is a kettle descaled?'",
		),
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.extra = f.extra
			req.Question = strings.Join(args, " ")
			return s.answer(cmd.Context(), req, f, &model)
		},
	}
	flags := c.Flags()
	countVar(flags, &req.Sentences, "max-sentences", "", answer.DefaultSentences, 1, "at most `N` sentences, 1 to 20")
	countVar(flags, &req.Tokens, "max-tokens", "", answer.DefaultTokens, 1, "at most `N` tokens, 16 to 4096")
	flags.BoolVar(&req.Rationale, "why", false, "show for each sentence which words led to it")
	flags.BoolVar(&req.Drop, "drop", false, "leave out sentences of a model that no source supports")
	model.registerWriter(flags)
	f.registerFilters(flags)
	return c
}

// answer answers a question.
func (s *session) answer(ctx context.Context, req answer.Request, f searchFlags, m *mapperFlags) error {
	if err := f.takeAnswerType(&req); err != nil {
		return err
	}
	asked, err := f.read()
	if err != nil {
		return err
	}
	req.Filters = asked.Filters
	model, err := m.writer()
	if err != nil {
		return err
	}
	if req.Type == answer.Abstractive && model == nil {
		return usagef("answer", "--type abstractive needs --model gemini or openai")
	}
	var given *answer.Answer
	err = s.withCorpus(&corpus.Options{Model: model}, func(c *corpus.Corpus) (err error) {
		if err := s.nameFilters(ctx, c.Library, &req.Filters); err != nil {
			return err
		}
		given, err = c.Answerer.Answer(ctx, req)
		return err
	})
	if err != nil {
		return asUsage("answer", adviseStorage(err))
	}
	if s.json {
		err = s.printJSON(given)
	} else {
		s.printAnswer(given)
	}
	if err == nil && !given.Found {
		err = errReported
	}
	return err
}

// takeAnswerType moves "--type extractive" and "--type abstractive", which choose
// the kind of answer, from the types of resources to search to the request.
func (f *searchFlags) takeAnswerType(req *answer.Request) error {
	for _, t := range []answer.Type{answer.Extractive, answer.Abstractive} {
		if i := slices.Index(f.modalities, string(t)); i >= 0 {
			if req.Type != "" && req.Type != t {
				return usagef("answer", "--type %s and %s; give one of them", req.Type, t)
			}
			req.Type, f.modalities = t, slices.Delete(slices.Clone(f.modalities), i, i+1)
		}
	}
	return nil
}

// registerWriter defines the flags that choose the model for abstractive answers.
func (m *mapperFlags) registerWriter(flags *pflag.FlagSet) {
	flags.StringVar(&m.name, "model", "", "`API` of the model that writes abstractive answers: gemini or openai")
	flags.StringVar(&m.config, "model-config", "", "settings of that model as `JSON`, such as {\"model\": \"…\"}")
}

// writer returns the model that writes answers, or nil if there is none.
func (m *mapperFlags) writer() (llm.Model, error) {
	switch m.name {
	case "":
		if m.config != "" {
			return nil, usagef(m.command, "--model-config needs --model gemini or openai")
		}
		return nil, nil
	case "gemini", "openai":
		model, _, err := m.model()
		return model, err
	}
	return nil, usagef(m.command, "--model %s; it is gemini or openai", term.Line(m.name))
}

func (s *session) printAnswer(a *answer.Answer) {
	onTerminal := term.IsTTY(s.stdout)
	for _, one := range a.Sentences {
		text := term.Line(plain.Line(one.Text))
		if !onTerminal {
			s.printf("%s\t%s%s\n", one.Address, text, marked(one))
			continue
		}
		s.printf("%s%s\n  %s%s%s\n", text, marked(one), dim, one.Address, reset)
		if len(one.Rationale) > 0 {
			s.printf("  %s%s%s\n", dim, term.Line(strings.Join(one.Rationale, ", ")), reset)
		}
	}
	if !a.Found {
		s.warn("not found in these resources")
	}
	if a.Dropped > 0 {
		fmt.Fprintf(s.stderr, "citekit: %s of the model left out, as no source supports them\n", message.Count(a.Dropped, "sentence"))
	}
	if a.Hint != "" {
		s.warn(a.Hint)
	}
	if !a.Complete {
		s.warn("not everything was searched: time ran out, or the index could not be brought up to date")
	}
}

// marked returns the mark for a sentence that its source does not support, or "".
func marked(s *answer.Sentence) string {
	if s.Verdict.Holds() {
		return ""
	}
	return " [" + strings.ReplaceAll(string(s.Verdict), "_", " ") + "]"
}
