package textlayer_test

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// small returns paths of files below dir, in each of its folders the smallest:
// a few, or as many as do not take minutes.
func small(t *testing.T, dir string) (paths []string) {
	t.Helper()
	folders := map[string]int{"pdf": 25, "text": 25, "docs": 20, "media": 8, "image": 2}
	if testing.Short() {
		folders = map[string]int{"pdf": 3, "text": 8, "docs": 5}
	}
	for folder, most := range folders {
		sizes := map[string]int64{}
		var names []string
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil && info.Size() > 0 {
					name, _ := filepath.Rel(dir, path)
					sizes[name] = info.Size()
					names = append(names, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(sizes[a], sizes[b]) })
		if !sharedtest.Long() {
			names = names[:min(len(names), most)]
		}
		paths = append(paths, names...)
	}
	return paths
}

// TestCorpus holds the layers of files of every kind to what the Library reads.
func TestCorpus(t *testing.T) {
	dir := filepath.Dir(filepath.Dir(sharedtest.Corpus(t, "pdf/linearized-3p.pdf")))
	ws, err := workspace.Open(dir, &workspace.Options{MapsDir: t.TempDir(), EvidenceDir: t.TempDir(), KeyDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	report, err := ingest.Run(t.Context(), lib, small(t, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := textlayer.New(lib, nil)
	texts := map[citekit.Modality]int{}
	for _, f := range report.Items {
		if f.ResourceID == "" {
			continue
		}
		m, err := lib.Map(t.Context(), f.ResourceID)
		if err != nil {
			continue
		}
		if checkLayer(t, lib, s, m) {
			texts[m.Type]++
		}
	}
	t.Logf("layers: %v", texts)
	want := []citekit.Modality{citekit.Document, citekit.Text, citekit.Video, citekit.Audio}
	if testing.Short() {
		want = want[:2]
	}
	for _, m := range want {
		if texts[m] == 0 {
			t.Errorf("no layer of a %s source", m)
		}
	}
}

// checkLayer compares a layer with the runs that the Library reads, and reports
// whether there is one.
func checkLayer(t *testing.T, lib *citekit.Library, s *textlayer.Store, m *citekit.ResourceMap) bool {
	t.Helper()
	var want strings.Builder
	var failed error
	for run, err := range lib.ReadText(t.Context(), m.ResourceID, citekit.Location{}) {
		want.WriteString(run.Text)
		failed = err
	}
	l, err := s.Open(t.Context(), m.ResourceID)
	if (err == nil) != (failed == nil) || citekit.CodeOf(err) != citekit.CodeOf(failed) {
		t.Errorf("%s: %v; the Library says %v", m.SourcePath, err, failed)
	}
	if err != nil {
		return false
	}
	defer l.Close()
	var got strings.Builder
	for r := range l.Runs() {
		text, err := l.Text(t.Context(), r.From, r.To)
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(text)
		loc, err := l.Location(r.From, r.To)
		if err != nil || r.From < r.To && !loc.Equal(r.Location) {
			t.Errorf("%s: bytes %d-%d are at %v, %v; want %v", m.SourcePath, r.From, r.To, loc, err, r.Location)
		}
		parts, err := l.Ranges(r.Location)
		if err != nil || !holds(parts, r) {
			t.Errorf("%s: %v is at %v, %v; want %v", m.SourcePath, r.Location, parts, err, r)
		}
	}
	if got.String() != want.String() {
		t.Errorf("%s: the layer has %d bytes, the Library reads %d", m.SourcePath, got.Len(), want.Len())
	}
	if l.Empty() != (strings.TrimSpace(want.String()) == "") {
		t.Errorf("%s: empty is %v", m.SourcePath, l.Empty())
	}
	return true
}

func holds(parts []textlayer.Bytes, r textlayer.Run) bool {
	for _, p := range parts {
		if p.From <= r.From && r.To <= p.To {
			return true
		}
	}
	return false
}
