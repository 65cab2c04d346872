package llm

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lenient"
	"github.com/citekit/citekit/internal/plain"
)

// An Enricher keeps the map that another mapper made, and lets a model add
// titles and summaries to it. It is safe for concurrent use.
type Enricher struct {
	base  citekit.Mapper
	asker *asker
}

var _ citekit.Mapper = (*Enricher)(nil)

// Enrich returns an Enricher for the maps that base makes. The resolvers, which
// may be base itself, measure sources and read their text. Nil options are the
// zero value.
func Enrich(base citekit.Mapper, model Model, resolvers citekit.Resolvers, opts *Options) *Enricher {
	return &Enricher{base, newAsker(model, resolvers, opts)}
}

// Usage returns the usage of all requests so far.
func (e *Enricher) Usage() Usage { return e.asker.Usage() }

// Map implements [citekit.Mapper] with the structure of the base. A node
// without a title may get one. Every node may get a summary, which replaces
// that of the base unless [Options.KeepSummaries] is set. All else is
// unchanged: the nodes, their order, their locations, their types, their
// existing titles, and the ids they will get. The model sees nodes by number,
// and can give only titles and summaries.
//
// The metadata of the structure get, under "enrichment", the number of "titles"
// and "summaries" written and, as "not_asked", the number of nodes that
// exceeded the limit, the deepest first; and under "model" the same as
// [Mapper.Map] gives. If a model fails, Map returns the structure with the
// titles and summaries written so far, and "error" under "enrichment" gives the
// reason. Map returns only errors of the base and of a context that is done.
func (e *Enricher) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	progress := req.Progress
	if progress != nil {
		req.Progress = func(done float64) { progress(done / 2) }
	}
	structure, err := e.base.Map(ctx, src, req)
	if err != nil {
		return nil, err
	}
	job := &enrichment{asker: e.asker, progress: progress}
	job.choose(structure.Nodes, e.asker.options.MaxParts*maxBatch)
	err = job.run(ctx, src, req, structure.Transcript)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return job.finish(structure, err), nil
}

// An enrichment is the work on one map.
type enrichment struct {
	asker    *asker
	progress func(done float64)
	account  account

	nodes    []*citekit.Node // to ask about, parents before children; node 1 is the first
	unasked  int             // number of other nodes
	notFreed bool

	mu                      sync.Mutex
	titles, summaries, done int
}

// choose numbers the nodes to ask about: all, or as many levels from the top as
// have at most limit nodes. If the top level alone exceeds the limit, it takes
// the first nodes of it.
func (j *enrichment) choose(nodes []*citekit.Node, limit int) {
	m := &citekit.ResourceMap{Nodes: nodes}
	var counts []int
	for _, depth := range m.All() {
		for len(counts) <= depth {
			counts = append(counts, 0)
		}
		counts[depth]++
	}
	levels, total := 0, 0
	for levels < len(counts) && (levels == 0 || total+counts[levels] <= limit) {
		total += counts[levels]
		levels++
	}
	for n, depth := range m.All() {
		if depth < levels && len(j.nodes) < limit {
			j.nodes = append(j.nodes, n)
		} else {
			j.unasked++
		}
	}
}

// finish records the results in the metadata.
func (j *enrichment) finish(s *citekit.Draft, err error) *citekit.Draft {
	note := map[string]any{"titles": j.titles, "summaries": j.summaries}
	if err != nil {
		note["error"] = clip(err.Error())
	}
	if j.unasked > 0 {
		note["not_asked"] = j.unasked
	}
	if j.notFreed {
		note["upload"] = notFreed
	}
	s.Metadata = maps.Clone(s.Metadata)
	if s.Metadata == nil {
		s.Metadata = make(map[string]any)
	}
	s.Metadata["enrichment"] = note
	s.Metadata["model"] = j.account.metadata()
	return s
}

func (j *enrichment) run(ctx context.Context, src *citekit.Source, req citekit.MapRequest, transcriptName string) error {
	if len(j.nodes) == 0 {
		return nil
	}
	resolver, extent, err := j.asker.measure(ctx, src, req.Modality)
	if err != nil {
		return err
	}
	words := openTranscript(ctx, req, transcriptName)
	if words != nil {
		defer words.source.Close()
		if _, ok := resolver.(citekit.TranscriptReader); !ok {
			words = nil
		}
	}
	x := excerpter{resolver: resolver, src: src, words: words}
	batches, anyText, err := j.batches(ctx, x)
	if err != nil {
		return err
	}
	if anyText {
		return j.all(ctx, batches, extent, nil)
	}
	if !j.asker.accepts(src, extent) {
		return errNoText
	}
	media, release, err := j.asker.upload(ctx, src, extent.MediaType, &j.account)
	if err != nil {
		return err
	}
	err = j.all(ctx, batches, extent, media)
	j.notFreed = release() != nil
	return err
}

// openTranscript opens the companion from which the base took the words.
func openTranscript(ctx context.Context, req citekit.MapRequest, name string) *transcript {
	for _, companion := range req.Companions {
		if name == "" || companion.Name != name {
			continue
		}
		if file, err := companion.Open(ctx); err == nil {
			return &transcript{name, file}
		}
	}
	return nil
}

// A batch is what one request asks about: the nodes from first on, counted
// from 0.
type batch struct {
	text  string
	first int
	count int
}

// batches describes the nodes, in as many texts as needed, up to the limit.
func (j *enrichment) batches(ctx context.Context, x excerpter) (batches []batch, anyText bool, err error) {
	var b strings.Builder
	current := batch{}
	for i, n := range j.nodes {
		excerpt, err := x.excerpt(ctx, n.Location)
		if err != nil {
			return nil, false, err
		}
		text := describe(i+1, n, excerpt)
		if current.count > 0 && (b.Len()+len(text) > j.asker.options.MaxText || current.count >= maxBatch) {
			current.text = b.String()
			batches = append(batches, current)
			current = batch{first: i}
			b.Reset()
		}
		if len(batches) == j.asker.options.MaxParts {
			j.unasked += len(j.nodes) - i
			return batches, anyText, nil
		}
		anyText = anyText || excerpt != ""
		b.WriteString(text)
		current.count++
	}
	current.text = b.String()
	return append(batches, current), anyText, nil
}

// maxBatch is the number of nodes in one request: a summary takes some 60
// tokens, and models write at most a few thousand before they lose count.
const maxBatch = 60

// describe describes node n to a model.
func describe(n int, node *citekit.Node, excerpt string) string {
	place := citekit.Address{Location: node.Location}.Fragment()
	if place == "" {
		place = "all of it"
	}
	text := fmt.Sprintf("[node %d] %s, %s", n, node.Type, place)
	if node.Title != "" {
		text += "\ntitle: " + plain.Words(node.Title, maxTitle)
	}
	if excerpt != "" {
		text += "\ntext: " + excerpt
	}
	return text + "\n\n"
}

// all asks about all batches. The answers to some are kept when others fail.
func (j *enrichment) all(ctx context.Context, batches []batch, extent citekit.Extent, media *Media) error {
	var group errgroup.Group
	group.SetLimit(j.asker.options.Concurrency)
	for _, b := range batches {
		group.Go(func() error {
			err := j.ask(ctx, b, extent, media)
			j.progressed(len(batches))
			return err
		})
	}
	return group.Wait()
}

func (j *enrichment) progressed(of int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done++
	if j.progress != nil {
		j.progress(0.5 + float64(j.done)/float64(of)/2)
	}
}

func (j *enrichment) ask(ctx context.Context, b batch, extent citekit.Extent, media *Media) error {
	var parts []Part
	if media != nil {
		parts = append(parts, Part{Media: media})
	}
	text := enclose("parts", "", b.text) + fmt.Sprintf("\nWrite about nodes %d to %d.", b.first+1, b.first+b.count)
	req := &Request{
		Instructions: enrichInstructions(extent.Modality, j.asker.options.Instructions),
		Parts:        append(parts, Part{Text: text}),
		Schema:       enrichSchema,
		Name:         "summaries",
	}
	response, err := j.asker.ask(ctx, req, &j.account)
	if err != nil {
		return err
	}
	notes, err := readNotes([]byte(response.Text))
	if err == nil {
		return j.apply(notes, b)
	}
	again := *req
	again.Parts = append(again.Parts, Part{Text: correction(response.Text, []string{clip(err.Error())}, req.Schema)})
	if response, err = j.asker.ask(ctx, &again, &j.account); err != nil {
		return err
	}
	if notes, err = readNotes([]byte(response.Text)); err != nil {
		return err
	}
	return j.apply(notes, b)
}

// A note is the answer of a model about one node.
type note struct {
	node           int
	title, summary string
}

// readNotes reads an answer about nodes.
func readNotes(text []byte) ([]note, error) {
	value, _, err := parse(text)
	if err != nil {
		return nil, err
	}
	_, list, ok := rootOf(value)
	if !ok {
		return nil, fmt.Errorf("%w: it has no list of nodes", ErrAnswer)
	}
	var notes []note
	for _, item := range list {
		object, _ := item.(map[string]any)
		n, ok := lenient.Whole(lenient.First(object, "node", "number", "n"))
		if !ok {
			continue
		}
		notes = append(notes, note{n, plain.Words(lenient.Text(object["title"]), maxTitle), plain.Words(lenient.Text(object["summary"]), maxSummary)})
	}
	if len(notes) == 0 {
		return nil, fmt.Errorf("%w: it has no title or summary of a node", ErrAnswer)
	}
	return notes, nil
}

// apply writes notes into the nodes of the batch. It ignores notes about other
// nodes, and uses the first of several notes about one node.
func (j *enrichment) apply(notes []note, b batch) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	said := make(map[int]bool)
	for _, n := range notes {
		if n.node <= b.first || n.node > b.first+b.count || said[n.node] {
			continue
		}
		said[n.node] = true
		j.write(j.nodes[n.node-1], n)
	}
	if len(said) == 0 {
		return fmt.Errorf("%w: it says nothing of the nodes it was asked about", ErrAnswer)
	}
	return nil
}

func (j *enrichment) write(node *citekit.Node, n note) {
	if n.title != "" && node.Title == "" {
		if node.ID == "" {
			// Without a title, the node gets its id from its type. It keeps
			// that id, so that the id does not depend on the words of a model.
			node.ID = orWord(node.Type, "node")
		}
		node.Title = n.title
		j.titles++
	}
	if n.summary != "" && (node.Summary == "" || !j.asker.options.KeepSummaries) {
		node.Summary = n.summary
		j.summaries++
	}
}
