package mapadapter

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/plain"
)

// A draft is an unfinished map. Nodes without a location get a virtual address,
// and nodes without an id get one from their title.
type draft struct {
	id       string // suggested id; "" means one from the source or the input
	title    string
	modality citekit.Modality // "" means that of the source
	nodes    []*citekit.Node
	metadata map[string]any
	source   *found // nil means no source
}

// A job is one call of an adapter.
type job struct {
	ctx  context.Context
	in   Input
	opts Options
	name string // of the adapter
	ids  map[string]bool
}

func newJob(ctx context.Context, in Input, opts *Options, name string) (*job, error) {
	j := &job{ctx: ctx, in: in, name: name, ids: make(map[string]bool)}
	if opts != nil {
		j.opts = *opts
	}
	if j.opts.ResourceID != "" {
		if err := citekit.CheckResourceID(j.opts.ResourceID); err != nil {
			return nil, err
		}
	}
	return j, ctx.Err()
}

// newJSONJob is newJob for an input that is one JSON value, which it decodes into v.
func newJSONJob(ctx context.Context, in Input, opts *Options, name string, v any) (*job, error) {
	j, err := newJob(ctx, in, opts, name)
	if err != nil {
		return nil, err
	}
	data, err := in.read(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return j, decode(data, v)
}

// checkCount checks the number of maps that the input makes.
func (j *job) checkCount(maps int) error {
	switch {
	case maps == 0:
		return formatError("the input has nothing to make a map of")
	case maps > maxMaps:
		return tooLarge("the input makes %d maps; at most %d", maps, maxMaps)
	case maps > 1 && (j.opts.ResourceID != "" || j.opts.SourcePath != ""):
		return formatError("the input makes %d maps; an id or a source can only be given for one", maps)
	}
	return nil
}

// finishOnly makes the only map of the input.
func (j *job) finishOnly(d *draft) ([]*citekit.ResourceMap, error) {
	m, err := j.finish(d)
	if err != nil {
		return nil, err
	}
	return []*citekit.ResourceMap{m}, nil
}

// finish makes a map from a draft, and closes its source.
func (j *job) finish(d *draft) (*citekit.ResourceMap, error) {
	defer d.source.close()
	if len(d.nodes) == 0 {
		return nil, formatError("the input has no nodes")
	}
	m := &citekit.ResourceMap{ResourceID: j.resourceID(d), Type: d.modality, Title: title(d.title), Nodes: d.nodes, Metadata: d.metadata}
	if m.Metadata == nil {
		m.Metadata = make(map[string]any)
	}
	m.Metadata["adapter"] = j.name
	if m.Type == "" {
		m.Type = d.source.modality(d.nodes)
	}
	switch {
	case d.source == nil:
	case m.Type == citekit.Virtual && d.source.src == nil && j.opts.SourcePath == "":
		m.Metadata["source_name"] = d.source.path // no node is located in it
	default:
		m.SourcePath = d.source.path
	}
	if m.Title == "" {
		m.Title = m.ResourceID
	}
	ingest.NameNodes(m.Nodes)
	placeVirtually(m.ResourceID, m.Nodes)
	if err := j.noteSource(m, d.source); err != nil {
		return nil, err
	}
	return m, m.Validate()
}

// noteSource records the hash and the size of a source that could be opened.
func (j *job) noteSource(m *citekit.ResourceMap, source *found) error {
	if source == nil || source.src == nil {
		return nil
	}
	hash, err := source.src.Hash(j.ctx)
	if err != nil {
		return err
	}
	m.Metadata["source_hash"] = hash
	m.Metadata["source_size"] = json.Number(strconv.FormatInt(source.src.Size(), 10))
	return nil
}

// resourceID returns an id that no other map of the job has.
func (j *job) resourceID(d *draft) string {
	id := j.opts.ResourceID
	if id == "" {
		names := []string{j.in.base(), j.name}
		if d.source != nil {
			names = append([]string{stem(path.Base(strings.ReplaceAll(d.source.path, `\`, "/")))}, names...)
		}
		id = cmp.Or(givenID(d.id), firstSlug(names...))
	}
	free := id
	for n := 2; j.ids[free]; n++ {
		free = id + "-" + strconv.Itoa(n)
	}
	j.ids[free] = true
	return free
}

// givenID returns the id that the input gives a map, with hyphens for
// characters that an id cannot have, or "" if there is no usable one.
func givenID(text string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == '/', r == '\\', unicode.IsSpace(r):
			return '-'
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, plain.Cut(plain.Line(text), 200))
	if citekit.CheckResourceID(id) != nil {
		return ""
	}
	return id
}

// firstSlug takes the first name that has a letter or digit and returns it as
// an id, in the form that ingest makes.
func firstSlug(names ...string) string {
	for _, name := range names {
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			name = strings.NewReplacer("/", "-", `\`, "-").Replace(plain.Line(name))
			return ingest.ResourceIDFor(name + ".json") // an extension that it drops
		}
	}
	return "map"
}

// placeVirtually gives nodes without a location a virtual address. Their ids
// must be known.
func placeVirtually(resource string, nodes []*citekit.Node) {
	for _, n := range nodes {
		if isUnplaced(n.Location) {
			n.Location = citekit.Location{Modality: citekit.Virtual, VirtualAddress: "virtual://" + plain.PercentEncode(resource) + "#" + plain.PercentEncode(n.ID)}
		}
		placeVirtually(resource, n.Children)
	}
}

// isUnplaced reports whether a location is unset.
func isUnplaced(loc citekit.Location) bool { return reflect.DeepEqual(loc, citekit.Location{}) }

// newNode returns a node that keeps the id given by the tool, and has other
// members of its JSON, passed as names and values.
func newNode(originalID string, members ...string) *citekit.Node {
	n := new(citekit.Node)
	kept := make(map[string]string)
	for i, m := 0, append([]string{"original_id", originalID}, members...); i+1 < len(m); i += 2 {
		if m[i+1] != "" {
			kept[m[i]] = strings.ToValidUTF8(m[i+1], "\ufffd")
		}
	}
	if len(kept) == 0 {
		return n
	}
	data, err := json.Marshal(kept)
	if err == nil {
		err = n.UnmarshalJSON(data)
	}
	if err != nil {
		return new(citekit.Node)
	}
	return n
}
