package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/localfile"
)

// CommandOptions configure a [Command]. They can be read from JSON, see
// [ParseConfig].
type CommandOptions struct {
	Args []string `json:"args,omitempty"` // of the program

	// Timeout is the time limit of the program; zero means 10 minutes.
	Timeout Seconds `json:"timeout,omitempty"`

	// MaxCopyBytes is the maximum size of a source without a path of its own,
	// which is copied for the program; zero means 1 GiB.
	MaxCopyBytes int64 `json:"max_copy_bytes,omitempty"`

	Dir string   `json:"dir,omitempty"` // working directory; "" means that of this process
	Env []string `json:"-"`             // of the program, as in [exec.Cmd]; nil means the environment of this process
}

const (
	commandTimeout      = 10 * time.Minute
	commandPipeDelay    = 5 * time.Second // for a program that leaves others behind
	defaultMaxCopyBytes = 1 << 30
	maxCommandOutput    = 8 << 20 // the limit of ReadAnswer
)

// A CommandInput is the JSON object that the program gets on its standard input.
type CommandInput struct {
	Source       CommandSource   `json:"source"`       // the source to map
	Schema       json.RawMessage `json:"schema"`       // of the answer; see [Schema]
	Instructions string          `json:"instructions"` // the task, in words
}

// A CommandSource describes the source to the program.
type CommandSource struct {
	Path      string           `json:"path"`                 // absolute; it may be a copy, which is deleted afterwards
	Name      string           `json:"name"`                 // base name
	Size      int64            `json:"size"`                 // bytes
	Modality  citekit.Modality `json:"modality"`             // of the source
	MediaType string           `json:"media_type,omitempty"` // of the source; "" if it is not known
	Extent    citekit.Extent   `json:"extent"`               // the locations must lie within it
}

// A Command maps sources by running a program in any language. It is safe for
// concurrent use.
//
//	mapper, err := llm.NewCommand("./outline.py", modality.All(), nil)
//
// The program gets one JSON object on its standard input and writes the map to
// its standard output. The object is a [CommandInput]: the path and the size of the
// source, the form of the answer, and instructions in words, for programs that
// ask a model. The answer is an object with "nodes", or a map as it is stored;
// [ReadAnswer] lists all accepted forms. Locations are checked as those of
// a model are. Nodes whose place lies outside the source are left out and
// counted.
//
// The program runs directly, without a shell, with the environment and the user
// of this process. It is trusted.
type Command struct {
	path      string
	resolvers citekit.Resolvers
	options   CommandOptions
}

var _ citekit.Mapper = (*Command)(nil)

// NewCommand returns a Command that runs the program at path. A name without a path
// separator is looked up in PATH. New does not run the program. If the program
// is missing or cannot be run, the error matches [fs.ErrNotExist] or
// [fs.ErrPermission]. The resolvers measure sources. Nil options are the zero
// value.
func NewCommand(path string, resolvers citekit.Resolvers, opts *CommandOptions) (*Command, error) {
	found, err := child.Find(path)
	if err != nil {
		return nil, startError(err)
	}
	m := &Command{path: found, resolvers: resolvers}
	if opts != nil {
		m.options = *opts
	}
	if m.options.MaxCopyBytes <= 0 {
		m.options.MaxCopyBytes = defaultMaxCopyBytes
	}
	return m, nil
}

// startError describes why a program cannot be run, without its path.
func startError(err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		err = fs.ErrNotExist
	case errors.Is(err, exec.ErrDot):
		return errors.New(`the mapper is in the working directory; write "./" before its name`)
	default:
		err = localfile.WithoutPath(err)
	}
	return fmt.Errorf("the mapper cannot be run: %w", err)
}

// Map implements [citekit.Mapper]. The method of the structure is "command";
// its metadata have "nodes_left_out" if nodes were left out.
//
// A program that fails, or exceeds its time limit, is an error with the end of
// its standard error output. The program is killed when ctx is done, with the
// programs it started if the system supports that. Errors match [ErrAnswer]
// if the output cannot be used, and [citekit.ErrTooLarge] if it is longer than
// 8 MiB.
func (m *Command) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	extent, err := m.measure(ctx, src, req.Modality)
	if err != nil {
		return nil, err
	}
	path, remove, err := sourcePath(ctx, src, m.options.MaxCopyBytes)
	if err != nil {
		return nil, err
	}
	defer remove()
	input, err := json.Marshal(CommandInput{
		Source:       CommandSource{path, src.Name(), src.Size(), req.Modality, extent.MediaType, extent},
		Schema:       Schema(req.Modality),
		Instructions: Instructions(extent),
	})
	if err != nil {
		return nil, err
	}
	output, err := m.run(ctx, input)
	if err != nil {
		return nil, err
	}
	return commandStructure(output, extent)
}

func (m *Command) measure(ctx context.Context, src *citekit.Source, modality citekit.Modality) (citekit.Extent, error) {
	measurer, ok := m.resolvers[modality].(citekit.Measurer)
	if !ok || Schema(modality) == nil {
		return citekit.Extent{}, fmt.Errorf("no mapper for %s: %w", modality, errors.ErrUnsupported)
	}
	if src.Size() == 0 {
		return citekit.Extent{}, fmt.Errorf("empty; %w", citekit.ErrEmpty)
	}
	return measurer.Measure(ctx, src)
}

func commandStructure(output []byte, extent citekit.Extent) (*citekit.Draft, error) {
	answer, err := ReadAnswer(output, extent)
	if err != nil {
		return nil, fmt.Errorf("the mapper: %w", err)
	}
	if len(answer.Nodes) == 0 {
		problem := "it has no nodes"
		if len(answer.Problems) > 0 {
			problem = answer.Problems[0]
		}
		return nil, fmt.Errorf("the mapper: %w: %s", ErrAnswer, problem)
	}
	s := &citekit.Draft{Title: answer.Title, Nodes: answer.Nodes, Method: "command"}
	if answer.LeftOut > 0 {
		s.Metadata = map[string]any{"nodes_left_out": answer.LeftOut}
	}
	return s, nil
}

// run runs the program to its end and returns its output.
func (m *Command) run(ctx context.Context, input []byte) ([]byte, error) {
	program := child.Program{
		Path:         m.path,
		Args:         m.options.Args,
		Dir:          m.options.Dir,
		Env:          m.options.Env,
		Stdin:        bytes.NewReader(input),
		MaxOutput:    maxCommandOutput,
		MaxComplaint: maxComplaint,
		Timeout:      m.options.Timeout.Duration(commandTimeout),
		PipeDelay:    commandPipeDelay,
	}
	result, err := program.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, child.ErrOutput):
		return nil, fmt.Errorf("the output of the mapper is longer than %d bytes: %w", maxCommandOutput, citekit.ErrTooLarge)
	case errors.Is(err, child.ErrTimeout):
		return nil, fmt.Errorf("the mapper was still running after %v: %w%s", program.Timeout, context.DeadlineExceeded, lastWords(result.Complaint))
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, errors.New("the mapper ended, but a program it started holds its output open")
	case err == nil:
		return result.Output, nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, startError(err)
	}
	return nil, fmt.Errorf("the mapper failed (%v)%s", exit.ProcessState, lastWords(result.Complaint))
}

const (
	maxComplaint = 4 << 10 // bytes of standard error that are kept
	maxWords     = 300     // bytes of them that are shown
)

// lastWords returns the last lines as one, after a colon, or "".
func lastWords(complaint string) string {
	var said []string
	for line := range strings.Lines(complaint) {
		line = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return -1
			}
			return r
		}, strings.TrimSpace(line))
		if line != "" {
			said = append(said, line)
		}
	}
	said = said[max(0, len(said)-3):]
	words := strings.Join(said, "; ")
	if words == "" {
		return ""
	}
	return ": " + words[max(0, len(words)-maxWords):]
}
