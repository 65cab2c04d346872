package mapadapter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

// Generic reads maps close to those of this module: complete maps, several maps
// in a list or in the member "maps", and maps that lack fields. It also reads
// the simple form: a list of nodes with only "id", "title" and "children", or
// one such node, which names the map. Unknown members are kept.
//
// A location without a modality gets that of its selector. A node without a
// location gets that of its parent, if the parent has one. Missing ids are made
// from titles, and a second node with the same id gets a number.
type Generic struct{}

// Adapt implements [Adapter].
func (Generic) Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error) {
	j, err := newJob(ctx, in, opts, "generic")
	if err != nil {
		return nil, err
	}
	data, err := in.read(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return j.complete(data)
}

// complete makes maps from JSON in one of the forms of [Generic].
func (j *job) complete(data []byte) ([]*citekit.ResourceMap, error) {
	if len(data) > maxMapBytes {
		return nil, tooLarge("the input has %d bytes; maps may have %d MiB", len(data), maxMapBytes>>20)
	}
	maps, err := parseMaps(data)
	if err != nil {
		return nil, err
	}
	if err := j.checkCount(len(maps)); err != nil {
		return nil, err
	}
	for _, m := range maps {
		if err := j.completeOne(m); err != nil {
			return nil, err
		}
	}
	return maps, nil
}

// parseMaps finds the form of the JSON and parses it.
func parseMaps(data []byte) ([]*citekit.ResourceMap, error) {
	data = bytes.TrimSpace(trimBOM(data))
	if bytes.HasPrefix(data, []byte("[")) {
		var list []json.RawMessage
		if err := decode(data, &list); err != nil {
			return nil, err
		}
		if len(list) > 0 && isMap(list[0]) {
			return parseEach(list)
		}
		return parseNodes(data)
	}
	var object map[string]json.RawMessage
	if err := decode(data, &object); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	switch {
	case object["maps"] != nil && json.Unmarshal(object["maps"], &list) == nil:
		return parseEach(list)
	case isMap(data):
		return parseEach([]json.RawMessage{data})
	case object["id"] != nil || object["title"] != nil || object["children"] != nil:
		maps, err := parseNodes(append(append([]byte("["), data...), ']'))
		if err == nil {
			maps[0].ResourceID, maps[0].Title = maps[0].Nodes[0].ID, maps[0].Nodes[0].Title
		}
		return maps, err
	}
	return nil, formatError("the input is neither a map nor nodes with an id, a title or children")
}

// isMap reports whether an object has a member that only maps have.
func isMap(data []byte) bool {
	var m struct {
		ResourceID *json.RawMessage `json:"resource_id"`
		SourcePath *json.RawMessage `json:"source_path"`
		Nodes      *json.RawMessage `json:"nodes"`
	}
	return json.Unmarshal(data, &m) == nil && (m.ResourceID != nil || m.SourcePath != nil || m.Nodes != nil)
}

func parseEach(list []json.RawMessage) ([]*citekit.ResourceMap, error) {
	var maps []*citekit.ResourceMap
	for _, data := range list {
		m, err := citekit.ParseMap(data)
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

// parseNodes parses a list of nodes.
func parseNodes(list []byte) ([]*citekit.ResourceMap, error) {
	m, err := citekit.ParseMap(append(append([]byte(`{"nodes":`), list...), '}'))
	if err != nil {
		return nil, err
	}
	return []*citekit.ResourceMap{m}, nil
}

// completeOne fills in the missing fields of a map.
func (j *job) completeOne(m *citekit.ResourceMap) error {
	if len(m.Nodes) == 0 {
		return formatError("the map has no nodes")
	}
	source, err := j.find(m.SourcePath)
	if err != nil {
		return err
	}
	defer source.close()
	if source != nil {
		m.SourcePath = source.path
	}
	if err := placeNodes("nodes", m.Nodes, citekit.Location{}, m.Type); err != nil {
		return err
	}
	if m.Type == "" {
		m.Type = source.modality(m.Nodes)
		if source == nil {
			m.Type = cmp.Or(placed(m.Nodes), citekit.Virtual)
		}
	}
	if m.SourcePath == "" && m.Type != citekit.Virtual {
		return formatError("the map is of %s and does not name its source; give its path", m.Type)
	}
	m.ResourceID = j.resourceID(&draft{id: m.ResourceID, source: source})
	if m.Title == "" {
		m.Title = m.ResourceID
	}
	nameMissing(m.Nodes)
	placeVirtually(m.ResourceID, m.Nodes)
	if m.Metadata == nil {
		m.Metadata = make(map[string]any)
	}
	if m.SourceHash() == "" {
		if err := j.noteSource(m, source); err != nil {
			return err
		}
	}
	return m.Validate()
}

// placeNodes completes locations, and returns an error for invalid ones. Kind
// is the modality of the map or "".
func placeNodes(at string, nodes []*citekit.Node, parent citekit.Location, kind citekit.Modality) error {
	for i, n := range nodes {
		path := at + "[" + strconv.Itoa(i) + "]"
		loc := &n.Location
		switch {
		case isUnplaced(*loc) || isNull(*loc):
			*loc = parent
		case loc.Modality == "" && loc.VirtualAddress != "":
			loc.Modality = citekit.Virtual
		case loc.Modality == "":
			loc.Modality = cmp.Or(selected(*loc), kind)
		}
		if err := loc.Validate(); err != nil && !isUnplaced(*loc) {
			return fmt.Errorf("%s.location: %w", path, err)
		}
		inherited := *loc
		if inherited.Modality == citekit.Virtual {
			inherited = citekit.Location{}
		}
		if err := placeNodes(path+".children", n.Children, inherited, kind); err != nil {
			return err
		}
	}
	return nil
}

// isNull reports whether the location was null in JSON.
func isNull(loc citekit.Location) bool {
	if loc.Modality != "" || !loc.IsWhole() {
		return false
	}
	data, err := loc.MarshalJSON()
	return err == nil && string(data) == "null"
}

// selected returns the only modality with the selector of a location, or "".
func selected(loc citekit.Location) citekit.Modality {
	switch {
	case len(loc.Pages) > 0:
		return citekit.Document
	case !loc.Lines.IsZero():
		return citekit.Text
	case !loc.Box.IsZero():
		return citekit.Image
	}
	return ""
}

// nameMissing gives each node without an id one from its title, below the id of
// its parent, and makes all ids different.
func nameMissing(nodes []*citekit.Node) {
	taken := make(map[string]bool)
	last := make(map[string]int)
	var walk func(parent string, nodes []*citekit.Node)
	walk = func(parent string, nodes []*citekit.Node) {
		for _, n := range nodes {
			if n.ID == "" {
				n.ID = parent + nameOf(n)
			}
			id := n.ID
			for taken[n.ID] {
				last[id] = max(last[id], 1) + 1
				n.ID = id + "-" + strconv.Itoa(last[id])
			}
			taken[n.ID] = true
			walk(n.ID+".", n.Children)
		}
	}
	walk("", nodes)
}

// nameOf returns the name that a node gets from its title.
func nameOf(n *citekit.Node) string {
	named := &citekit.Node{Title: n.Title, Type: n.Type}
	ingest.NameNodes([]*citekit.Node{named})
	return named.ID
}
