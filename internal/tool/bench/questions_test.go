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
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// A question has an answer in one of the files.
type question struct {
	text   string
	file   string // how the resource id begins
	answer string // what one has to read to answer, as it stands in the file
}

// questions are as somebody asks who knows the files no better than by their names.
// They were written with the answers, before anything was searched, and are not
// changed by what is found.
var questions = []question{
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

// How a question is asked: one search, and one getContents of the first hits. The
// questions came before all results, but this way did not: the first run read the
// best hit alone, within 500 tokens, and had the answer to five.
const (
	hitsShown    = 5
	hitsRead     = 3
	tokensToRead = 900
)

const (
	mostTokens = 1500 // of both replies, which is the aim
	leastFound = 9    // questions whose answer one of the hits that are read holds, which is the aim
	leastRead  = 9    // questions whose answer stands in what is read, which is the aim
)

// An asked is what became of a question.
type asked struct {
	best, found, read bool // the answer is in the best hit, in one of those read, in what was read of them
	tokens            int
}

// TestQuestions asks ten questions of 21 files, with what the tools search and
// getContents answer.
func TestQuestions(t *testing.T) {
	sharedtest.NotShort(t)
	lib := questionLibrary(t)
	layers := textlayer.New(lib, nil)
	searcher := search.New(lib, &search.Options{Layers: layers})
	defer searcher.Close()
	reader := contents.New(lib, &contents.Options{Layers: layers})
	best, found, read, most := 0, 0, 0, 0
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for _, q := range questions {
		a := ask(t, searcher, reader, q)
		count(&best, a.best)
		count(&found, a.found)
		count(&read, a.read)
		most = max(most, a.tokens)
		t.Logf("%-70s best hit %-5t found %-5t read %-5t %4d tokens", q.text, a.best, a.found, a.read, a.tokens)
	}
	t.Logf("of %d: in the best hit %d, found %d, read %d, at most %d tokens", len(questions), best, found, read, most)
	if found < leastFound || read < leastRead || most >= mostTokens {
		t.Errorf("found %d, at least %d; read %d, at least %d; %d tokens, less than %d", found, leastFound, read, leastRead, most, mostTokens)
	}
}

func ask(t *testing.T, searcher *search.Searcher, reader *contents.Reader, q question) (a asked) {
	t.Helper()
	hits, err := searcher.Search(t.Context(), search.Request{Query: q.text, TopK: hitsShown})
	if err != nil || len(hits.Results) < hitsRead {
		t.Fatalf("%s: %v, %v", q.text, hits, err)
	}
	var ids []string
	for _, r := range hits.Results[:hitsRead] {
		ids = append(ids, r.Address.String())
	}
	answers := func(ids []string, most int) (bool, int) {
		got, err := reader.Read(t.Context(), contents.Request{IDs: ids, MaxTokens: most})
		if err != nil {
			t.Fatalf("%s: %v", q.text, err)
		}
		return slices.ContainsFunc(got.Items, q.isAnsweredBy), tokensOf(t, got)
	}
	const all = 50_000 // tokens
	a.best, _ = answers(ids[:1], all)
	a.found, _ = answers(ids, all)
	a.read, a.tokens = answers(ids, tokensToRead)
	a.tokens += tokensOf(t, hits)
	return a
}

// isAnsweredBy reports whether what was read is of the right file and has the
// answer.
func (q question) isAnsweredBy(item *contents.Item) bool {
	return strings.HasPrefix(item.ResourceID, q.file) && strings.Contains(words(item.Text), words(q.answer))
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
	return plain.CountTokens(string(data))
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
	return mapped(t, questionFolder(t))
}

// questionFolder returns the folder of these files.
func questionFolder(t *testing.T) string {
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
	return dir
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
	if err != nil || len(ids) != 21+2 { // the subtitles beside two of them are mapped, too

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
