package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A mappedNode is what the tests read of a node.
type mappedNode struct {
	ID       string
	Children []mappedNode
}

// nodeIDs returns the ids of all nodes of a map.
func nodeIDs(t *testing.T, path string) []string {
	t.Helper()
	var m struct{ Nodes []mappedNode }
	readJSON(t, path, &m)
	var ids []string
	var visit func([]mappedNode)
	visit = func(nodes []mappedNode) {
		for _, n := range nodes {
			ids = append(ids, n.ID)
			visit(n.Children)
		}
	}
	visit(m.Nodes)
	return ids
}

// some returns at most n of the values, the first and the last among them.
func some(values []string, n int) []string {
	if len(values) <= n {
		return values
	}
	var picked []string
	for i := range n {
		picked = append(picked, values[i*(len(values)-1)/(n-1)])
	}
	return picked
}

// mapsIn returns the maps of a base directory by their names, with the time of
// their making taken out.
func mapsIn(t *testing.T, base string) map[string]map[string]any {
	t.Helper()
	found := make(map[string]map[string]any)
	paths, err := filepath.Glob(filepath.Join(base, ".resource_maps", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		var m map[string]any
		readJSON(t, path, &m)
		delete(m, "created_at")
		if metadata, ok := m["metadata"].(map[string]any); ok {
			delete(metadata, "map_hash") // has the time in it
		}
		found[filepath.Base(path)] = m
	}
	return found
}

// unreadable are the files of the corpus that are too damaged for a map, or
// closed with a password.
var unreadable = []string{
	"image/corrupt-header.jpg", "image/truncated.jpg",
	"media/missing-stsd.mp4", "media/smallest.mp3",
	"pdf/corrupted.pdf", "pdf/encrypted-user-pw-aes256.pdf", "pdf/encrypted-user-pw.pdf", "pdf/no-page-count.pdf", "pdf/pages-tree-deep.pdf",
}

// TestIngestCorpus maps real files, twice from the start, and asks the server
// for some nodes of every map; TestEveryNodeResolves resolves all of them.
func TestIngestCorpus(t *testing.T) {
	parts := []string{
		"docs", "maps", "pdf", "text", "truth", "image/png-16bit.png", "image/exif-orientation-6.jpg", "image/truncated.jpg",
		"media/h264-aac-chapters.mp4", "media/mkv-srt-track.mkv", "media/chapters.mp3", "media/smallest.mp3",
	}
	const perMap = 3
	if sharedtest.Long() {
		parts = corpusParts
	}
	var bases []string
	for range 2 {
		base := t.TempDir()
		bases = append(bases, base)
		for _, part := range parts {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(base, part)), 0o700); err != nil {
				t.Fatal(err)
			}
			copyTree(t, sharedtest.Corpus(t, part), filepath.Join(base, part))
		}
		report := runIngest(t, base, ".")
		for _, item := range report.Items {
			if item.Status == "failed" && !slices.Contains(unreadable, item.Path) {
				t.Errorf("%s: %s", item.Path, item.Reason)
			}
		}
		again := runIngest(t, base, ".")
		if again.Summary["mapped"]+again.Summary["copied"] > 0 {
			t.Errorf("mapped again: %v", again.Summary)
		}
	}
	first := mapsIn(t, bases[0])
	if diff := cmp.Diff(first, mapsIn(t, bases[1])); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	s := serve(t, bases[0])
	resolved := 0
	for name, m := range first {
		id, _ := m["resource_id"].(string)
		for _, node := range some(nodeIDs(t, filepath.Join(bases[0], ".resource_maps", name)), perMap) {
			data, failure := s.resolve(id, node)
			if failure != "" || len(data) == 0 {
				t.Errorf("%s of %s: %d bytes, %s", node, id, len(data), failure)
			}
			resolved++
		}
	}
	t.Logf("%d maps, %d nodes resolved", len(first), resolved)
}

// TestIngestNames maps files with all kinds of names from several places.
func TestIngestNames(t *testing.T) {
	dir := t.TempDir()
	base, elsewhere := filepath.Join(dir, "base with space"), filepath.Join(dir, "elsewhere")
	names := []string{
		"plain.md", "two words.md", "100% #1?&+.md", "наука/глава 1.md", "日本語.md", "é.md", "e\u0301.md", "-dash.md", "--json.md",
		"a'b\"c.md", "[x].md", "{a,b}.md", "star*.md", "back\\slash.md", "two..dots..md", "~home.md", "con.md", "😀.md",
		strings.Repeat("n", 200) + ".md", strings.Repeat("д", 120) + ".md", "deep/" + strings.Repeat("d/", 60) + "x.md", "no-extension", "UPPER.MD", "upper.md",
	}
	for i, name := range names {
		writeFile(t, filepath.Join(base, name), []byte("# T\n\n"+string(rune('a'+i))+"\n"))
	}
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	report := finished(t, elsewhere, "ingest", "--json", "--dir", base, base).report(t)
	if len(report.Items) != len(names) || report.Summary["mapped"] != len(names) {
		t.Errorf("%v of %d", report.Summary, len(names))
	}
	ids := make(map[string]string)
	s := serve(t, base)
	for _, item := range report.Items {
		if item.Status != "mapped" {
			t.Errorf("%s: %s %s", item.Path, item.Status, item.Reason)
			continue
		}
		if other := ids[item.ResourceID]; other != "" {
			t.Errorf("%s and %s have the id %s", other, item.Path, item.ResourceID)
		}
		ids[item.ResourceID] = item.Path
		want, err := os.ReadFile(filepath.Join(base, item.Path))
		if err != nil {
			t.Error(err)
		}
		for _, node := range nodeIDs(t, mapOf(t, base, item.ResourceID)) {
			if data, failure := s.resolve(item.ResourceID, node); failure != "" || !bytes.Equal(data, want) {
				t.Errorf("%s: %q, %s", item.Path, data, failure)
			}
		}
	}
	for _, test := range []struct {
		name, cwd string
		args      []string
		want      int // sources
	}{
		{"again, from inside", base, []string{"."}, len(names)},
		{"a pattern", base, []string{"*.md"}, len(names) - 4}, // two in folders, one without, UPPER.MD
		{"a deep pattern", base, []string{"**/x.md"}, 1},
		{"a name that is a pattern too", base, []string{"[x].md"}, 1},
		{"a name with a star", base, []string{"star*.md"}, 1},
		{"names like flags", base, []string{"--", "--json.md", "-dash.md"}, 2},
		{"one twice", base, []string{"plain.md", "./plain.md", filepath.Join(base, "plain.md")}, 1},
		{"from a folder", filepath.Join(base, "deep"), []string{"--dir", "..", "deep"}, 1},
		{"up and down", filepath.Join(base, "deep"), []string{"--dir", base, "deep/../plain.md"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := finished(t, test.cwd, append([]string{"ingest", "--json"}, test.args...)...)
			report := r.report(t)
			if report.Summary["unchanged"] != test.want || len(report.Items) != test.want {
				t.Errorf("%v, want %d unchanged; %s", report.Summary, test.want, r.stderr)
				for _, item := range report.Items {
					if item.Status != "unchanged" {
						t.Logf("%+v", item)
					}
				}
			}
		})
	}
}

// mapOf returns the path of the map of an id.
func mapOf(t *testing.T, base, id string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(base, ".resource_maps", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		var m storedMap
		data, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(data, &m) == nil && m.ResourceID == id {
			return path
		}
	}
	t.Fatalf("there is no map of %s", id)
	return ""
}
