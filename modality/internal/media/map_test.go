package media

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// mapped is a node in short.
type mapped struct {
	Type, Title string
	Start, End  float64
	Children    []mapped
}

func shorten(nodes []*citekit.Node) (short []mapped) {
	for _, n := range nodes {
		short = append(short, mapped{n.Type, n.Title, n.Location.Time.Start, n.Location.Time.End, shorten(n.Children)})
	}
	return short
}

// mapFile maps a file and checks what every map must be.
func mapFile(t testing.TB, e *Engine, path string, files ...citekit.Companion) *citekit.Draft {
	t.Helper()
	src := openFile(t, path)
	s, err := e.Map(t.Context(), src, citekit.MapRequest{Modality: e.Modality, Companions: files})
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	extent, err := e.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	checkNodes(t, extent, s.Nodes)
	if len(s.Nodes) == 0 {
		t.Errorf("%s: no nodes", filepath.Base(path))
	}
	return s
}

func checkNodes(t testing.TB, extent citekit.Extent, nodes []*citekit.Node) {
	t.Helper()
	for i, n := range nodes {
		if err := n.Location.Validate(); err != nil {
			t.Errorf("%v: %v", n.Location, err)
		}
		if err := extent.Check(n.Location); err != nil || n.Location.Time.End > extent.Duration || n.Location.Time.End == 0 {
			t.Errorf("%v of %v s: %v", n.Location.Time, extent.Duration, err)
		}
		if i > 0 && n.Location.Time.Start < nodes[i-1].Location.Time.Start {
			t.Errorf("%v follows %v", n.Location.Time, nodes[i-1].Location.Time)
		}
		checkNodes(t, extent, n.Children)
	}
}

// probedChapters returns the chapters that ffprobe finds.
func probedChapters(t testing.TB, path string) (chapters []mapped) {
	t.Helper()
	var found struct {
		Chapters []struct {
			Start string `json:"start_time"`
			End   string `json:"end_time"`
			Tags  struct {
				Title string `json:"title"`
			} `json:"tags"`
		} `json:"chapters"`
	}
	if err := json.Unmarshal(ffmpegtest.Run(t, "ffprobe", "-v", "fatal", "-show_chapters", "-of", "json", path), &found); err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Chapters {
		start, errStart := strconv.ParseFloat(c.Start, 64)
		end, errEnd := strconv.ParseFloat(c.End, 64)
		if errStart != nil || errEnd != nil {
			t.Fatalf("chapter %+v", c)
		}
		chapters = append(chapters, mapped{Type: "chapter", Title: strings.Join(strings.Fields(c.Tags.Title), " "), Start: start, End: end})
	}
	return chapters
}

// TestCorpus maps every recording of the corpus and compares its chapters with
// those that ffprobe finds and that begin before its end.
func TestCorpus(t *testing.T) {
	sharedtest.NotShort(t)
	files, err := os.ReadDir(sharedtest.Corpus(t, "media"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range sharedtest.Share(t, files, 6) {
		path := sharedtest.Corpus(t, "media/"+f.Name())
		for _, modality := range []citekit.Modality{citekit.Video, citekit.Audio} {
			e := &Engine{Modality: modality}
			src := openFile(t, path)
			extent, err := e.Measure(t.Context(), src)
			if err != nil {
				_, err := e.Map(t.Context(), src, citekit.MapRequest{Modality: modality})
				if citekit.CodeOf(err) != message.CodeInvalidInput {
					t.Errorf("%s as %s: error %v", f.Name(), modality, err)
				}
				continue
			}
			s := mapFile(t, e, path)
			t.Logf("%s as %s: %s, %q, %d nodes, %v", f.Name(), modality, s.Method, s.Title, len(s.Nodes), s.Metadata)
			var want []mapped
			for _, c := range probedChapters(t, path) {
				if c.End = math.Min(c.End, extent.Duration); c.Start < c.End {
					want = append(want, c)
				}
			}
			if (s.Method == "chapters") != (len(want) > 0) {
				t.Errorf("%s as %s: method %s with %d chapters", f.Name(), modality, s.Method, len(want))
			}
			if s.Method != "chapters" {
				continue
			}
			if diff := cmp.Diff(want, shorten(s.Nodes)); diff != "" {
				t.Errorf("%s as %s: (-ffprobe +map)\n%s", f.Name(), modality, diff)
			}
		}
	}
}
