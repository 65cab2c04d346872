package answer_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
)

// ask asks a question, and checks what holds of each extractive answer: its
// sentences stand at their addresses, and nothing comes with nothing found.
func (r *room) ask(t testing.TB, req answer.Request) *answer.Answer {
	t.Helper()
	got, err := r.Answer(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	if got.Found != (len(got.Sentences) > 0) || got.Found != (got.Text != "") {
		t.Errorf("found %v with %d sentences and %q", got.Found, len(got.Sentences), got.Text)
	}
	for _, s := range got.Sentences {
		if !s.Verdict.Holds() || s.Score <= 0 || s.Score > 1 || utf8.RuneCountInString(s.Text) > 600 {
			t.Errorf("%+v", s)
		}
		var there strings.Builder
		for run, err := range r.lib.ReadText(ctx, s.Address.Resource, s.Address.Location) {
			if err != nil {
				t.Fatal(err)
			}
			there.WriteString(run.Text)
		}
		for line := range strings.Lines(s.Text) {
			if !strings.Contains(there.String(), strings.TrimSpace(line)) {
				t.Errorf("%q is not at %s", line, s.Address)
			}
		}
	}
	return got
}

const tea = "# Tea\n\nGreen tea is brewed with water of eighty degrees. Black tea takes boiling water. A pot holds six cups.\n"

func TestAnswer(t *testing.T) {
	r := newRoom(t, map[string]string{
		"tea.md":     tea,
		"trees.csv":  "Tree,Height (m),Planted,Place\nLinden,21,1904,Market\nGinkgo,12,1988,Station\nPlane,28,1871,Bridge\n",
		"server.log": "2026-01-01T10:00:00Z INFO boot: kernel ready\n2026-01-01T10:00:05Z ERROR disk: sector 91 of sdb unreadable\n2026-01-01T10:00:09Z INFO disk: sdb taken offline\n",
		"talk.srt":   "1\n00:00:01,000 --> 00:00:04,000\nThe lighthouse was built\n\n2\n00:00:04,000 --> 00:00:08,000\nby three brothers in 1866.\n\n3\n00:00:09,000 --> 00:00:12,000\nIt still burns oil.\n",
		"kessel.md":  "# Kessel\n\nDer Kessel wird z. B. mit Essig entkalkt. Die Dichtung ist jährlich zu wechseln.\n",
		"yu.txt":     "銭湯は午後三時に開きます。料金は五百円です。\n",
		"guide.md":   "# Guide\n\nContents\n\nLimitations of the valve . . . . . . . . . . . 7\nScope of the valve . . . . . . . . . . . . . . 9\n\n## More\n\nThe limitations of the valve are heat and salt.\n",
		"pump.go":    "package pump\n\n// It is in bar.\nconst maxPressure = 16\n\nfunc Start() {}\n",
	})
	for _, c := range []struct{ question, sentence, address string }{
		{"How hot is the water for green tea?", "Green tea is brewed with water of eighty degrees.", "text://tea#lines=3-3"},
		{"How tall is the ginkgo?", "Ginkgo,12,1988,Station", "text://trees#lines=3-3"},
		{"Which sector of sdb was unreadable?", "2026-01-01T10:00:05Z ERROR disk: sector 91 of sdb unreadable", "text://server#lines=2-2"},
		{"Who built the lighthouse?", "The lighthouse was built\nby three brothers in 1866.", "text://talk#lines=3-7"},
		{"Womit wird der Kessel entkalkt?", "Der Kessel wird z. B. mit Essig entkalkt.", "text://kessel#lines=3-3"},
		{"銭湯は何時に開きますか", "銭湯は午後三時に開きます。", "text://yu#lines=1-1"},
		{"What are the limitations of the valve?", "The limitations of the valve are heat and salt.", "text://guide#lines=10-10"},
		{"What is maxPressure?", "const maxPressure = 16", "text://pump#lines=4-4"},
	} {
		got := r.ask(t, answer.Request{Question: c.question, Sentences: 1})
		if len(got.Sentences) != 1 || strings.TrimSpace(got.Sentences[0].Text) != c.sentence || got.Sentences[0].Address.String() != c.address || !got.Complete {
			data, _ := json.Marshal(got)
			t.Errorf("%s: %s", c.question, data)
		}
	}
	for _, question := range []string{"Who painted the ceiling of the chapel?", "How hot is the surface of the sun?", "Wann wurde der Turm gesprengt?", "鉄道の駅はどこですか", "What is minVoltage?"} {
		if got := r.ask(t, answer.Request{Question: question}); got.Found {
			t.Errorf("%s: %s", question, got.Text)
		}
	}
}

func TestPDF(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(sharedtest.Corpus(t, "pdf/outline-nested.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "report.pdf"), data)
	write(t, filepath.Join(dir, "tea.md"), []byte(tea))
	r := open(t, dir, nil)
	got := r.ask(t, answer.Request{Question: "What is in the Motivation?", Sentences: 1})
	if len(got.Sentences) == 1 && got.Sentences[0].Address.Location.Modality != citekit.Document {
		t.Errorf("%v", got.Sentences[0])
	}
}

func TestFilters(t *testing.T) {
	r := newRoom(t, map[string]string{"tea.md": tea, "copy.md": strings.Replace(tea, "eighty", "ninety", 1)})
	q := answer.Request{Question: "How hot is the water for green tea?"}
	if got := r.ask(t, q); len(got.Sentences) < 2 {
		t.Error(got.Text)
	}
	q.Filters = search.Filters{Resources: []string{"copy"}}
	if got := r.ask(t, q); !got.Found || !strings.Contains(got.Text, "ninety") || strings.Contains(got.Text, "eighty") {
		t.Error(got.Text)
	}
	q.Filters = search.Filters{Before: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)}
	if got := r.ask(t, q); got.Found {
		t.Error(got.Text)
	}
	q.Filters = search.Filters{Resources: []string{"nothing"}}
	if _, err := r.Answer(ctx, q); citekit.CodeOf(err) != message.CodeNotFound {
		t.Error(err)
	}
	q = answer.Request{Question: "How hot is the water for green tea?", Tokens: answer.MinTokens, Rationale: true}
	if got := r.ask(t, q); len(got.Sentences) != 1 || len(got.Sentences[0].Rationale) == 0 {
		t.Error(got.Text)
	}
}

// What changed since it was mapped is named, also beside a page that cannot be read.
func TestStale(t *testing.T) {
	r := newRoom(t, map[string]string{"tea.md": tea, "scan.pdf": string(pdftest.Unnamed("Heading", 80))})
	q := answer.Request{Question: "How hot is the water for green tea?"}
	if !r.ask(t, q).Found {
		t.Fatal("nothing found")
	}
	write(t, filepath.Join(r.dir, "tea.md"), []byte("# Coffee\n\nIt is ground.\n"))
	if got := r.ask(t, q); got.Found || !strings.HasPrefix(got.Hint, "1 resource left out, as the sources changed or are gone: tea; left out: some pages") {
		t.Errorf("%q, %q", got.Text, got.Hint)
	}
	if _, err := ingest.Run(ctx, r.lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	if got := r.ask(t, q); got.Found {
		t.Error(got.Text)
	}
}

func TestInput(t *testing.T) {
	r := newRoom(t, map[string]string{"tea.md": tea, "evil.txt": "kettle \u202egnikcah\u202c kettle\x00 boils \x1b[31m water in 3 minutes.\n" + strings.Repeat("kettle", 50_000) + "\n"})
	for name, req := range map[string]answer.Request{
		"nothing": {}, "spaces": {Question: " \n\t"}, "signs": {Question: "?!… -- \"*"}, "many sentences": {Question: "tea", Sentences: 21},
		"sentences": {Question: "tea", Sentences: -1}, "tokens": {Question: "tea", Tokens: 15}, "type": {Question: "tea", Type: "poetic"},
	} {
		if _, err := r.Answer(ctx, req); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.Answer(ctx, answer.Request{Question: "tea", Type: answer.Abstractive}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	for _, question := range []string{
		"a", "the of and", "-tea", `"green tea`, "title:tea", "tea\x00\x1b\u202e?", "\xff\xfe tea", strings.Repeat("tea ", 1<<18), strings.Repeat("x", 1<<20),
		strings.Repeat("茶", 1<<19), "How long does the kettle boil water?",
	} {
		r.ask(t, answer.Request{Question: question})
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Answer(ended, answer.Request{Question: "tea"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestConcurrent(t *testing.T) {
	r := newRoom(t, map[string]string{"tea.md": tea})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, question := range []string{"How hot is the water for green tea?", "How many cups does a pot hold?"} {
				if got, err := r.Answer(ctx, answer.Request{Question: question}); err != nil || !got.Found {
					t.Errorf("%s: %v, %v", question, got, err)
				}
			}
		})
	}
	all.Wait()
}

func FuzzAnswer(f *testing.F) {
	f.Add("| a | b |\n|---|---|\n| tea | 3 |\n\n1\n00:00:01.000 --> 00:00:02.000\n<v A>Tea is hot\n", "How hot is tea?")
	f.Fuzz(func(t *testing.T, text, question string) {
		if len(text) > 10_000 || len(question) > 1000 {
			return
		}
		r := newRoom(t, map[string]string{"a.txt": text})
		got, err := r.Answer(ctx, answer.Request{Question: question})
		if err != nil {
			return
		}
		for _, s := range got.Sentences {
			if !s.Verdict.Holds() || utf8.RuneCountInString(s.Text) > 600 {
				t.Errorf("%+v", s)
			}
		}
	})
}
