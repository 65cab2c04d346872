package modality_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/media"
)

var builtIn = []citekit.Modality{citekit.Document, citekit.Video, citekit.Audio, citekit.Image, citekit.Text, citekit.Virtual}

// TestAll checks that every modality has a resolver of its own, which names
// its output and refuses the locations of the others.
func TestAll(t *testing.T) {
	all := modality.All()
	versions := make(map[string]citekit.Modality)
	for _, m := range builtIn {
		r := all[m]
		if r == nil {
			t.Errorf("no resolver for %s", m)
			continue
		}
		checkVersion(t, m, r, versions)
		for _, other := range builtIn {
			if other == m {
				continue
			}
			req := citekit.Request{Location: citekit.Location{Modality: other}}
			src := citekit.NewSource(strings.NewReader("a"), citekit.SourceInfo{Name: "a", Size: 1})
			if _, err := r.Resolve(t.Context(), src, req); !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("the resolver for %s, asked for %s: %v", m, other, err)
			}
		}
	}
}

func checkVersion(t *testing.T, m citekit.Modality, r citekit.Resolver, versions map[string]citekit.Modality) {
	t.Helper()
	v, ok := r.(citekit.Versioner)
	if !ok {
		t.Errorf("%s: the resolver does not name its output", m)
		return
	}
	if other, taken := versions[v.Version()]; taken {
		t.Errorf("%s and %s both name their output %q", m, other, v.Version())
	}
	versions[v.Version()] = m
}

// TestAllIsNew checks that callers do not share the map.
func TestAllIsNew(t *testing.T) {
	delete(modality.All(), citekit.Text)
	if modality.All()[citekit.Text] == nil {
		t.Error("a caller changed the map of another")
	}
}

func ExampleAll() {
	resolvers := modality.All()
	_, measures := resolvers[citekit.Text].(citekit.Measurer)
	_, reads := resolvers[citekit.Text].(citekit.TextReader)
	fmt.Println(measures, reads)
	// Output: true true
}

// TestLimits holds a slot that all programs share: no modality starts one.
func TestLimits(t *testing.T) {
	all := modality.New(&modality.Limits{MaxChildren: 1, ChildMemory: 1 << 30, DecoderMemory: 1 << 20, MaxDocuments: 3})
	pictures, documents := all[citekit.Image].(*image.Resolver), all[citekit.Document].(*document.Resolver)
	films, sounds := all[citekit.Video].(*media.Resolver).Options, all[citekit.Audio].(*media.Resolver).Options
	shared := pictures.Children
	if shared == nil || documents.PDF.Children != shared || films.Children != shared || sounds.Children != shared {
		t.Error("the modalities share no slots of programs")
	}
	if films.MaxMemory != 1<<30 || sounds.MaxMemory != 1<<30 || pictures.DecodeBytes != 1<<20 || documents.PDF.MaxJobs != 3 {
		t.Error("a limit is not set")
	}
}
