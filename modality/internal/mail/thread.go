package mail

import (
	"context"
	"hash/maphash"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	say "github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// maxThreaded is how many messages of a mailbox are looked at for its map.
const maxThreaded = 100_000

// mapMailbox maps a mailbox, in one pass over its messages.
func (f *file) mapMailbox(ctx context.Context, progress func(float64)) (*citekit.Draft, error) {
	m := &mailboxMap{ctx: ctx, f: f, threads: newThreads(), detailed: true}
	total := len(f.box.starts)
	for n := 1; n <= min(total, maxThreaded); n++ {
		if err := m.add(n); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(float64(n) / float64(total))
		}
	}
	d := &citekit.Draft{Method: "threads", Metadata: map[string]any{"format": mboxKind, "messages": total}}
	m.facts.AddDate(m.newest)
	m.facts.Note(d.Metadata)
	var left []string
	d.Nodes, left = m.nodes()
	if total > maxThreaded {
		left = append(left, leftOut(total-maxThreaded, "message"))
	}
	if len(left) > 0 {
		d.Metadata["structure"] = strings.Join(left, "; ")
	}
	return d, nil
}

// A mailboxMap is the map of a mailbox in the making.
type mailboxMap struct {
	ctx      context.Context
	f        *file
	threads  *threads
	messages []*citekit.Node // those that have a byte
	thread   []int           // of each of them, the number that threads gives
	count    int             // nodes of messages and parts
	detailed bool            // there is room for parts
	facts    about.Facts
	newest   string
}

// add adds a message.
func (m *mailboxMap) add(n int) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	parsed, err := m.f.parse(m.ctx, n)
	if err != nil {
		return err
	}
	root := parsed.root
	if root.end <= root.start {
		return nil
	}
	c := &nodeBuilder{ctx: m.ctx, src: m.f.src, at: citekit.Location{Modality: citekit.Text, Message: n}}
	node := c.messageNode(root, c.at)
	m.facts.AddAuthors(root.header.authors("from")...)
	m.newest = max(m.newest, root.header.utc())
	if m.detailed && parsed.why == nil {
		if node.Children, err = c.inner(root); err != nil {
			return err
		}
	}
	m.count += countNodes(node)
	m.messages = append(m.messages, node)
	m.thread = append(m.thread, m.threads.add(root.header))
	if m.detailed && m.count+len(m.messages) > about.MaxMappedNodes { // with as many threads as there may be
		m.detailed = false
		for _, node := range m.messages {
			node.Children = nil
		}
		m.count = len(m.messages)
	}
	return nil
}

func countNodes(n *citekit.Node) int {
	count := 1
	for _, child := range n.Children {
		count += countNodes(child)
	}
	return count
}

// nodes returns the threads in the order of their first messages, and what was
// left out.
func (m *mailboxMap) nodes() (nodes []*citekit.Node, left []string) {
	var order []int
	byThread := make(map[int][]*citekit.Node)
	for i, node := range m.messages {
		root := m.threads.find(m.thread[i])
		if byThread[root] == nil {
			order = append(order, root)
		}
		byThread[root] = append(byThread[root], node)
	}
	if !m.detailed {
		left = append(left, "parts left out: more than "+say.Count(about.MaxMappedNodes, "node"))
	}
	brief := len(m.messages)+len(order) > about.MaxMappedNodes
	if brief {
		left = []string{"messages after the first of each thread and parts left out: more than " + say.Count(about.MaxMappedNodes, "node")}
	}
	for _, root := range order {
		if len(nodes) == about.MaxMappedNodes {
			left = append(left, leftOut(len(order)-len(nodes), "thread"))
			break
		}
		nodes = append(nodes, threadNode(byThread[root], brief))
	}
	return nodes, left
}

// threadNode returns the node of a thread: that of the one message it may have,
// or one around several. A brief one stands for all at its first message.
func threadNode(messages []*citekit.Node, brief bool) *citekit.Node {
	first := messages[0]
	switch {
	case len(messages) == 1:
		return first
	case brief:
		first.Type, first.Summary = "thread", plain.Shorten(say.Count(len(messages), "message")+"; the first: "+first.Summary, maxSummary)
		return first
	}
	title := baseSubject(first.Title)
	if title == "" {
		title = first.Title
	}
	return &citekit.Node{
		Type: "thread", Title: title, Summary: say.Count(len(messages), "message"),
		Location: citekit.Location{Modality: citekit.Text}, Children: messages,
	}
}

// utc returns when a message was sent, so that later times are greater, or "".
func (h header) utc() string {
	t := h.time()
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// threads joins messages: those whose ids name one another, and replies by
// their subject that name none (as the algorithm of J. Zawinski does,
// jwz.org/doc/threading.html).
type threads struct {
	seed     maphash.Seed
	parent   []int
	ids      map[uint64]int // the number of a message id
	subjects map[uint64]int // of the last thread with a subject
}

func newThreads() *threads {
	return &threads{seed: maphash.MakeSeed(), ids: make(map[uint64]int), subjects: make(map[uint64]int)}
}

// add adds a message and returns its number. Others may join its thread later.
func (t *threads) add(h header) int {
	own := t.fresh()
	if ids := h.ids("message-id"); len(ids) > 0 {
		own = t.id(ids[0])
	}
	references := append(h.ids("references"), h.ids("in-reply-to")...)
	for _, id := range references {
		t.join(own, t.id(id))
	}
	subject := h.text("subject")
	base := baseSubject(subject)
	if base == "" {
		return own
	}
	key := maphash.String(t.seed, strings.ToLower(base))
	if other, ok := t.subjects[key]; ok && len(references) == 0 && base != subject {
		t.join(own, other)
	}
	t.subjects[key] = own
	return own
}

func (t *threads) fresh() int {
	t.parent = append(t.parent, len(t.parent))
	return len(t.parent) - 1
}

// id returns the number of a message id.
func (t *threads) id(id string) int {
	key := maphash.String(t.seed, id)
	n, ok := t.ids[key]
	if !ok {
		n = t.fresh()
		t.ids[key] = n
	}
	return n
}

func (t *threads) join(a, b int) { t.parent[t.find(a)] = t.find(b) }

// find returns the number that stands for the thread of n.
func (t *threads) find(n int) int {
	for t.parent[n] != n {
		t.parent[n] = t.parent[t.parent[n]]
		n = t.parent[n]
	}
	return n
}

// replies are what subjects of answers and of forwarded messages begin with.
var replies = []string{"re", "fwd", "fw", "aw", "wg", "sv", "vs", "antw", "tr", "rif", "res", "enc", "odp", "回复", "答复", "转发"}

// baseSubject returns a subject without what replies put before it (RFC 5256,
// section 2.1), such as "Re:" or "Fwd[2]:".
func baseSubject(subject string) string {
	for {
		before, after, ok := strings.Cut(subject, ":")
		if !ok {
			before, after, ok = strings.Cut(subject, "：")
		}
		before, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(before)), "[")
		if !ok || !isReply(strings.TrimSpace(before)) {
			return strings.TrimSpace(subject)
		}
		subject = after
	}
}

func isReply(word string) bool {
	for _, reply := range replies {
		if word == reply {
			return true
		}
	}
	return false
}
