package archive

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
)

// maxNodes is the largest number of nodes of a map. Tests lower it.
var maxNodes = about.MaxMappedNodes

const (
	// maxMapped is how many members are mapped with their content.
	maxMapped = 1000

	// maxSkipped is how many members that cannot be cited are listed.
	maxSkipped = 100
)

// Map implements [citekit.Mapper]. There is a node for each folder and for each
// member that can be cited. Below a member that is a text or a document is its
// map.
//
// The metadata "members" is the number of members that can be cited. "skipped"
// lists the other members with the reason; "damaged" is how many of them the archive
// does not have as it says, so that they cannot be unpacked. "incomplete" is there if something was
// not mapped. "unsearched" lists the members whose text [Resolver.ReadText]
// leaves out, as too much would have to be unpacked. Each list has at most 100
// members; "skipped_more" and "unsearched_more" count the others.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	l, err := r.list(ctx, src)
	if err != nil {
		return nil, err
	}
	m := &mapper{visitor: r.newVisitor(ctx, l), folders: make(map[string]*citekit.Node), room: maxNodes}
	if !isDeep(ctx) {
		if err := m.entries(ctx, req.Progress); err != nil {
			return nil, err
		}
	}
	if l.kind == kindCBZ {
		m.page()
	}
	return &citekit.Draft{Nodes: m.nodes, Method: "members", Metadata: m.metadata()}, nil
}

// A mapper makes the map of one archive.
type mapper struct {
	*visitor
	nodes   []*citekit.Node
	folders map[string]*citekit.Node // by name, which ends in "/"
	room    int                      // number of nodes that may still be added
	mapped  int                      // members that were mapped with their content

	skipped []any
	more    int  // number of skipped members that are not listed
	damaged int  // number of skipped members that cannot be unpacked
	coarse  bool // whether the content of something was not mapped
	leftOut int  // number of members without a node
}

func (m *mapper) entries(ctx context.Context, progress func(float64)) error {
	below := make(map[*citekit.Node][]*citekit.Node)
	var order []*citekit.Node
	for i, e := range m.l.entries {
		if e.folder && e.refusal == nil {
			m.folder(e.name)
			continue
		}
		n, children, err := m.member(ctx, e)
		if err != nil {
			return err
		}
		if n != nil && len(children) > 0 {
			below[n] = children
			order = append(order, n)
		}
		if progress != nil {
			progress(float64(i+1) / float64(len(m.l.entries)))
		}
	}
	for _, n := range order { // after each member has its node
		if size := count(below[n]); size <= m.room {
			n.Children = below[n]
			m.room -= size
		} else {
			m.coarse = true
		}
	}
	return nil
}

// member adds the node of a member, and returns it together with the nodes of its
// content.
func (m *mapper) member(ctx context.Context, e *entry) (n *citekit.Node, children []*citekit.Node, err error) {
	f, err := m.open(ctx, e)
	if err != nil {
		if ends(ctx, err) {
			return nil, nil, err
		}
		if errors.Is(err, citekit.ErrFormat) && !errors.Is(err, citekit.ErrEncrypted) && !errors.Is(err, citekit.ErrEmpty) {
			m.damaged++
		}
		m.skip(e, err)
		return nil, nil, nil
	}
	defer f.src.Close()
	n = &citekit.Node{Title: path.Base(e.name), Type: "file", Location: citekit.Location{Modality: f.modality}.In(e.name)}
	if mapper, ok := m.r.Members[f.modality].(citekit.Mapper); ok && hasWords(f.modality) {
		if f.whole && m.mapped < maxMapped {
			m.mapped++
			draft, err := mapper.Map(m.deeper(ctx), f.src, citekit.MapRequest{Modality: f.modality})
			switch {
			case err == nil:
				if draft != nil && draft.Metadata["unsearched"] != nil {
					m.leaveUnread(e)
				}
				children = m.inside(e.name, f.modality, draft)
				n.Summary = summary(draft)
			case ends(ctx, err):
				return nil, nil, err
			case errors.Is(err, citekit.ErrTooLarge):
				m.coarse = true
				m.leaveUnread(e)
			case f.modality == citekit.Text && errors.Is(err, citekit.ErrFormat): // no content is a damaged text
				m.mapped--
				m.skip(e, errBinary)
				return nil, nil, nil
			default:
				m.skip(e, err)
				return nil, nil, nil
			}
		} else {
			m.coarse = true
		}
		if !f.whole {
			m.leaveUnread(e)
		}
	}
	if !m.place(n, e.name) {
		return nil, nil, nil
	}
	return n, children, nil
}

// place adds a node to its folder. It returns false if there is no room.
func (m *mapper) place(n *citekit.Node, name string) bool {
	if m.room <= 0 {
		m.leftOut++
		return false
	}
	m.room--
	folder, _ := path.Split(strings.TrimSuffix(name, "/"))
	if folder == "" {
		m.nodes = append(m.nodes, n)
		return true
	}
	if parent := m.folder(folder); parent != nil {
		parent.Children = append(parent.Children, n)
		return true
	}
	m.leftOut++
	return false
}

// folder returns the node of a folder, and creates it if needed; nil if there is no
// room.
func (m *mapper) folder(name string) *citekit.Node {
	if n := m.folders[name]; n != nil {
		return n
	}
	n := &citekit.Node{Title: path.Base(name), Type: "folder", Location: citekit.Location{Modality: citekit.Document}.In(name)}
	if !m.place(n, name) {
		return nil
	}
	m.folders[name] = n
	return n
}

// inside returns the nodes of the map of a member, with locations in the archive.
func (m *mapper) inside(name string, modality citekit.Modality, draft *citekit.Draft) []*citekit.Node {
	if draft == nil {
		return nil
	}
	var locate func(nodes []*citekit.Node)
	locate = func(nodes []*citekit.Node) {
		for _, n := range nodes {
			n.ID = "" // gets a new id in this map
			n.Location = within(name, modality, n.Location)
			locate(n.Children)
		}
	}
	if len(draft.Nodes) == 1 && draft.Nodes[0].Location.IsWhole() { // the node is the member itself
		draft.Nodes = draft.Nodes[0].Children
	}
	locate(draft.Nodes)
	return draft.Nodes
}

// summary returns what the map of a member tells beyond its name.
func summary(draft *citekit.Draft) string {
	if draft == nil {
		return ""
	}
	return draft.Title
}

func count(nodes []*citekit.Node) int {
	n := len(nodes)
	for _, node := range nodes {
		n += count(node.Children)
	}
	return n
}

// skip records a member that cannot be cited.
func (m *mapper) skip(e *entry, err error) {
	if len(m.skipped) == maxSkipped {
		m.more++
		return
	}
	m.skipped = append(m.skipped, map[string]any{"name": message.Clip(e.name), "reason": err.Error()})
}

// page sorts the pages of a comic book, which are pictures, in natural order.
func (m *mapper) page() {
	var sort func(nodes []*citekit.Node)
	sort = func(nodes []*citekit.Node) {
		slices.SortStableFunc(nodes, func(a, b *citekit.Node) int { return natural(a.Title, b.Title) })
		for _, n := range nodes {
			if n.Location.Modality == citekit.Image {
				n.Type = "page"
			}
			if n.Type == "folder" {
				sort(n.Children)
			}
		}
	}
	sort(m.nodes)
}

// natural compares names in natural order: page2 before page10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, restA := leadingDigits(a)
		y, restB := leadingDigits(b)
		if x != "" && y != "" {
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
				return c
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return strings.Compare(a, b)
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// leadingDigits splits s after its leading digits. number has no leading zeros, and
// is "" if s begins with no digit.
func leadingDigits(s string) (number, rest string) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n == 0 {
		return "", s
	}
	return "0" + strings.TrimLeft(s[:n], "0"), s[n:]
}

func (m *mapper) metadata() map[string]any {
	metadata := map[string]any{"format": m.l.kind.name, "members": m.l.extent().Members}
	if len(m.skipped) > 0 {
		metadata["skipped"] = m.skipped
	}
	if m.more > 0 {
		metadata["skipped_more"] = m.more
	}
	if m.damaged > 0 {
		metadata["damaged"] = m.damaged
	}
	if len(m.unread) > 0 {
		metadata["unsearched"] = m.unread
	}
	if m.unreadMore > 0 {
		metadata["unsearched_more"] = m.unreadMore
	}
	var incomplete []any
	if m.coarse {
		incomplete = append(incomplete, "contents of members")
	}
	if m.leftOut > 0 {
		incomplete = append(incomplete, message.Count(m.leftOut, "member")+" left out")
	}
	if incomplete != nil {
		metadata["incomplete"] = incomplete
	}
	return metadata
}
