package data

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/sentence"
)

// A cell is a cell of a Jupyter notebook; see
// https://nbformat.readthedocs.io/en/latest/format_description.html.
type cell struct {
	Type   string          `json:"cell_type"`
	Source json.RawMessage `json:"source"`
	Input  json.RawMessage `json:"input"` // source of a code cell in nbformat 3
	Level  int             `json:"level"` // level of a heading cell in nbformat 3

	first, last int
}

// A notebook holds what has been read of a notebook.
type notebook struct {
	ctx   context.Context
	src   []byte
	json  *json.Decoder
	cells []cell

	passed int // bytes whose lines are counted
	line   int // line at passed

	metadata struct {
		Kernel   struct{ Language string } `json:"kernelspec"`
		Language struct{ Name string }     `json:"language_info"`
	}
}

// mapNotebook maps the cells. Cells after a heading belong to its section. A
// first-level heading in the first cell that shows words is the title of the notebook.
func mapNotebook(ctx context.Context, src []byte) (*citekit.Draft, error) {
	n := &notebook{ctx: ctx, src: src, json: json.NewDecoder(bytes.NewReader(src)), line: 1}
	if err := n.object(n.top); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, malformed(n.lineAt(int(n.json.InputOffset())), "no JSON of a notebook")
	}
	if len(n.cells) == 0 {
		return nil, malformed(1, "a notebook without cells")
	}
	s := &citekit.Draft{Method: "cells", Metadata: map[string]any{"format": string(Notebook), "cells": len(n.cells)}}
	language := n.metadata.Language.Name
	if language == "" {
		language = n.metadata.Kernel.Language
	}
	if language != "" {
		s.Metadata["language"] = title(language)
	}
	for i := range n.cells {
		if n.cells[i].Type != "markdown" {
			break
		}
		text := n.cells[i].text()
		if heading, level, _ := firstHeading(text); level == 1 {
			s.Title = title(heading)
		}
		if s.Title != "" || shown(text) != "" {
			break
		}
	}
	if n.cells[0].first < n.cells[len(n.cells)-1].last {
		s.Nodes = sections(n.cells)
	}
	return s, nil
}

// object reads an object. It calls read with each key, to read the value.
func (n *notebook) object(read func(key string) error) error {
	if t, err := n.json.Token(); err != nil || t != json.Delim('{') {
		return errNotebook
	}
	for n.json.More() {
		key, err := n.json.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := read(name); err != nil {
			return err
		}
	}
	_, err := n.json.Token()
	return err
}

var errNotebook = malformed(1, "no JSON of a notebook")

// array reads an array. It calls read to read each element.
func (n *notebook) array(read func() error) error {
	if t, err := n.json.Token(); err != nil || t != json.Delim('[') {
		return errNotebook
	}
	for n.json.More() {
		if err := read(); err != nil {
			return err
		}
	}
	_, err := n.json.Token()
	return err
}

func (n *notebook) top(key string) error {
	switch key {
	case "cells":
		return n.array(n.cell)
	case "worksheets":
		return n.array(func() error { return n.object(n.worksheet) })
	case "metadata":
		if err := n.json.Decode(&n.metadata); !isTypeError(err) {
			return err
		}
		return nil
	}
	return n.other()
}

func (n *notebook) worksheet(key string) error {
	if key == "cells" {
		return n.array(n.cell)
	}
	return n.other()
}

func (n *notebook) other() error {
	var skipped json.RawMessage
	return n.json.Decode(&skipped)
}

func (n *notebook) cell() error {
	if err := n.ctx.Err(); err != nil {
		return err
	}
	start := int(n.json.InputOffset())
	start += len(n.src[start:]) - len(bytes.TrimLeft(n.src[start:], ", \t\r\n"))
	var c cell
	if err := n.json.Decode(&c); err != nil && !isTypeError(err) {
		return err
	}
	c.first = n.lineAt(start)
	c.last = n.lineAt(int(n.json.InputOffset()) - 1)
	n.cells = append(n.cells, c)
	return nil
}

// isTypeError reports whether err is about well-formed JSON of another type.
func isTypeError(err error) bool {
	_, ok := err.(*json.UnmarshalTypeError)
	return ok
}

// lineAt returns the line of an offset. Offsets must ascend.
func (n *notebook) lineAt(offset int) int {
	if offset > n.passed {
		n.line += bytes.Count(n.src[n.passed:offset], []byte("\n"))
		n.passed = offset
	}
	return n.line
}

// text returns the source of the cell, which is a string or a list of lines.
func (c *cell) text() string {
	source := c.Source
	if len(source) == 0 {
		source = c.Input
	}
	var whole string
	if json.Unmarshal(source, &whole) == nil {
		return whole
	}
	var lines []string
	if json.Unmarshal(source, &lines) == nil {
		return strings.Join(lines, "")
	}
	return ""
}

// node makes the node of a cell, and returns the level of its heading, or 0.
func (c *cell) node() (n *citekit.Node, level int) {
	n = &citekit.Node{Type: "cell", Location: linesAt(c.first, c.last)}
	text := c.text()
	c.Source, c.Input = nil, nil
	switch c.Type {
	case "markdown":
		heading, level, rest := firstHeading(text)
		if n.Title = title(heading); level == 0 {
			rest = shown(rest)
			n.Title = sentence.First(rest, maxPassageTitle)
		}
		n.Summary = sentence.Lead(rest, maxSummary)
		return n, level
	case "heading":
		n.Title = title(text)
		return n, max(c.Level, 1)
	}
	for line := range strings.Lines(text) {
		if n.Title = cutTitle(strings.TrimSpace(line)); n.Title != "" {
			break
		}
	}
	return n, 0
}

// shown returns a Markdown text, without tags if it begins with one; "" if it has no
// words then, as a rule or a button.
func shown(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		text = tag.ReplaceAllString(text, "")
	}
	if hasWord([]byte(text)) {
		return text
	}
	return ""
}

var tag = lazyregexp.New(`(?s)</?[A-Za-z][^<>]*>|<!--.*?-->`)

// firstHeading returns the first ATX or setext heading of a Markdown text, its level,
// and the text after it. Without a heading, rest is the whole text.
func firstHeading(text string) (heading string, level int, rest string) {
	before, fenced := "", false
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		at += len(line) + 1
		line = strings.TrimSpace(line)
		switch trimmed := strings.TrimLeft(line, "#"); {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fenced = !fenced
		case fenced:
		case len(trimmed) < len(line) && len(line)-len(trimmed) <= 6 && strings.HasPrefix(trimmed+" ", " "):
			level = len(line) - len(trimmed)
			return strings.TrimSpace(strings.TrimRight(trimmed, "# ")), level, text[min(at, len(text)):]
		case before != "" && line != "" && strings.Trim(line, "=") == "":
			return before, 1, text[min(at, len(text)):]
		case before != "" && len(line) > 1 && strings.Trim(line, "-") == "":
			return before, 2, text[min(at, len(text)):]
		}
		before = line
	}
	return "", 0, text
}

// sections puts the cells below a heading into a section with it. A section of
// one cell is that cell.
func sections(cells []cell) []*citekit.Node {
	root := &citekit.Node{}
	open, levels := []*citekit.Node{root}, []int{0}
	count := 0
	for i := range cells {
		n, level := cells[i].node()
		if level > 0 {
			for levels[len(levels)-1] >= level {
				open, levels = open[:len(open)-1], levels[:len(levels)-1]
			}
			section := &citekit.Node{Type: "section", Title: n.Title, Location: n.Location, Summary: n.Summary}
			parent := open[len(open)-1]
			parent.Children = append(parent.Children, section)
			open, levels = append(open, section), append(levels, level)
			count++
		}
		for _, section := range open[1:] {
			section.Location.Lines.Last = n.Location.Lines.Last
		}
		parent := open[len(open)-1]
		parent.Children = append(parent.Children, n)
		count++
	}
	if count > about.MaxMappedNodes {
		return runsOfCells(cells)
	}
	unwrap(root)
	return root.Children
}

// unwrap replaces sections of one cell by that.
func unwrap(n *citekit.Node) {
	for i, child := range n.Children {
		unwrap(child)
		if child.Type == "section" && len(child.Children) == 1 && child.Children[0].Type == "cell" {
			n.Children[i] = child.Children[0]
		}
	}
}

// runsOfCells is for notebooks of more cells than a map has nodes.
func runsOfCells(cells []cell) []*citekit.Node {
	rows := newRuns(maxRuns)
	for _, c := range cells {
		rows.add(&citekit.Node{Type: "rows", Location: linesAt(c.first, c.last)}, 1, minRunSize)
	}
	return rows.nodes()
}
