package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/citekit/citekit"
)

// A Mapper maps sources by asking a model. It is safe for concurrent use.
type Mapper struct{ asker *asker }

var _ citekit.Mapper = (*Mapper)(nil)

// New returns a Mapper that asks model. The resolvers measure sources and read
// their text. Nil options are the zero value.
func New(model Model, resolvers citekit.Resolvers, opts *Options) *Mapper {
	return &Mapper{newAsker(model, resolvers, opts)}
}

// Usage returns the usage of all requests so far.
func (m *Mapper) Usage() Usage { return m.asker.Usage() }

// Map implements [citekit.Mapper]. The method of the structure is "model"; its
// metadata have, under "model", the name the model gives itself and its usage:
// "requests", "retries", "input_tokens", "output_tokens", and "cost" if there
// are prices. Beside "model", "nodes_left_out" is the number of nodes whose
// place lies outside the source, "truncated" means that an answer ended at its
// limit, and "upload" means that a file could not be deleted at the server.
// Each is present only if it applies.
//
// Errors match [ErrAnswer] if no answer could be used, and [ErrRefused] if the
// model refused to give one; errors of a server are an [*Error].
func (m *Mapper) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	a := m.asker
	resolver, extent, err := a.measure(ctx, src, req.Modality)
	if err != nil {
		return nil, err
	}
	words := transcriptOf(ctx, resolver, src, req)
	if words != nil {
		defer words.source.Close()
	}
	job := &mapJob{asker: a, extent: extent, progress: req.Progress}
	if a.accepts(src, extent) {
		err = job.media(ctx, src)
	} else {
		err = job.text(ctx, resolver, src, words)
	}
	if err != nil {
		return nil, err
	}
	structure := job.structure()
	if len(structure.Nodes) == 0 {
		return nil, fmt.Errorf("%w: no node of it has a place in the source", ErrAnswer)
	}
	if words != nil {
		structure.Transcript = words.name
	}
	return structure, nil
}

// A mapJob is the making of one map.
type mapJob struct {
	asker    *asker
	extent   citekit.Extent
	progress func(done float64)
	account  account

	parts     []*partAnswer // in the order of the source
	notFreed  bool          // a file could not be deleted
	mu        sync.Mutex
	partsDone int
}

// A partAnswer is the result of one request, or of the request and its repair.
type partAnswer struct {
	*Answer
	truncated bool
}

// media maps a source that the model accepts itself.
func (j *mapJob) media(ctx context.Context, src *citekit.Source) error {
	media, release, err := j.asker.upload(ctx, src, j.extent.MediaType, &j.account)
	if err != nil {
		return err
	}
	req := &Request{
		Instructions: mapInstructions(j.extent, j.asker.options.Instructions),
		Parts:        []Part{{Media: media}, {Text: "Make the map of this file."}},
		Schema:       Schema(j.extent.Modality),
		Name:         "map",
	}
	part, err := j.read(ctx, req, citekit.Location{})
	j.notFreed = release() != nil
	if err != nil {
		return err
	}
	j.parts = []*partAnswer{part}
	j.done(1)
	return nil
}

// text maps a source by its text.
func (j *mapJob) text(ctx context.Context, resolver citekit.Resolver, src *citekit.Source, words *transcript) error {
	modality := j.extent.Modality
	runs, ok := textRuns(ctx, resolver, src, words, citekit.Location{Modality: modality})
	if !ok && j.asker.takesSmaller(j.extent) {
		return fmt.Errorf("a file of %d bytes, which is more than the model takes: %w", src.Size(), citekit.ErrTooLarge)
	}
	if !ok {
		return fmt.Errorf("the model does not take %s, and the source has no text: %w", orWord(j.extent.MediaType, string(modality)), errors.ErrUnsupported)
	}
	pieces, err := cutText(runs, modality, j.asker.options.MaxText, j.asker.options.MaxParts)
	if err != nil {
		return err
	}
	j.parts = make([]*partAnswer, len(pieces))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(j.asker.options.Concurrency)
	for i, p := range pieces {
		group.Go(func() (err error) {
			if j.parts[i], err = j.read(ctx, j.textRequest(p, i, len(pieces)), p.part); err != nil {
				return err
			}
			j.done(len(pieces))
			return nil
		})
	}
	return group.Wait()
}

func orWord(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

func (j *mapJob) textRequest(p piece, i, n int) *Request {
	text := enclose("source", "", p.text) + "\nMake the map of this source."
	if n > 1 {
		text += fmt.Sprintf(" It is part %d of %d, %s, and the other parts are mapped by themselves: "+
			"list only what stands in this one, and give a section that begins before it, or goes on after it, its own title.", i+1, n, rangeOfPart(p.part))
	}
	return &Request{
		Instructions: mapInstructions(j.extent, j.asker.options.Instructions),
		Parts:        []Part{{Text: text}},
		Schema:       Schema(j.extent.Modality),
		Name:         "map",
	}
}

func rangeOfPart(part citekit.Location) string {
	switch {
	case len(part.Pages) > 0:
		return fmt.Sprintf("pages %v", part.Pages[0])
	case !part.Lines.IsZero():
		return fmt.Sprintf("lines %v", part.Lines)
	}
	return fmt.Sprintf("seconds %v", part.Time)
}

func (j *mapJob) done(of int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.partsDone++
	if j.progress != nil {
		j.progress(float64(j.partsDone) / float64(of))
	}
}

// read asks for a part of the map, and once more if something is wrong with it.
// It returns the better of the two answers.
func (j *mapJob) read(ctx context.Context, req *Request, part citekit.Location) (*partAnswer, error) {
	response, err := j.asker.ask(ctx, req, &j.account)
	if err != nil {
		return nil, err
	}
	got, problems, err := j.judge(response, part)
	if len(problems) == 0 {
		return got, err
	}
	again := *req
	again.Parts = append(slices.Clone(req.Parts), Part{Text: correction(response.Text, problems, req.Schema)})
	response, askErr := j.asker.ask(ctx, &again, &j.account)
	if askErr != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return got, err // the first answer may be usable
	}
	second, _, secondErr := j.judge(response, part)
	if err != nil || secondErr == nil && second.betterThan(got) {
		return second, secondErr
	}
	return got, nil
}

// judge reads an answer and lists its faults.
func (j *mapJob) judge(response *Response, part citekit.Location) (*partAnswer, []string, error) {
	var problems []string
	if response.Truncated {
		problems = append(problems, "it was cut off at the limit of its length: make fewer nodes, and shorter summaries")
	}
	answer, err := builder{extent: j.extent, part: part}.read([]byte(response.Text))
	if err != nil {
		return nil, append(problems, clip(err.Error())), err
	}
	problems = append(problems, answer.Problems...)
	if len(answer.Nodes) == 0 && len(problems) == 0 {
		problems = append(problems, "it has no nodes")
	}
	return &partAnswer{answer, response.Truncated}, problems, nil
}

// betterThan reports whether r has fewer faults than other.
func (r *partAnswer) betterThan(other *partAnswer) bool {
	switch {
	case len(r.Nodes) == 0 || len(other.Nodes) == 0:
		return len(r.Nodes) > 0
	case r.truncated != other.truncated:
		return other.truncated
	case r.LeftOut != other.LeftOut:
		return r.LeftOut < other.LeftOut
	}
	return len(r.Problems) < len(other.Problems)
}

// structure joins the parts.
func (j *mapJob) structure() *citekit.Draft {
	s := &citekit.Draft{Method: "model", Metadata: map[string]any{"model": j.account.metadata()}}
	left, truncated := 0, false
	for _, part := range j.parts {
		if s.Title == "" {
			s.Title = part.Title
		}
		s.Nodes = joinNodes(s.Nodes, part.Nodes)
		left += part.LeftOut
		truncated = truncated || part.truncated
	}
	if left > 0 {
		s.Metadata["nodes_left_out"] = left
	}
	if truncated {
		s.Metadata["truncated"] = true
	}
	if j.notFreed {
		s.Metadata["upload"] = notFreed
	}
	return s
}

const notFreed = "could not be deleted where it was sent"

// joinNodes appends the nodes of the next part of a source. A section that
// continues from one part to the next becomes one node.
func joinNodes(nodes, next []*citekit.Node) []*citekit.Node {
	if len(nodes) == 0 || len(next) == 0 {
		return append(nodes, next...)
	}
	last, first := nodes[len(nodes)-1], next[0]
	if !goesOn(last, first) {
		return append(nodes, next...)
	}
	last.Location = last.Location.WithPages(append(last.Location.Pages, first.Location.Pages...)...)
	last.Location.Lines.Last = max(last.Location.Lines.Last, first.Location.Lines.Last)
	last.Location.Time.End = max(last.Location.Time.End, first.Location.Time.End)
	last.Children = joinNodes(last.Children, first.Children)
	if last.Summary == "" {
		last.Summary = first.Summary
	}
	return append(nodes, next[1:]...)
}

// goesOn reports whether b is the rest of a: of the same title and type, and
// right after it.
func goesOn(a, b *citekit.Node) bool {
	if a.Type != b.Type || a.Title == "" || !strings.EqualFold(a.Title, b.Title) || !a.Location.Box.IsZero() || !b.Location.Box.IsZero() {
		return false
	}
	x, y := a.Location, b.Location
	switch {
	case len(x.Pages) > 0 && len(y.Pages) > 0:
		return y.Pages[0].First-x.Pages[len(x.Pages)-1].Last <= 1
	case !x.Lines.IsZero():
		return y.Lines.First-x.Lines.Last <= 2 // a blank line may be between them
	}
	return y.Time.Start-x.Time.End <= 2
}
