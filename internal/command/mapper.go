package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/mapper/llm"
)

// mapperFlags choose the mapper.
type mapperFlags struct {
	name    string
	config  string
	retries int
	enrich  bool
	command string // command that has the flags; "" for ingest
}

func (m *mapperFlags) register(f *pflag.FlagSet) {
	f.StringVarP(&m.name, "mapper", "m", "", "what makes the maps: structure (default), gemini, openai, or a `PROGRAM`")
	f.StringVar(&m.config, "mapper-config", "", "settings of the mapper as `JSON`, such as {\"model\": \"…\"}")
	f.IntVarP(&m.retries, "retries", "r", 3, "repeat a failed request to a model `N` times")
	f.BoolVar(&m.enrich, "enrich", false, "keep the structure and let the model add titles and summaries")
}

// A chosenMapper is the mapper that the flags choose. The zero value is the
// structural mapper.
type chosenMapper struct {
	citekit.Mapper
	name  string
	usage func() llm.Usage // nil for mappers without a model
}

// open returns the mapper that the flags choose. It uses resolvers to measure and
// read sources.
func (m *mapperFlags) open(resolvers citekit.Resolvers) (chosenMapper, error) {
	switch m.name {
	case "", "structure":
		if m.enrich || m.config != "" {
			return chosenMapper{}, usagef("ingest", "--enrich and --mapper-config need --mapper gemini, openai or a program")
		}
		return chosenMapper{}, nil
	case "gemini", "openai":
		return m.openModel(resolvers)
	}
	if m.enrich {
		return chosenMapper{}, usagef("ingest", "--enrich needs --mapper gemini or openai")
	}
	var opts llm.CommandOptions
	if err := llm.ParseConfig([]byte(m.config), &opts); err != nil {
		return chosenMapper{}, usagef("ingest", "--mapper-config: %v", err)
	}
	mapper, err := llm.NewCommand(m.name, resolvers, &opts)
	if err != nil {
		return chosenMapper{}, fmt.Errorf("--mapper: %w", err)
	}
	return chosenMapper{Mapper: mapper, name: "command"}, nil
}

func (m *mapperFlags) openModel(resolvers citekit.Resolvers) (chosenMapper, error) {
	var opts llm.Options
	model, name, err := m.model(&opts)
	if err != nil {
		return chosenMapper{}, err
	}
	if m.enrich {
		e := llm.Enrich(resolvers, model, resolvers, &opts)
		return chosenMapper{e, name + ", enriched", e.Usage}, nil
	}
	mapper := llm.New(model, resolvers, &opts)
	return chosenMapper{mapper, name, mapper.Usage}, nil
}

// model returns the model and its name in maps. It reads further options, such as
// those of the mapper, from the same settings.
func (m *mapperFlags) model(options ...any) (llm.Model, string, error) {
	retries := m.retries
	if retries <= 0 {
		retries = -1 // to the model, zero means the default
	}
	if m.name == "gemini" {
		o := llm.GeminiOptions{Retries: retries}
		if err := m.parse(append(options, &o)...); err != nil {
			return nil, "", err
		}
		if o.BaseURL == "" && o.KeyEnv == "" {
			o.KeyEnv = "GEMINI_API_KEY" // send a key for Google to no other server
		}
		model, err := llm.NewGemini(&o)
		if err != nil && o.KeyEnv != "" && os.Getenv(o.KeyEnv) == "" {
			err = hinted{err, "set " + o.KeyEnv + " in the environment"}
		}
		return model, named("gemini", o.Model), err
	}
	o := llm.OpenAIOptions{Retries: retries}
	if err := m.parse(append(options, &o)...); err != nil {
		return nil, "", err
	}
	if o.BaseURL == "" && o.KeyEnv == "" {
		o.KeyEnv = "OPENAI_API_KEY" // send a key for OpenAI to no other server
	}
	model, err := llm.NewOpenAI(&o)
	return model, named("openai", o.Model), err
}

func (m *mapperFlags) parse(structs ...any) error {
	if err := llm.ParseConfig([]byte(m.config), structs...); err != nil {
		if m.command != "" {
			return usagef(m.command, "--model-config: %v", err)
		}
		return usagef("ingest", "--mapper-config: %v", err)
	}
	return nil
}

func named(mapper, model string) string { return strings.TrimSpace(mapper + " " + model) }

// describeUsage returns a line about the requests to a model.
func describeUsage(u llm.Usage) string {
	text := fmt.Sprintf("%s to the model, %d input tokens, %d output tokens", message.Count(u.Requests, "request"), u.InputTokens, u.OutputTokens)
	if u.Retries > 0 {
		text += fmt.Sprintf(", %d tried again", u.Retries)
	}
	if u.Priced {
		text += fmt.Sprintf(", cost %.4f", u.Cost)
	}
	return text
}
