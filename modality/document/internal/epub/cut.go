package epub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

const (
	maxPacked   = 256 << 20 // bytes of evidence
	maxUnpacked = 512 << 20 // bytes of all its members, unpacked
)

// A cutter holds the state while evidence is made.
type cutter struct {
	*book
	numbers []int               // numbers of the parts that are there
	items   map[*item]bool      // items of the parts
	whole   bool                // whether all blocks of the parts are included
	links   map[string][]string // links in the parts, by the member that contains them

	text    *tree           // tree of the cited blocks; nil for whole parts
	title   string          // title of the first part that has one
	ids     map[string]bool // ids in text
	part    map[string]bool // names of the parts and their fallbacks
	kept    map[string]bool // members that are kept
	remote  map[string]bool // remote resources that are needed
	made    map[string][]byte
	extra   string // name of an added navigation document
	changes []string
}

// cut returns a book with some parts, or with some blocks or cells of one part.
func (b *book) cut(ctx context.Context, loc citekit.Location) ([]byte, []string, error) {
	c := &cutter{
		book: b, whole: loc.Blocks.IsZero(), items: make(map[*item]bool), links: make(map[string][]string),
		part: make(map[string]bool), kept: make(map[string]bool), remote: make(map[string]bool), made: make(map[string][]byte),
	}
	if err := c.choose(loc.Parts()); err != nil {
		return nil, nil, err
	}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return c.cutParts(ctx, loc) },
		c.follow, c.cutContents, c.cutPackage, c.cutContainer,
	} {
		if err := step(ctx); err != nil {
			return nil, nil, err
		}
	}
	c.countLinks()
	data, err := c.write(ctx)
	return data, c.changes, err
}

// choose selects the parts that are there.
func (c *cutter) choose(parts citekit.Range) error {
	for n := parts.First; n <= parts.Last; n++ {
		if c.isThere(n) {
			c.numbers = append(c.numbers, n)
			c.items[c.spine[n-1].item] = true
		}
	}
	switch missing := parts.Len() - len(c.numbers); {
	case len(c.numbers) == 0 && missing == 1:
		return damaged("part %d is not in the book", parts.First)
	case len(c.numbers) == 0:
		return damaged("parts %s are not in the book", parts)
	case missing > 0:
		c.changes = append(c.changes, message.Count(missing, "part")+" left out that the book lacks")
	}
	return nil
}

// firstItem returns the item of the first part.
func (c *cutter) firstItem() *item { return c.spine[c.numbers[0]-1].item }

// cutParts keeps the parts and their fallbacks.
func (c *cutter) cutParts(ctx context.Context, loc citekit.Location) error {
	done, read := make(map[*item]bool), 0
	for _, n := range c.numbers {
		it := c.spine[n-1].item
		if done[it] {
			continue
		}
		done[it] = true
		for it := range c.fallbacks(it) {
			if it.name != "" {
				c.part[it.name] = true
				c.keep(it.name)
			}
		}
		size, err := c.cutPart(ctx, n, loc)
		if err != nil {
			return err
		}
		if read += size; read > maxRead {
			return fmt.Errorf("parts of more than %d MiB; cite fewer: %w", maxRead>>20, citekit.ErrTooLarge)
		}
	}
	return nil
}

// cutPart reads a part and reduces it to the cited blocks or cells. It returns the
// size of the part.
func (c *cutter) cutPart(ctx context.Context, number int, loc citekit.Location) (int, error) {
	blocks := loc.Blocks
	p, it, err := c.book.part(ctx, number)
	if errors.Is(err, errNoText) {
		return 0, checkNone(number, blocks)
	}
	if err != nil {
		return 0, err
	}
	if err := p.checkBlocks(number, blocks); err != nil {
		return 0, err
	}
	if c.title == "" {
		c.title = p.title()
	}
	if c.whole {
		c.links[it.name] = p.refs().links
		return len(p.data), nil
	}
	text := ""
	if loc.Cells.IsZero() {
		text = p.only(blocks)
	} else if text, err = c.onlyCells(p, loc); err != nil {
		return 0, err
	}
	if c.text, err = parse(text, true); err != nil {
		return 0, err
	}
	c.links[it.name] = c.text.refs().links
	c.ids = make(map[string]bool)
	for id := range c.text.anchors(nil) {
		c.ids[id] = true
	}
	return len(p.data), c.make(ctx, it.name, c.text.data)
}

// make replaces the text of a member, in its encoding.
func (c *cutter) make(ctx context.Context, name, text string) error {
	like, err := c.raw(ctx, name)
	if err == nil {
		c.made[name] = encode(text, like)
	}
	return err
}

// only returns the document with only some blocks, its head, and the tags of the
// elements that contain the blocks.
func (p *part) only(blocks citekit.Range) string {
	first, last := p.blocks[blocks.First-1], p.blocks[blocks.Last-1]
	if first.first == p.body {
		return p.data
	}
	return p.within(first, last, p.data[first.start:last.end])
}

// within returns the document with text in place of all blocks, inside the elements
// that contain the blocks from first to last.
func (p *part) within(first, last block, text string) string {
	var before, after strings.Builder
	var starts []string
	for i := p.nodes[first.first].parent; i != p.body && i != 0; i = p.nodes[i].parent {
		starts = append(starts, p.tag(i))
	}
	for i := len(starts) - 1; i >= 0; i-- {
		before.WriteString(starts[i])
	}
	for i := p.nodes[last.last].parent; i != p.body && i != 0; i = p.nodes[i].parent {
		after.WriteString(p.data[p.nodes[i].close:p.nodes[i].end])
	}
	body := &p.nodes[p.body]
	return splice(p.data, []edit{{body.open, max(body.close, last.end), before.String() + text + after.String()}})
}

func (c *cutter) keep(name string) bool {
	known := c.kept[name]
	c.kept[name] = true
	return !known
}

// follow keeps all resources that the part needs, directly or indirectly.
func (c *cutter) follow(ctx context.Context) error {
	var queue []string
	for name := range c.kept {
		queue = append(queue, name)
	}
	for _, n := range c.numbers {
		overlay := c.byID[c.spine[n-1].item.overlay]
		switch {
		case overlay == nil || overlay.name == "":
		case !c.whole:
			c.changes = append(c.changes, "the recording that is played along left out")
		case c.keep(overlay.name):
			queue = append(queue, overlay.name)
		}
	}
	return c.followAll(ctx, queue)
}

func (c *cutter) followAll(ctx context.Context, queue []string) error {
	for len(queue) > 0 {
		name := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		needs, err := c.needs(ctx, name)
		if err != nil {
			return err
		}
		for _, href := range needs {
			target, _, ok := resolve(name, href)
			if !ok {
				c.remote[href] = true
				continue
			}
			if target = c.find(target); target != "" && c.keep(target) {
				queue = append(queue, target)
			}
			for it := range c.fallbacks(c.byName[target]) {
				if it.name != "" && c.keep(it.name) {
					queue = append(queue, it.name)
				}
			}
		}
	}
	return nil
}

// needs returns the references that a member needs.
func (c *cutter) needs(ctx context.Context, name string) ([]string, error) {
	media := ""
	if it := c.byName[name]; it != nil {
		media = it.media
	}
	kind := kindOf(media, name)
	if kind == opaqueKind {
		return nil, nil
	}
	text, err := c.madeText(ctx, name)
	if err != nil || kind == styleKind {
		return cssRefs(text), err
	}
	t, err := parse(text, kind == markupKind)
	if err != nil {
		return nil, err
	}
	if kind == markupKind {
		return t.refs().needs, nil
	}
	var sounds []string
	for i := range t.within(0, "audio") {
		sounds = append(sounds, t.attr(i, "src"))
	}
	return sounds, nil
}

// madeText returns a member as it will be written.
func (c *cutter) madeText(ctx context.Context, name string) (string, error) {
	if made, ok := c.made[name]; ok {
		return decode(made), nil
	}
	return c.book.text(ctx, name)
}

// has reports whether a reference in the member base leads to a kept place in the
// part.
func (c *cutter) has(base, href string) bool {
	name, fragment, ok := resolve(base, href)
	if !ok {
		return false
	}
	return c.part[c.find(name)] && (fragment == "" || c.ids == nil || c.ids[fragment])
}

// countLinks reports links in the parts whose targets are left out.
func (c *cutter) countLinks() {
	count := 0
	for base, links := range c.links {
		for _, href := range links {
			name, fragment, ok := resolve(base, href)
			if !ok {
				continue
			}
			if name = c.find(name); name == "" {
				continue // its target is missing in the source, too
			}
			if !c.kept[name] || name == base && fragment != "" && c.ids != nil && !c.ids[fragment] {
				count++
			}
		}
	}
	switch count {
	case 0:
	case 1:
		c.changes = append(c.changes, "1 link leads to what is left out")
	default:
		c.changes = append(c.changes, fmt.Sprintf("%d links lead to what is left out", count))
	}
}

// metaNames are the members of META-INF that a cut keeps if the book has them.
var metaNames = []string{containerName, encryptionName, "META-INF/com.apple.ibooks.display-options.xml"}

// write writes the book: the media type first and uncompressed, then the container
// files, the package document, and the other members in their order.
func (c *cutter) write(ctx context.Context) ([]byte, error) {
	if c.archive.File("META-INF/signatures.xml") != nil {
		c.changes = append(c.changes, "signatures left out")
	}
	var out bytes.Buffer
	w := zipread.NewWriter(&out)
	if err := w.Store("mimetype", []byte(mediaType)); err != nil {
		return nil, err
	}
	names := append(metaNames[:len(metaNames):len(metaNames)], c.name)
	for _, f := range c.archive.Files() {
		if name := f.Name(); c.kept[name] && name != "mimetype" && name != c.name && !strings.HasPrefix(name, "META-INF/") {
			names = append(names, name)
		}
	}
	if c.extra != "" {
		names = append(names, c.extra)
	}
	unpacked := int64(0)
	for _, name := range names {
		f := c.archive.File(name)
		if made, ok := c.made[name]; ok {
			if err := w.Add(name, made); err != nil {
				return nil, err
			}
			continue
		}
		if f == nil || name == encryptionName {
			continue
		}
		if unpacked += f.Size(); unpacked > maxUnpacked || int64(out.Len())+f.PackedSize() > maxPacked {
			return nil, fmt.Errorf("what is cited needs more than %d MiB; cite less: %w", maxPacked>>20, citekit.ErrTooLarge)
		}
		if err := copyMember(ctx, w, f); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// copyMember copies a member without repacking it, after checking that it is intact.
func copyMember(ctx context.Context, w *zipread.Writer, f *zipread.File) error {
	r, err := f.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	return w.Copy(f)
}
