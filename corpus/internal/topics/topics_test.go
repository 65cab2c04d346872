package topics_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/corpus/internal/topics"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// readerOf returns a reader over files with their headings.
func readerOf(t *testing.T, files map[string][]string) *topics.Reader {
	t.Helper()
	ws := workspace.NewMemory(nil)
	for name, headings := range files {
		m := &citekit.ResourceMap{ResourceID: strings.NewReplacer("/", "-", ".", "-").Replace(name), Type: citekit.Text, Title: "A title", SourcePath: name}
		for i, heading := range headings {
			m.Nodes = append(m.Nodes, &citekit.Node{ID: fmt.Sprint(i), Title: heading, Type: "section", Location: citekit.Text.Lines(i+1, i+1)})
		}
		data, err := m.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := ws.WriteMap(t.Context(), m.ResourceID, data); err != nil {
			t.Fatal(err)
		}
		ws.AddSource(name, []byte(strings.Join(headings, "\n")+"\n"))
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	return topics.New(lib, contents.New(lib, nil), stats.New(lib, nil))
}

// TestSelect checks what folders and topics select.
func TestSelect(t *testing.T) {
	r := readerOf(t, map[string][]string{
		"a/core/one.md":      {"First", "Shared Words"},
		"core/two_b.md":      {"Second", "shared-words"},
		"core/!!/three.md":   {"Third"},
		"cores/four.md":      {"First"},
		"core.md":            {"Fifth"},
		"../core/outside.md": {"Sixth"},
	})
	for _, one := range []struct{ folder, topic, want string }{
		{"core", "", "../core/outside.md a/core/one.md core/!!/three.md core/two_b.md"},
		{"core", "one", "a/core/one.md"},
		{"core", "core/one", "a/core/one.md"},
		{"core", "TWO B", "core/two_b.md"},
		{"core", "three", "core/!!/three.md"},
		{"core", "shared words", "a/core/one.md core/two_b.md"},
		{"core", "first", "a/core/one.md"},
		{"", "first", "a/core/one.md cores/four.md"},
		{"", "core", "../core/outside.md a/core/one.md core/!!/three.md core.md core/two_b.md"},
		{"cores", "", "cores/four.md"},
	} {
		s, err := r.Select(t.Context(), one.folder, one.topic, false)
		var paths []string
		for _, p := range s.Parts {
			paths = append(paths, p.Path)
		}
		if got := strings.Join(paths, " "); err != nil || got != one.want || s.More {
			t.Errorf("%s, %s: %s, %v, %v, want %s", one.folder, one.topic, got, s.More, err, one.want)
		}
	}
	for _, one := range []struct {
		folder, topic string
		want          error
	}{
		{"core", "fifth", fs.ErrNotExist},
		{"none", "", fs.ErrNotExist},
		{"core", "on", fs.ErrNotExist},
		{"core", "..", citekit.ErrSyntax},
		{"core", "../one", citekit.ErrSyntax},
		{"core", "/one", citekit.ErrSyntax},
		{"core", strings.Repeat("x", topics.MaxTopic+1), citekit.ErrSyntax},
	} {
		if s, err := r.Select(t.Context(), one.folder, one.topic, false); !errors.Is(err, one.want) {
			t.Errorf("%s, %.20s: %v, %v", one.folder, one.topic, s, err)
		}
	}
	if s, err := r.Select(t.Context(), "core", "one", true); !errors.Is(err, topics.ErrNotInMemory) { // a workspace without stamps
		t.Errorf("%v, %v", s, err)
	}
	if _, kept := r.HitRate(); kept {
		t.Error("texts of a workspace without stamps are kept")
	}
}

// TestText reads a heading, and a source that is outside.
func TestText(t *testing.T) {
	r := readerOf(t, map[string][]string{"core/one.md": {"First", "Second"}, "core/gone.md": {"Third"}})
	s, err := r.Select(t.Context(), "core", "second", false)
	if err != nil {
		t.Fatal(err)
	}
	text, cached, err := r.Text(t.Context(), s.Parts[0], false)
	if err != nil || cached || text.Text != "Second" || !text.Whole {
		t.Errorf("%+v, %v, %v", text, cached, err)
	}
	if _, _, err := r.Text(t.Context(), s.Parts[0], true); !errors.Is(err, topics.ErrNotInMemory) {
		t.Error(err)
	}
}

// TestManyFiles checks how many of many files of one name are selected.
func TestManyFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		many := make(map[string][]string)
		for i := range topics.MaxParts + 1 {
			many[fmt.Sprintf("core/%d/principles.md", i)] = []string{"Alike"}
		}
		r := readerOf(t, many)
		for _, topic := range []string{"", "principles", "alike"} {
			if s, err := r.Select(t.Context(), "core", topic, false); err != nil || len(s.Parts) != topics.MaxParts || !s.More {
				t.Errorf("%q: %d parts, %v, %v", topic, len(s.Parts), s.More, err)
			}
		}
	})
}
