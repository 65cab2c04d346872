package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/test/stdio"
)

const lectureMap = `{
  "resource_id": "lecture_01", "type": "video", "title": "Introduction to Algorithms", "source_path": "lecture_01.mp4",
  "metadata": {"lecturer": "A. N. Other"},
  "nodes": [
    {"id": "intro", "title": "Introduction", "type": "section", "location": {"modality": "video", "start": 0.0, "end": 145.5}, "summary": "What follows", "children": [
      {"id": "intro.welcome", "title": "Welcome", "type": "example", "location": {"modality": "video", "start": 0.0, "end": 30.0}, "children": []}]},
    {"id": "chapter_1", "title": "Big O Notation", "type": "section", "location": {"modality": "video", "start": 145.5, "end": 285.0}, "summary": "How run times grow", "children": [
      {"id": "chapter_1.intro", "title": "Introduction to Big O", "type": "definition", "location": {"modality": "video", "start": 145.5, "end": 200.0}, "summary": "The notation", "children": [
        {"id": "chapter_1.intro.example_1", "title": "One", "type": "example", "location": {"modality": "video", "start": 150.0, "end": 160.0}, "children": []},
        {"id": "chapter_1.intro.example_2", "title": "Two", "type": "example", "location": {"modality": "video", "start": 160.0, "end": 170.0}, "children": []}]}]}
  ],
  "created_at": "2025-02-16T14:32:10Z"
}`

// textbookMap has pages as maps of earlier packages have them: the first and the last.
const textbookMap = `{
  "resource_id": "textbook", "type": "document", "title": "A Textbook", "source_path": "textbook.pdf", "metadata": {"pages": 16},
  "nodes": [
    {"id": "chapter_1", "title": "One", "type": "section", "location": {"modality": "document", "pages": [1, 11]}, "children": []},
    {"id": "chapter_2", "title": "Two", "type": "section", "location": {"modality": "document", "pages": [12, 15]}, "children": [
      {"id": "chapter_2.definition", "title": "A definition", "type": "definition", "location": {"modality": "document", "pages": [12, 15]}, "children": []}]},
    {"id": "chapter_3", "title": "Three", "type": "section", "location": {"modality": "document", "pages": [16]}, "children": []}
  ],
  "created_at": "2025-02-16T14:32:10Z"
}`

const oldMap = `{
  "resource_id": "old", "type": "document", "title": "An old map", "source_path": "textbook.pdf", "nodes": [
    {"id": "said", "title": "", "type": "section", "location": {"modality": "document", "pages": [12, 15], "virtual_address": "doc://old#pages=12-15"}, "children": []},
    {"id": "unsaid", "title": "", "type": "section", "location": {"modality": "document", "pages": [3, 7]}, "children": []}]
}`

const placeholderMap = `{
  "resource_id": "placeholder", "type": "text", "title": "A map with a placeholder", "source_path": "research_paper.md", "metadata": {"source_hash": "a1b2c3d4..."}, "nodes": [
    {"id": "n", "title": "", "type": "section", "location": {"modality": "text", "lines": [1, 2]}, "children": []}]
}`

// citekitRows are those of the reference of the four tools that citekit always had, as MCP
// clients of its earlier packages know them.
func citekitRows() described {
	lecture := args{"resource_id": "lecture_01"}
	intro := args{"resource_id": "lecture_01", "node_id": "chapter_1.intro"}
	virtual := args{"resource_id": "lecture_01", "node_id": "chapter_1.intro", "virtual": true}
	definition := args{"resource_id": "textbook", "node_id": "chapter_2.definition"}
	resolved := func(arguments args, claims ...claim) func(*served) error {
		return calls("resolve", arguments, claims...)
	}
	structured := func(claims ...claim) func(*served) error { return calls("getStructure", lecture, claims...) }
	node := func(claims ...claim) func(*served) error { return calls("getNode", intro, claims...) }
	d := described{subject: "citekit, four tools", about: "The tools of the first packages, without a dialect."}
	d.rows = []row{
		{name: "tools `listResources`, `getStructure`, `getNode`, `resolve`", check: offered("listResources", "getStructure", "getNode", "resolve")},
		{name: "`listResources`: input `{}`", check: calls("listResources", args{}, kind(aList, "resources"))},
		{name: "`listResources`: no arguments at all", check: calls("listResources", nil, kind(aList, "resources"))},
		{name: "`listResources`: `resources`, ids as strings", check: calls("listResources", args{}, each("resources", func(v value) error {
			if v.text() == "" {
				return fmt.Errorf(" is %s, not a string", v)
			}
			return nil
		}))},
		{name: "`listResources`: every map in `.resource_maps/`", check: listsEveryMap},
		{name: "`listResources`: `{\"resources\": []}` without maps", check: inEmptyFolder(calls("listResources", args{}, is("resources", []string{})))},
		{name: "errors as text, `Error: …`", check: fails("getNode", args{"resource_id": "nope", "node_id": "n"}, "Error: ")},

		{name: "`getStructure`: `resource_id`, a string", check: schema("getStructure", is("properties.resource_id.type", "string"))},
		{name: "`getStructure`: `resource_id`, `type`, `title`, `source_path`", check: structured(
			is("resource_id", "lecture_01"), is("type", "video"), is("title", "Introduction to Algorithms"), says("source_path", "lecture_01.mp4"))},
		{name: "`getStructure`: `nodes` with `id`, `title`, `type`, `location`", check: structured(long("nodes", 2, 2), each("nodes", kind(aString, "id", "title", "type"), kind(anObj, "location")))},
		{name: "`getStructure`: `location` with `modality`, `start`, `end`", check: structured(is("nodes.1.location", args{"modality": "video", "start": 145.5, "end": 285}))},
		{name: "`getStructure`: `location` with `pages`, a list of numbers", check: calls("getStructure", args{"resource_id": "textbook"}, each("nodes", kind(aList, "location.pages"), kind(aCount, "location.pages.0")))},
		{name: "`getStructure`: `location` with `lines`, first and last", check: calls("getStructure", args{"resource_id": "placeholder"}, is("nodes.0.location.lines", []int{1, 2}))},
		{name: "`getStructure`: `summary`", check: structured(is("nodes.0.summary", "What follows"))},
		{name: "`getStructure`: `children`, whole nodes at any depth", check: structured(is("nodes.1.children.0.children.1.id", "chapter_1.intro.example_2"), is("nodes.0.children.0.children", []any{}))},
		{name: "`getStructure`: `metadata`", check: structured(is("metadata.lecturer", "A. N. Other"))},
		{name: "`getStructure`: `created_at`, ISO 8601", check: structured(is("created_at", "2025-02-16T14:32:10Z"))},
		{name: "`getStructure`: of types `document`, `video`, `text`", check: both(structured(is("type", "video")),
			calls("getStructure", args{"resource_id": "textbook"}, is("type", "document")), calls("getStructure", args{"resource_id": "research_paper"}, is("type", "text")))},
		{name: "`getStructure`: `No map found for resource '…'. Expected at: .resource_maps/….json`", check: fails("getStructure", args{"resource_id": "nonexistent_id"},
			"Error: No map found for resource 'nonexistent_id'. Expected at: .resource_maps/nonexistent_id.json\n")},

		{name: "`getNode`: `resource_id`, `node_id`, strings", check: schema("getNode", is("properties.resource_id.type", "string"), is("properties.node_id.type", "string"))},
		{name: "`getNode`: `id`, `title`, `type`", check: node(is("id", "chapter_1.intro"), is("title", "Introduction to Big O"), is("type", "definition"))},
		{name: "`getNode`: `location`", check: node(is("location", args{"modality": "video", "start": 145.5, "end": 200}))},
		{name: "`getNode`: `summary`", check: node(is("summary", "The notation"))},
		{name: "`getNode`: `children`, only their ids", check: node(is("children", []args{{"id": "chapter_1.intro.example_1"}, {"id": "chapter_1.intro.example_2"}}))},
		{name: "`getNode`: `Node '…' not found.`", check: fails("getNode", args{"resource_id": "lecture_01", "node_id": "invalid.node"}, "Error: Node 'invalid.node' not found.\n")},
		{name: "`getNode`: `Resource '…' not found.`", check: fails("getNode", args{"resource_id": "nonexistent", "node_id": "n"}, "Error: Resource 'nonexistent' not found.\n")},

		{name: "`resolve`: `resource_id`, `node_id`, strings", check: schema("resolve", is("properties.resource_id.type", "string"), is("properties.node_id.type", "string"))},
		{name: "`resolve`: `virtual`, true or false", check: schema("resolve", is("properties.virtual.type", "boolean"))},
		{name: "`resolve`: `virtual` is false by default", check: resolved(intro, kind(aString, "output_path"))},
		{name: "`resolve`: `virtual` false writes a file", check: resolved(args{"resource_id": "lecture_01", "node_id": "chapter_1.intro", "virtual": false}, kind(aString, "output_path"))},
		{name: "`resolve`: `output_path`, absolute, of a file that is there", check: resolved(intro, fileAt)},
		{name: "`resolve`: `output_path` in `.citekit_output/`, named after resource and node", check: resolved(intro, says("output_path", string(filepath.Separator)+".citekit_output"+string(filepath.Separator)+"lecture_01_chapter_1"))},
		{name: "`resolve`: `output_path` is null if `virtual`", check: resolved(virtual, isNull("output_path"))},
		{name: "`resolve`: `modality`", check: resolved(virtual, is("modality", "video"))},
		{name: "`resolve`: `address` with the seconds of the node", check: resolved(virtual, is("address", "video://lecture_01#t=145.5-200"))},
		{name: "`resolve`: `address` `t=145-200` of seconds 145.5 to 200, which would not be exact", check: resolved(virtual, is("address", "video://lecture_01#t=145-200"))},
		{name: "`resolve`: `node` with `id`, `title`, `location`, `summary`", check: resolved(virtual, is("node.id", "chapter_1.intro"), is("node.title", "Introduction to Big O"),
			is("node.location", args{"modality": "video", "start": 145.5, "end": 200}), is("node.summary", "The notation"))},
		{name: "`resolve`: `resource_id`", check: resolved(virtual, is("resource_id", "lecture_01"))},
		{name: "`resolve`: address, modality and node are the same with and without `virtual`", check: both(
			resolved(intro, is("address", "video://lecture_01#t=145.5-200"), is("node.id", "chapter_1.intro")), resolved(virtual, is("address", "video://lecture_01#t=145.5-200"), is("node.id", "chapter_1.intro")))},
		{name: "`resolve`: a document gives a PDF", check: resolved(definition, fileAt, says("output_path", ".pdf"), is("modality", "document"))},
		{name: "`resolve`: `doc://textbook#pages=12-15` of pages `[12, 15]`, after `check-map --fix`", check: resolved(definition, is("address", "doc://textbook#pages=12-15"))},
		{name: "`resolve`: an unknown node, as text", check: fails("resolve", args{"resource_id": "lecture_01", "node_id": "no"}, "Error: Node 'no' not found.")},
		{name: "`resolve`: an unknown resource, as text", check: fails("resolve", args{"resource_id": "no", "node_id": "no"}, "Error: Resource 'no' not found.")},
		{name: "`resolve`: addresses as a client keeps them resolve again", check: resolved(args{"address": "video://lecture_01#t=145-200"}, is("address", "video://lecture_01#t=145-200"), fileAt)},

		{name: "maps: `pages` `[first, last]`, repaired by the address", check: resolved(args{"resource_id": "old", "node_id": "said", "virtual": true}, is("address", "doc://old#pages=12-15"))},
		{name: "maps: `pages` `[first, last]`, reported where nothing tells", check: runs([]string{"check-map", "--fix", "old"}, 0, "[3, 7] means two pages", "doc://old#pages=3-7")},
		{name: "maps: a placeholder for `source_hash`, with the remedy", check: fails("resolve", args{"resource_id": "placeholder", "node_id": "n"}, "not a SHA-256", "map the source again, or remove source_hash")},
		{name: "maps: `.resource_maps/<id>.json`, evidence in `.citekit_output/`", check: resolved(args{"resource_id": "research_paper", "node_id": "tides.range"}, fileAt, says("output_path", ".citekit_output"))},
		{name: "the command's list has titles", check: runs([]string{"list", "--json"}, 0, `"title": "Introduction to Algorithms"`)},
		{name: "the command's list is of ids in a pipe", check: runs([]string{"list"}, 0, "lecture_01\n")},

		{name: "flow: discover, map, pick, resolve", check: wholeFlow},
		{name: "flow: virtual first, for a citation; then the file", check: both(resolved(virtual, kind(aString, "address")), resolved(intro, fileAt))},
		{name: "clients: `serve` alone, in the folder, over stdio", check: func(s *served) error {
			return startedIn(s, s.base, calls("listResources", args{}, kind(aList, "resources")))
		}},
		{name: "clients: `python -m citekit.cli serve`", check: notPython, other: true},

		{name: "target: `listResources` from memory", check: both(spends("listResources", args{}, "extract_ms", "hash_ms"), cached("listResources", args{}))},
		{name: "target: `getStructure` reads the map, not the source", check: spends("getStructure", lecture, "extract_ms", "hash_ms")},
		{name: "target: `getNode` reads the map, not the source", check: spends("getNode", intro, "extract_ms", "hash_ms")},
		{name: "target: `resolve` with `virtual` extracts and hashes nothing", check: spends("resolve", virtual, "extract_ms", "hash_ms")},
		{name: "target: `resolve` of what was resolved takes it from the cache", check: both(resolved(intro), spends("resolve", intro, "extract_ms"))},
	}
	return d
}

// offered checks that the server has tools, each with a description and a schema.
func offered(names ...string) func(*served) error {
	return func(s *served) error {
		for _, name := range names {
			err := schema(name, is("type", "object"), kind(anObj, "properties"))(s)
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func listsEveryMap(s *served) error {
	v, err := s.tool("listResources", args{})
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(s.base, ".resource_maps", "*.json"))
	if err != nil {
		return err
	}
	var want []any
	for _, file := range files {
		want = append(want, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	if got := sorted(v.at("resources").list()); !slices.Equal(got, sorted(want)) {
		return fmt.Errorf("resources are %v, not %v", got, want)
	}
	return nil
}

// startedIn makes a check on a server that is started in a folder, without a flag.
func startedIn(s *served, dir string, check func(*served) error) error {
	server, err := stdio.Start(s.t.Context(), dir, scratchBinary(s.t), "serve")
	if err != nil {
		return err
	}
	defer server.Stop()
	return check(&served{server, s.t, dir, ""})
}

func inEmptyFolder(check func(*served) error) func(*served) error {
	return func(s *served) error { return startedIn(s, s.t.TempDir(), check) }
}

// fileAt claims that output_path is absolute, and that of a file with content.
func fileAt(v value) error {
	path := v.at("output_path").text()
	info, err := os.Stat(path)
	if err != nil || !filepath.IsAbs(path) || info.Size() == 0 {
		return fmt.Errorf("output_path is %q: %w", path, err)
	}
	return nil
}

// wholeFlow does what an agent does: each call takes what the last one gave.
func wholeFlow(s *served) error {
	list, err := s.tool("listResources", args{})
	if err != nil {
		return err
	}
	i := slices.Index(sorted(list.at("resources").list()), "lecture_01")
	if i < 0 {
		return fmt.Errorf("resources are %s", list)
	}
	id := sorted(list.at("resources").list())[i]
	m, err := s.tool("getStructure", args{"resource_id": id})
	if err != nil {
		return err
	}
	for _, one := range m.at("nodes").list() {
		n := value{one}
		start, _ := n.at("location.start").v.(float64)
		end, _ := n.at("location.end").v.(float64)
		if 150 < start || end < 150 {
			continue
		}
		evidence, err := s.tool("resolve", args{"resource_id": id, "node_id": n.at("id").text()})
		if err != nil {
			return err
		}
		return all(is("address", "video://lecture_01#t=145.5-285"), fileAt)(evidence)
	}
	return fmt.Errorf("no node has second 150: %s", m)
}

// spends checks that a call, made again, spends nothing on some kinds of work, which is
// what its target is about: it is not the time that is compared.
func spends(tool string, arguments args, nothing ...string) func(*served) error {
	return func(s *served) error {
		var result value
		for range 2 {
			o := s.ask("tools/call", args{"name": tool, "arguments": arguments})
			if o.fault.v != nil {
				return fmt.Errorf("%s", o.fault)
			}
			result = o.result
		}
		for _, kind := range nothing {
			if err := is(kind, 0)(result.at("_meta.timing")); err != nil {
				return err
			}
		}
		return nil
	}
}

// cached checks that the answer of a call says that it did not have to be made anew.
func cached(tool string, arguments args) func(*served) error {
	return func(s *served) error {
		return is("_meta.timing.cache_hit", true)(s.ask("tools/call", args{"name": tool, "arguments": arguments}).result)
	}
}

// notPython checks that this is no Python package, which that command needs.
func notPython(*served) error {
	found := ""
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if base := d.Name(); base == "pyproject.toml" || base == "setup.py" || base == "cli.py" {
			found = name
		}
		return nil
	})
	if err == nil && found != "" {
		err = fmt.Errorf("there is %s", found)
	}
	return err
}
