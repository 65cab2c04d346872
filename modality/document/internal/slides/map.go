package slides

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/internal/docfile"
)

const (
	maxTitle   = 200 // bytes
	maxSummary = 300 // bytes
)

// Map implements [citekit.Mapper]. Each slide has a node of the type "slide",
// titled by its title, else by its first text with letters, else by its number. In a
// PPTX with sections, the node is a child of its section. The method is "slides".
//
// The title of the map is the title in the properties of the document, else that
// of the first slide. The metadata are "pages", the number of slides; "author",
// "keywords", "date" and "language" from the properties; and "incomplete", a list
// with "slides" if some slides have no node: slides whose part the source lacks,
// and slides beyond [about.MaxMappedNodes].
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := docfile.CheckMap(ctx, req, citekit.Document, "a presentation"); err != nil {
		return nil, err
	}
	d, err := openDeck(ctx, src)
	if err != nil {
		return nil, known(ctx, err)
	}
	draft, err := draft(ctx, d, req.Progress)
	return draft, known(ctx, err)
}

func draft(ctx context.Context, d deck, progress func(float64)) (*citekit.Draft, error) {
	title, other, err := d.about(ctx)
	if err != nil {
		return nil, err
	}
	metadata := map[string]any{"pages": d.count()}
	other.Note(metadata)
	nodes := make([]*citekit.Node, d.count()) // nil for slides without a node
	left := about.MaxMappedNodes - min(len(d.sections()), about.MaxMappedNodes/2)
	first := ""
	for i := range nodes {
		if progress != nil {
			progress(float64(i) / float64(d.count()))
		}
		if !d.has(i) || left == 0 {
			metadata["incomplete"] = []any{"slides"}
			continue
		}
		c, err := d.readSlide(ctx, i)
		if err != nil {
			return nil, err
		}
		left--
		nodes[i] = c.node(i + 1)
		if i == 0 {
			first = plain.Words(c.title, maxTitle)
		}
	}
	if title = sensibleTitle(title); title == "" {
		title = first
	}
	return &citekit.Draft{Title: title, Nodes: nest(nodes, d.sections()), Method: "slides", Metadata: metadata}, nil
}

// node returns the node of a slide, counted from 1.
func (c *content) node(number int) *citekit.Node {
	texts := c.bodies
	title := plain.Words(c.title, maxTitle)
	for i, text := range texts {
		line, rest, _ := strings.Cut(text, "\n")
		if title != "" || c.marginal[i] || !canTitle(line) {
			continue
		}
		title = plain.Words(line, maxTitle)
		texts = slices.Concat(texts[:i], []string{rest}, texts[i+1:])
	}
	if title == "" {
		title = fmt.Sprintf("Slide %d", number)
	}
	return &citekit.Node{
		Title:    title,
		Type:     "slide",
		Location: onSlides(number, number),
		Summary:  sentence.Lead(strings.Join(texts, "\n"), maxSummary),
	}
}

// canTitle reports whether the first line of a text can be the title of a slide: it has
// letters, and is no row of a table or of the values of a chart.
func canTitle(line string) bool {
	return strings.ContainsFunc(line, unicode.IsLetter) && !strings.Contains(line, "\t")
}

// nest puts nodes into the sections of their slides. A section takes the place of
// its first slide.
func nest(nodes []*citekit.Node, sections []section) []*citekit.Node {
	of := make([]int, len(nodes)) // the section of each slide, from 1
	for n, s := range sections[:min(len(sections), about.MaxMappedNodes/2)] {
		for _, i := range s.slides {
			if of[i] == 0 {
				of[i] = n + 1
			}
		}
	}
	var top []*citekit.Node
	parents := make(map[int]*citekit.Node)
	for i, node := range nodes {
		switch {
		case node == nil:
		case of[i] == 0:
			top = append(top, node)
		default:
			parent := parents[of[i]]
			if parent == nil {
				parent = sectionNode(sections, of[i]-1)
				parents[of[i]] = parent
				top = append(top, parent)
			}
			parent.Children = append(parent.Children, node)
			parent.Location.Pages = append(parent.Location.Pages, node.Location.Pages...)
		}
	}
	for _, parent := range parents {
		parent.Location = parent.Location.WithPages(parent.Location.Pages...)
	}
	return top
}

// sectionNode returns the node of a section, still without slides.
func sectionNode(sections []section, n int) *citekit.Node {
	title := plain.Words(sections[n].name, maxTitle)
	if title == "" {
		title = fmt.Sprintf("Section %d", n+1)
	}
	return &citekit.Node{Title: title, Type: "section", Location: citekit.Location{Modality: citekit.Document}}
}

// sensibleTitle returns the title of a document. It returns "" for names of files
// and titles that programs give to every presentation.
func sensibleTitle(title string) string {
	title = plain.Words(title, maxTitle)
	switch lower := strings.ToLower(title); {
	case strings.Contains(lower, "powerpoint") && len(strings.Fields(lower)) <= 2, strings.HasPrefix(lower, "slide 1"), strings.HasPrefix(lower, "untitled"),
		strings.HasSuffix(lower, ".pptx"), strings.HasSuffix(lower, ".ppt"), strings.HasSuffix(lower, ".odp"):
		return ""
	}
	return title
}
