// Package sage is the dialect of the SAGE reference: tools, resources and a prompt over
// a knowledge base whose layers are folders.
//
// A layer is made of the mapped files in folders of its name, and topics are those of
// package topics. The layer all has every mapped file.
//
// The reference gives five levels of time to calls. They are part of its contract: a call
// answers a tenth of its time before the limit with what it has, and says "complete": false.
package sage

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/corpus/internal/topics"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/search"
)

// Name is the name of the dialect.
const Name = "sage"

// The capabilities, for [Options.Capabilities]. Each has its tool; sage_info needs none.
const (
	KnowledgeRetrieval = "knowledge_retrieval" // sage_get_knowledge and the resources
	Search             = "search"              // sage_search
	ContextManagement  = "context_management"  // sage_get_context and the prompt
)

// Options configures a dialect.
type Options struct {
	Version string // of the program, which sage_info tells

	// Timeout is the time of calls that do not ask for another, and the longest that
	// they can ask for. Zero means 2 seconds, and at most 10 seconds.
	Timeout time.Duration

	// Capabilities are what is offered; nil means all.
	Capabilities []string

	Logger *slog.Logger // gets one record for each timeout; nil discards
}

// Rooms do the work. They are over one library.
type Rooms struct {
	Library  *citekit.Library
	Searcher *search.Searcher
	Contents *contents.Reader
	Briefing *contents.Briefer
}

// A base is the knowledge base.
type base struct {
	Rooms
	opts   Options
	stats  *stats.Collector
	topics *topics.Reader
}

// New returns the dialect over rooms. A nil opts means the defaults.
func New(rooms Rooms, opts *Options) mcpadapter.Dialect {
	b := &base{Rooms: rooms, opts: *cmp.Or(opts, new(Options)), stats: stats.New(rooms.Library, nil)}
	b.opts.Logger = cmp.Or(b.opts.Logger, slog.New(slog.DiscardHandler))
	b.topics = topics.New(rooms.Library, rooms.Contents, b.stats)
	d := mcpadapter.Dialect{Name: Name, Failed: failed}
	has := func(capability string) bool {
		return b.opts.Capabilities == nil || slices.Contains(b.opts.Capabilities, capability)
	}
	if has(KnowledgeRetrieval) {
		d.Tools = append(d.Tools, b.tool("sage_get_knowledge", "Retrieve knowledge from the knowledge base.", mcpadapter.ToolsetRead, "getContents", b.getKnowledge))
		d.Resources, d.List = b.resources(), b.listResources
	}
	if has(Search) {
		d.Tools = append(d.Tools, b.tool("sage_search", "Search the knowledge base.", mcpadapter.ToolsetSearch, "search", b.search))
	}
	if has(ContextManagement) {
		d.Tools = append(d.Tools, b.tool("sage_get_context", "Get task-specific context based on task type.", mcpadapter.ToolsetSearch, "getContext", b.getContext))
		d.Prompts = []mcpadapter.DialectPrompt{b.prompt()}
	}
	d.Tools = append(d.Tools, b.tool("sage_info", "Get system information and status.", mcpadapter.ToolsetRead, "info", b.info))
	return d
}

// schemas are those of the arguments, as the reference has them, by the names of the tools.
//
//go:embed *.json
var schemas embed.FS

// arguments are those of all tools.
type arguments struct {
	Layer       string `json:"layer"`
	Topic       string `json:"topic"`
	TimeoutMS   *int   `json:"timeout_ms"`
	Query       string `json:"query"`
	Limit       int    `json:"limit"`
	TaskType    string `json:"task_type"`
	Language    string `json:"language"`
	TokenBudget int    `json:"token_budget"`
}

// tool returns a tool whose answer f returns. A call of it ends at the limit of its level.
func (b *base) tool(name, description, toolset, native string, f func(context.Context, level, arguments) (any, error)) mcpadapter.DialectTool {
	schema, _ := schemas.ReadFile(name + ".json")
	return mcpadapter.DialectTool{
		Name: name, Description: description, Toolset: toolset, Native: native, Input: schema, Timeout: longest + time.Second,
		Long: native == "getContents" || native == "getContext",
		Call: func(ctx context.Context, raw json.RawMessage) (result mcpadapter.DialectResult, err error) {
			var args arguments
			if err := json.Unmarshal(raw, &args); err != nil {
				return result, invalid("an argument is too large")
			}
			answer, err := b.within(ctx, name, args, f)
			if err == nil {
				result.Data, err = json.Marshal(answer)
			}
			return result, err
		},
	}
}

// within calls f with a context that ends a tenth before the limit of the call.
func (b *base) within(ctx context.Context, name string, args arguments, f func(context.Context, level, arguments) (any, error)) (any, error) {
	l, err := b.levelOf(args.TimeoutMS)
	if err != nil {
		return nil, err
	}
	start, late := time.Now(), false
	l.late = &late
	limited, cancel := context.WithTimeout(ctx, l.limit-l.limit/10)
	defer cancel()
	answer, err := f(limited, l, args)
	if ctx.Err() == nil && (late || errors.Is(err, context.DeadlineExceeded)) {
		b.opts.Logger.LogAttrs(ctx, slog.LevelInfo, "timeout", slog.String("tool", name), slog.String("level", l.name), slog.Int64("elapsed_ms", time.Since(start).Milliseconds()))
	}
	if err != nil {
		failure := &fault{error: err}
		errors.As(err, &failure)
		failure.level, err = l, failure
	}
	return answer, err
}

// A level is one of the five levels of time, with its longest time or the limit of a call.
type level struct {
	name  string
	limit time.Duration
	late  *bool // whether a call had no time for all
}

const (
	usual   = 2 * time.Second
	longest = 10 * time.Second
)

var levels = []level{{"T1", 100 * time.Millisecond, nil}, {"T2", 500 * time.Millisecond, nil}, {"T3", usual, nil}, {"T4", 5 * time.Second, nil}, {"T5", longest, nil}}

// inMemory reports whether a call must answer from what is in memory.
func (l level) inMemory() bool { return l.name == "T1" }

// complete returns the value of "complete" in an answer: false, or nil if it is left out.
func (l level) complete(is bool) *bool {
	if is {
		return nil
	}
	*l.late = true
	return &is
}

// levelOf returns the level of a call that asks for a time: the first that is as long.
func (b *base) levelOf(asked *int) (level, error) {
	limit, most := b.opts.Timeout, b.opts.Timeout
	if limit <= 0 {
		limit, most = usual, longest
	}
	if asked != nil {
		if *asked < 1 {
			return level{}, invalid("argument 'timeout_ms' is %d; it must be at least 1", *asked)
		}
		limit = time.Duration(min(*asked, int(longest/time.Millisecond))) * time.Millisecond
	}
	limit = min(limit, most, longest)
	i := slices.IndexFunc(levels, func(l level) bool { return limit <= l.limit })
	return level{levels[i].name, limit, nil}, nil
}

// A fault is an error with the level of the call, and what the call has all the same.
type fault struct {
	error
	level    level
	fallback string
}

func (f *fault) Unwrap() error { return f.error }

func invalid(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}

// failed encodes an error in the form and with one of the four codes of the reference.
func failed(_ context.Context, f mcpadapter.Failure) mcpadapter.DialectResult {
	code, text, fallback := f.Code, f.Message, ""
	for _, kind := range []error{citekit.ErrSyntax, fs.ErrNotExist} { // the code says it
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	details := map[string]any{"elapsed_ms": f.Elapsed.Milliseconds()}
	var of *fault
	if errors.As(f.Err, &of) {
		fallback, details["timeout_level"] = of.fallback, of.level.name
		if code == message.CodeTimeout {
			text = fmt.Sprintf("Operation exceeded %s timeout (%dms)", of.level.name, of.level.limit.Milliseconds())
		}
	}
	switch code {
	case message.CodeTimeout, message.CodeNotFound, message.CodeInvalidInput:
	case message.CodeTooLarge:
		code = message.CodeInvalidInput
	default: // such as a source that changed or must not be read
		code = message.CodeInternal
	}
	data, _ := json.Marshal(map[string]any{ // texts and numbers always encode
		"error":    map[string]any{"code": code, "message": text, "details": details},
		"fallback": map[string]any{"content": fallback, "complete": false},
	})
	return mcpadapter.DialectResult{Data: data}
}
