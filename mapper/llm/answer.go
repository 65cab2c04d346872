package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/lenient"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

const (
	maxTitle    = 300 // bytes
	maxSummary  = 1000
	maxType     = 32
	maxDepth    = 64
	maxProblems = 40 // reported
)

// ErrAnswer reports an answer that cannot be used.
var ErrAnswer = errors.New("the answer is not a map of the source")

// An Answer holds the nodes read from the answer of a model or a program.
type Answer struct {
	Title string // of the source; "" if the answer has none

	// Nodes have ids only if the answer gave them; see [ingest.NameNodes]. Each
	// node lies in the source. Siblings are in the order of the source.
	Nodes []*citekit.Node

	Problems []string // faults of the answer, one line each; at most 40
	LeftOut  int      // nodes that were left out because of faults
	Mended   bool     // the answer was not JSON as received
}

// ReadAnswer reads an answer about a source of the extent: an object with
// "nodes", or the list of nodes alone, as [Schema] describes them. It also
// accepts other forms that programs and models write: the nodes of a map as it
// is stored, with "location" and "children"; ranges such as "12-15" or
// first_page and last_page; times such as "1:15.5". [Repair] lists the faults
// in JSON that are put right.
//
// A node whose place lies outside the source is left out, and its children take
// its place. Locations are never adjusted. The type of a node is any word. The
// error matches [ErrAnswer] if the answer has no JSON or no list of nodes.
func ReadAnswer(text []byte, extent citekit.Extent) (*Answer, error) {
	return builder{extent: extent, fromProgram: true}.read(text)
}

// read reads the answer.
func (b builder) read(text []byte) (*Answer, error) {
	if _, ok := forms[b.extent.Modality]; !ok {
		return nil, fmt.Errorf("%s source has no map: %w", message.Article(b.extent.Modality), errors.ErrUnsupported)
	}
	value, mended, err := parse(text)
	if err != nil {
		return nil, err
	}
	title, nodes, ok := rootOf(value)
	if !ok {
		return nil, fmt.Errorf("%w: it has no list of nodes", ErrAnswer)
	}
	b.answer = &Answer{Title: plain.Words(title, maxTitle), Mended: mended}
	b.list(nodes, 0)
	sortNodes(b.answer.Nodes)
	return b.answer, nil
}

// parse returns the JSON value in an answer.
func parse(text []byte) (value any, mended bool, err error) {
	repaired, mended, err := Repair(text)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if n := valuesIn(repaired); n > maxValues {
		return nil, false, fmt.Errorf("%w: it has %d values; at most %d: %w", ErrAnswer, n, maxValues, citekit.ErrTooLarge)
	}
	decoder := json.NewDecoder(bytes.NewReader(repaired))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, false, fmt.Errorf("%w: it is not JSON", ErrAnswer)
	}
	return value, mended, nil
}

// rootOf returns the title and the nodes of an answer.
func rootOf(value any) (title string, nodes []any, ok bool) {
	if list, isList := value.([]any); isList {
		return "", list, true
	}
	object, _ := value.(map[string]any)
	if inner, isObject := lenient.First(object, "map", "structure").(map[string]any); isObject && object["nodes"] == nil {
		object = inner
	}
	nodes, ok = lenient.First(object, "nodes", "children").([]any)
	return lenient.Text(object["title"]), nodes, ok
}

// A builder makes a tree from the nodes of an answer.
type builder struct {
	extent citekit.Extent
	part   citekit.Location // where nodes must lie; the zero Location allows all places
	answer *Answer

	// A program is trusted to give nodes ids, and any word as their type. A
	// model is not: its words may come from the source.
	fromProgram bool

	number int     // of the node being read, from 1
	kept   int     // nodes so far
	around []above // the nodes around the place where the next one goes
}

// above is a node on the path to the place where the next one goes.
type above struct {
	depth int
	node  *citekit.Node
}

// list adds nodes at depth, or deeper according to their levels.
func (b *builder) list(nodes []any, depth int) {
	var levels []int
	for _, value := range nodes {
		object, ok := value.(map[string]any)
		if !ok {
			b.number++
			b.leaveOut("", fmt.Errorf("it is not an object: %w", citekit.ErrSyntax))
			continue
		}
		level, _ := lenient.Whole(object["level"])
		for len(levels) > 0 && levels[len(levels)-1] >= level {
			levels = levels[:len(levels)-1]
		}
		at := depth + len(levels)
		levels = append(levels, level)
		b.add(object, at)
		b.list(arrayOf(lenient.First(object, "children", "nodes")), at+1)
	}
}

func (b *builder) add(object map[string]any, depth int) {
	b.number++
	for len(b.around) > 0 && (b.around[len(b.around)-1].depth >= depth || len(b.around) >= maxDepth) {
		b.around = b.around[:len(b.around)-1]
	}
	title := plain.Words(lenient.Text(lenient.First(object, "title", "name", "heading")), maxTitle)
	loc, err := placeOf(object, b.extent.Modality)
	if err == nil {
		err = b.check(loc)
	}
	if err == nil && b.kept >= about.MaxMappedNodes {
		err = fmt.Errorf("more than %d nodes: %w", about.MaxMappedNodes, citekit.ErrTooLarge)
	}
	if err != nil {
		b.leaveOut(title, err)
		return
	}
	node := &citekit.Node{
		Title:    title,
		Type:     b.typeOf(lenient.Text(object["type"])),
		Location: loc,
		Summary:  plain.Words(lenient.Text(lenient.First(object, "summary", "description")), maxSummary),
	}
	if b.fromProgram {
		node.ID = plain.Words(lenient.Text(object["id"]), maxTitle)
	}
	b.attach(node, depth)
}

func (b *builder) attach(node *citekit.Node, depth int) {
	b.kept++
	if n := len(b.around); n > 0 {
		parent := b.around[n-1].node
		parent.Children = append(parent.Children, node)
		if !covers(parent.Location, node.Location) {
			b.problem(node.Title, "it does not lie within the node it belongs to")
		}
	} else {
		b.answer.Nodes = append(b.answer.Nodes, node)
	}
	b.around = append(b.around, above{depth, node})
}

// check returns an error if loc lies outside the source, or the part of it
// that was shown.
func (b *builder) check(loc citekit.Location) error {
	if err := b.extent.Check(loc); err != nil {
		return err
	}
	if !covers(b.part, loc) {
		return fmt.Errorf("it lies outside the part that was shown: %w", citekit.ErrRange)
	}
	return nil
}

// typeOf returns word if it may be a type, or else the usual type.
func (b *builder) typeOf(word string) string {
	types := forms[b.extent.Modality].types
	word = strings.ToLower(plain.Words(word, maxType))
	if word != "" && b.fromProgram || slices.Contains(types, word) {
		return word
	}
	return types[0]
}

func (b *builder) leaveOut(title string, err error) {
	b.answer.LeftOut++
	text := err.Error()
	for _, kind := range []error{citekit.ErrSyntax, citekit.ErrRange, citekit.ErrTooLarge} {
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	b.problem(title, text)
}

func (b *builder) problem(title, text string) {
	if len(b.answer.Problems) >= maxProblems {
		return
	}
	name := fmt.Sprintf("node %d", b.number)
	if title != "" {
		name += fmt.Sprintf(" (%q)", plain.Words(title, 80))
	}
	b.answer.Problems = append(b.answer.Problems, name+": "+clip(text))
}

// sortNodes puts siblings in the order of the source; pictures have no order.
func sortNodes(nodes []*citekit.Node) {
	slices.SortStableFunc(nodes, func(a, b *citekit.Node) int {
		return cmp.Compare(starting(a.Location), starting(b.Location))
	})
	for _, n := range nodes {
		sortNodes(n.Children)
	}
}
