package api

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/relations"
)

// The limits of what is related to the parts of one request.
const (
	mostRelated = 200 // places
	mostProofs  = 100 // texts that prove relationships
	proofTokens = 20_000
)

// Contents reads documents and chunks. One that cannot be read is a Content with an
// Error; errors are those of a context that ended.
func (s *Service) Contents(ctx context.Context, req *ContentsRequest) (*Contents, error) {
	r := &reading{Service: s, req: req, answer: &Contents{Contents: []Content{}, Complete: true}, left: cmp.Or(req.MaxTokens, 100_000)}
	if r.includes("relationships") {
		r.answer.Relationships = []Relationship{}
	}
	if r.includes("entities") {
		r.answer.Entities = []Entity{}
	}
	if r.includes("evidence") {
		r.answer.Evidence = []Proof{}
	}
	for _, id := range req.IDs {
		if c, err := parseChunk(id.ID); err == nil && id.Kind == "chunk" {
			r.finder.asked = append(r.finder.asked, c)
		}
	}
	for _, id := range req.IDs {
		content, address, err := r.content(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			content.Error = failureOf(err)
		} else if req.Expand.Graph != nil && address.Resource != "" {
			r.around(ctx, address)
		}
		r.answer.Contents = append(r.answer.Contents, content)
	}
	if r.includes("evidence") {
		r.prove(ctx)
	}
	return r.answer, ctx.Err()
}

// A reading is the work for one request.
type reading struct {
	*Service
	req    *ContentsRequest
	answer *Contents
	left   int // tokens
	finder finder

	related  int             // places that were followed
	entities map[string]bool // by their addresses
}

// noTokens is the note of what is not read because no tokens are left.
const noTokens = "not read: the texts before it have all tokens; ask for it by itself"

// content reads one document or chunk. A chunk that was not looked for has no address.
func (r *reading) content(ctx context.Context, id ID) (Content, citekit.Address, error) {
	c := Content{ID: id.ID, Kind: id.Kind}
	if id.Kind == "document" && is(r.req.Expand.Chunks, false) {
		c.Chunks = []Chunk{}
	}
	at := citekit.Address{Resource: id.ID}
	if id.Kind == "chunk" {
		named, err := parseChunk(id.ID)
		if err != nil {
			return c, at, err
		}
		if r.left < contents.MinTokens {
			c.DocumentID, c.Note, r.answer.Complete = named.resource, noTokens, false
			return c, citekit.Address{}, nil
		}
		at, err = r.chunk(ctx, named, &r.finder)
		if errors.Is(err, errUnread) {
			c.DocumentID, c.Note, r.answer.Complete = named.resource, "not read: "+err.Error(), false
			return c, citekit.Address{}, nil
		}
		if err != nil {
			return c, at, err
		}
	}
	m, err := r.Library.Map(ctx, at.Resource)
	if err != nil {
		return c, at, err
	}
	if id.Kind != "chunk" {
		at = m.Address(nil)
	}
	c.DocumentID, c.Address = m.ResourceID, at.String()
	c.Document = &Document{ID: m.ResourceID, Title: m.Title, Type: string(m.Type)}
	if r.req.IncludeRaw {
		c.Raw = &Raw{Path: pathOfEvidence(c.Address, "", r.req.WorkspaceID)}
	}
	if r.left < contents.MinTokens {
		c.Note, r.answer.Complete = noTokens, false
		return c, at, nil
	}
	read, err := r.Reader.Read(ctx, contents.Request{IDs: []string{c.Address}, MaxTokens: min(r.left, contents.MaxTokens)})
	if err != nil {
		return c, at, err
	}
	for _, item := range read.Items {
		if item.Err != nil {
			return c, at, item.Err
		}
		c.Text, c.Note = c.Text+item.Text, cmp.Or(c.Note, item.Note)
		c.Transcribed = c.Transcribed || item.Transcribed
		r.left -= item.Tokens
		r.answer.Complete = r.answer.Complete && !item.Missing
		if c.Raw != nil {
			c.Raw.MediaType = item.MediaType
		}
	}
	r.answer.Complete = r.answer.Complete && read.NextCursor == "" && !read.Late
	if c.Chunks != nil {
		err = r.chunks(ctx, &c)
	}
	return c, at, err
}

// chunks adds the chunks of a document to its content, as far as tokens are left.
func (r *reading) chunks(ctx context.Context, c *Content) error {
	for p, err := range r.Searcher.Passages(ctx, c.DocumentID) {
		if errors.Is(err, citekit.ErrTooLarge) {
			r.answer.Complete = false
			return nil
		}
		if err != nil {
			return err
		}
		if r.left -= len(p.Text) / 4; r.left < 0 {
			r.answer.Complete = false
			return nil
		}
		address := citekit.Address{Resource: c.DocumentID, Location: p.Location}
		c.Chunks = append(c.Chunks, Chunk{ID: chunkOf(c.DocumentID, p.Text, p.From).String(), Address: address.String(), Text: p.Text})
	}
	return nil
}

// includes reports whether a part of what is related was asked for.
func (r *reading) includes(part string) bool {
	g := r.req.Expand.Graph
	return g != nil && (len(g.Include) == 0 || slices.Contains(g.Include, part))
}

// around adds what is related to a place. What cannot be found is told by Complete.
func (r *reading) around(ctx context.Context, at citekit.Address) {
	hops := 1
	if h := r.req.Expand.Graph.Hops; h != nil {
		hops = *h
	}
	most := mostRelated - r.related
	if hops == 0 || most <= 0 {
		r.answer.Complete = r.answer.Complete && hops == 0
		return
	}
	found, err := r.Relations.Around(ctx, at, relations.Reach{Hops: hops, Most: most})
	if err != nil {
		r.answer.Complete = false
		return
	}
	r.answer.Complete = r.answer.Complete && found.Complete && found.More == 0
	r.related += len(found.Places)
	for _, p := range found.Places {
		if r.includes("relationships") || r.includes("evidence") {
			r.answer.Relationships = append(r.answer.Relationships, Relationship{
				Kind: p.By.Kind, From: p.By.From.String(), To: p.By.To.String(), Hops: p.Hops,
				Text: p.By.Text, Origin: string(p.By.Origin), Evidence: written(p.By.Evidence),
			})
		}
		if r.includes("entities") && !p.Proof {
			r.addEntity(ctx, p)
		}
	}
}

// addEntity adds the place of a relation, once.
func (r *reading) addEntity(ctx context.Context, p relations.Place) {
	e := Entity{Address: p.Address.String(), DocumentID: p.Address.Resource, NodeID: p.Node}
	if r.entities[e.Address] {
		return
	}
	if r.entities == nil {
		r.entities = make(map[string]bool)
	}
	r.entities[e.Address] = true
	if m, err := r.Library.Map(ctx, e.DocumentID); err == nil {
		e.Title = m.Title
		if n := m.Node(p.Node); n != nil && p.Node != "" {
			e.Title = n.Title
		}
	}
	r.answer.Entities = append(r.answer.Entities, e)
}

// prove adds the texts at the places that state or prove the relationships.
func (r *reading) prove(ctx context.Context) {
	var places []string
	for _, one := range r.answer.Relationships {
		for _, at := range append([]string{one.From}, one.Evidence...) {
			if len(places) < mostProofs && !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
	}
	if !r.includes("relationships") {
		r.answer.Relationships = nil
	}
	if len(places) == 0 {
		return
	}
	read, err := r.Reader.Read(ctx, contents.Request{IDs: places, MaxTokens: proofTokens})
	if err != nil {
		r.answer.Complete = false
		return
	}
	for _, item := range read.Items {
		if item.Err == nil {
			r.answer.Evidence = append(r.answer.Evidence, Proof{Address: item.Address.String(), Text: item.Text})
		}
	}
	r.answer.Complete = r.answer.Complete && read.NextCursor == "" && !read.Late
}
