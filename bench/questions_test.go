package main

import (
	"context"
	"embed"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/mp4/mp4test"
	"github.com/citekit/citekit/internal/pdftest"
	"github.com/citekit/citekit/internal/sharedtest"
	"github.com/citekit/citekit/internal/tokens"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// questions are as somebody asks who knows the files no better than by their names.
// They were written with the answers, before anything was searched, and are not
// changed by what is found.
var questions = []struct {
	text   string
	file   string
	answer string // what one has to read to answer, as it stands in the file
}{
	{"How often should the kettle be descaled?", "kettle", "every two months"},
	{"notice period for ending the lease of the flat", "lease", "three months"},
	{"What causes spring tides?", "lecture", "in line with the moon"},
	{"When was the lamp of the lighthouse changed to electricity?", "interview", "1961"},
	{"Which planet has the most moons?", "planets", "Saturn"},
	{"oven temperature for rye bread", "bread", "250 degrees"},
	{"How tight must the pedals of a bicycle be?", "bicycle", "35 Nm"},
	{"What does a select statement choose if several cases can proceed?", "go_spec", "uniform pseudo-random selection"},
	{"Can items in a sync.Pool be removed without notice?", "pool", "removed automatically at any time without notification"},
	{"Why did the nightly backup fail?", "server", "no space left on /mnt/archive"},
}

// tokensToRead is how much of the best hit is read. With a reply of search, which
// has less than 1,000, it makes at most 1,500 for a question.
const (
	tokensToRead = 500
	mostTokens   = 1500
	leastRead    = 9 // of the questions
)

// TestQuestions asks ten questions of 21 files: each one search and one reading of
// the best hit, with what the tools search and getContents answer.
func TestQuestions(t *testing.T) {
	lib := questionLibrary(t)
	layers := textlayer.New(lib, nil)
	searcher, err := search.New(lib, &search.Options{Layers: layers})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	reader := contents.New(lib, layers)
	first, answered, most := 0, 0, 0
	for _, q := range questions {
		found, err := searcher.Search(t.Context(), search.Request{Query: q.text})
		if err != nil || len(found.Results) == 0 {
			t.Errorf("%s: %v, %v", q.text, found, err)
			continue
		}
		best := found.Results[0]
		read, err := reader.Read(t.Context(), contents.Request{IDs: []string{best.Address.String()}, MaxTokens: tokensToRead})
		if err != nil {
			t.Errorf("%s: %v", q.text, err)
			continue
		}
		spent := tokensOf(t, found) + tokensOf(t, read)
		most = max(most, spent)
		right := strings.HasPrefix(best.ResourceID, q.file)
		has := right && strings.Contains(words(read.Items[0].Text), words(q.answer))
		if right {
			first++
		}
		if has {
			answered++
		}
		t.Logf("%-70s file %-5t read %-5t %4d tokens  %s", q.text, right, has, spent, best.Address)
	}
	t.Logf("%d of %d in the right file, %d with the answer, at most %d tokens", first, len(questions), answered, most)
	if answered < leastRead || most >= mostTokens {
		t.Errorf("%d answers read, at least %d; %d tokens, less than %d", answered, leastRead, most, mostTokens)
	}
}

// words returns a text with single spaces and nothing that comments begin with.
func words(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "//", " ")), " ")
}

func tokensOf(t *testing.T, reply json.Marshaler) int {
	t.Helper()
	data, err := reply.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return tokens.Count(string(data))
}

//go:embed testdata/questions
var questionFiles embed.FS

// fromGo are files of the Go distribution.
var fromGo = []string{
	"doc/go_spec.html", "doc/go_mem.html", "doc/godebug.md", "src/sync/pool.go",
	"src/net/http/server.go", "src/time/format.go", "src/encoding/csv/reader.go", "src/sort/sort.go",
}

// questionLibrary returns a library over 21 files that it makes and maps.
func questionLibrary(t *testing.T) *citekit.Library {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte, err error) {
		t.Helper()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, err := questionFiles.ReadDir("testdata/questions")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := questionFiles.ReadFile(path.Join("testdata/questions", e.Name()))
		write(e.Name(), data, err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fromGo {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(name)))
		if err != nil {
			sharedtest.Missing(t, "this installation of Go has no "+name)
		}
		write(path.Base(name), data, nil)
	}
	write("kettle.pdf", pdfOf(kettle), nil)
	write("lease.pdf", pdfOf(lease), nil)
	write("lecture.mp4", mp4test.Video(40, 1, 64, 48), nil)
	write("interview.m4a", mp4test.PCM(30, 8000, 1), nil)
	var chart strings.Builder
	if err := png.Encode(&chart, image.NewGray(image.Rect(0, 0, 200, 100))); err != nil {
		t.Fatal(err)
	}
	write("chart.png", []byte(chart.String()), nil)
	return mapped(t, dir)
}

func mapped(t *testing.T, dir string) *citekit.Library {
	t.Helper()
	ws, err := workspace.Open(dir, &workspace.Options{KeyDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	report, err := ingest.Run(context.Background(), lib, []string{"."}, nil)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	ids, err := lib.Resources(t.Context())
	if err != nil || len(ids) != 21 {
		t.Fatalf("%d resources, %v: %v", len(ids), err, ids)
	}
	return lib
}

// pdfOf returns a document whose pages have a heading and lines.
func pdfOf(pages [][]string) []byte {
	var all [][]pdftest.Row
	for _, lines := range pages {
		rows := []pdftest.Row{{X: 60, Y: 80, Size: 20, Bold: true, Text: lines[0]}}
		for i, line := range lines[1:] {
			rows = append(rows, pdftest.Row{X: 60, Y: 120 + 18*float64(i), Size: 11, Text: line})
		}
		all = append(all, rows)
	}
	return pdftest.Rows("", all...)
}

var kettle = [][]string{
	{"Kettle KT 17", "Instructions for use", "Keep them for as long as you have the kettle."},
	{"Safety", "Put the kettle on a dry and level surface. Never fill it above the mark MAX:", "boiling water may splash out. Pull the plug before you fill it. Children below", "eight years of age must not use it. The base must not get wet."},
	{"First use", "Boil a full kettle of water twice and pour it away. A smell of the new parts", "goes away after the first days. Press the switch down; the lamp shines until the", "water boils, and the kettle then turns itself off."},
	{"Descaling", "Descale the kettle every two months, or sooner where the water is hard. Mix half", "a litre of water with 50 ml of vinegar, let it stand in the kettle for an hour and", "do not boil it. Rinse it three times. Scale makes it slow and loud."},
	{"Faults", "The lamp does not shine: look whether the plug is in. It turns off before the", "water boils: there is scale on the floor of the kettle. It leaks: stop using it", "and send it in. Do not open the base yourself."},
	{"Warranty", "Two years from the day of purchase, against the receipt. Damage by scale, by", "dropping, and by what the safety page forbids is excepted."},
}

var lease = [][]string{
	{"Lease", "between the housing society Am Hafen, landlord, and the tenant named below,", "of the flat on the third floor left, 62 square metres, with cellar room 9."},
	{"Rent", "The rent is 780 a month without heating, due on the third working day. Heating", "and water cost 140 a month in advance, settled once a year. The deposit is two", "monthly rents and bears interest for the tenant."},
	{"Term", "The lease begins on 1 March and is not limited in time. The tenant may end it in", "writing, three months before the end of a month at the latest. The landlord may", "end it only for the reasons that the law names."},
	{"Use", "Walls may be painted in light colours. Holes are filled when moving out. Pets that", "live in cages need no leave; dogs and cats do. Subletting needs the consent of the", "landlord in writing. Bicycles are kept in the cellar and not on the stairs."},
}
