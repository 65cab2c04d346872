package id3

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// A chapter is a part of the sound, or, with children and without times of its own, a
// table of contents.
type chapter struct {
	start, end uint32 // milliseconds; end is not before start
	title      string
	children   []chapter
}

// seconds converts chapters. Some programs write the largest number for an unknown end.
func seconds(chapters []chapter) (all []metadata.Chapter) {
	for _, c := range chapters {
		if c.end == math.MaxUint32 {
			c.end = 0
		}
		all = append(all, metadata.Chapter{Start: float64(c.start) / 1000, End: float64(c.end) / 1000, Title: c.title, Children: seconds(c.children)})
	}
	return all
}

// contents are a CTOC frame: ids of chapters and of other contents.
type contents struct {
	children []string
	title    string
}

// takeChapter reads a CHAP frame (Addendum, section 3.1). A chapter without a
// title gets its id as title, as in players.
func (p *parser) takeChapter(b []byte) {
	id, b, ok := bytes.Cut(b, []byte{0})
	if _, twice := p.chapters[string(id)]; !ok || twice || len(b) < 16 || len(p.chapters) == MaxChapters {
		return
	}
	c := chapter{start: binary.BigEndian.Uint32(b), end: binary.BigEndian.Uint32(b[4:]), title: p.title(b[16:])}
	c.end = max(c.start, c.end)
	if c.title == "" {
		c.title = charset.Latin1(id)
	}
	p.chapters[string(id)] = c
	p.order = append(p.order, string(id))
}

// takeContents reads a CTOC frame (Addendum, section 3.2).
func (p *parser) takeContents(b []byte) {
	id, b, ok := bytes.Cut(b, []byte{0})
	if _, twice := p.contents[string(id)]; !ok || twice || len(b) < 2 || len(p.contents) == MaxChapters {
		return
	}
	top, count, b := b[0]&2 != 0, int(b[1]), b[2:]
	var c contents
	for range count {
		child, rest, ok := bytes.Cut(b, []byte{0})
		if !ok {
			break
		}
		c.children = append(c.children, string(child))
		b = rest
	}
	c.title = p.title(b)
	p.contents[string(id)] = c
	if top && p.root == "" {
		p.root = string(id)
	}
}

// title returns the title among the frames within a frame.
func (p *parser) title(b []byte) string {
	for f := range p.inner(b) {
		if f.id == "TIT2" {
			return text(f.data)
		}
	}
	return ""
}

// inner yields the frames within a frame.
func (p *parser) inner(b []byte) iter.Seq[frame] {
	return func(yield func(frame) bool) {
		sub := parser{r: bytes.NewReader(b), end: int64(len(b)), version: p.version}
		width := headerSize(p.version)
		for len(b)-int(sub.at) >= width {
			id, size, flags := sub.header(b[sub.at:])
			body := sub.at + int64(width)
			if size > int64(len(b))-body {
				return
			}
			data, ok := plain(b[body:body+size], flags, p.version)
			if ok && !yield(frame{id, data}) {
				return
			}
			sub.at = body + size
		}
	}
}

// outline returns the chapters that the top contents lead to; the others are
// not meant to be listed. Without contents it returns all chapters, by time.
func (p *parser) outline() []chapter {
	if listed := p.listed(p.root, MaxDepth, make(map[string]bool)); len(listed) > 0 {
		return listed
	}
	var all []chapter
	for _, id := range p.order {
		all = append(all, p.chapters[id])
	}
	slices.SortStableFunc(all, func(a, b chapter) int { return cmp.Compare(a.start, b.start) })
	return all
}

// listed returns the chapters that contents lead to. Chapters and contents in
// done are not listed again.
func (p *parser) listed(id string, depth int, done map[string]bool) []chapter {
	var chapters []chapter
	if depth == 0 {
		return nil
	}
	done[id] = true
	for _, child := range p.contents[id].children {
		if done[child] {
			continue
		}
		done[child] = true
		if c, ok := p.chapters[child]; ok {
			chapters = append(chapters, c)
			continue
		}
		within := p.listed(child, depth-1, done)
		if title := p.contents[child].title; title != "" && len(within) > 0 {
			within = []chapter{group(title, within)}
		}
		chapters = append(chapters, within...)
	}
	slices.SortStableFunc(chapters, func(a, b chapter) int { return cmp.Compare(a.start, b.start) })
	return chapters
}

// group returns a chapter that contains other chapters.
func group(title string, within []chapter) chapter {
	c := chapter{start: within[0].start, title: title, children: within}
	for _, child := range within {
		c.start, c.end = min(c.start, child.start), max(c.end, child.end)
	}
	return c
}
