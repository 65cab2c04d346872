package mcpadapter_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/citekit/citekit/mcpadapter"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

// pageBytes are the sizes of parts where they are not the default.
var pageBytes = map[string]int{"parts": 300, "arguments": 300, "upper": 300}

// TestTranscripts sends the lines of "requests" one by one and compares what
// comes back with "answers". A request that has no answer is a notification,
// or is marked with a leading "-".
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var requests, answers *txtar.File
			for i := range archive.Files {
				switch f := &archive.Files[i]; f.Name {
				case "requests":
					requests = f
				case "answers":
					answers = f
				}
			}
			server := mcpadapter.NewServer(standardLibrary(t), &mcpadapter.Options{Version: "test", PageBytes: pageBytes[name]})
			got := converse(t, serve(t, server, mcpadapter.StreamTransport{}).start(), string(requests.Data))
			if *update {
				answers.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(answers.Data), got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

// evidenceKey is the end of the name of an evidence file, which depends on the
// versions of the code that made it.
var evidenceKey = regexp.MustCompile(`-[0-9a-f]{16}\.txt`)

// callMeta is what "_meta" has of the call, which is another at each one.
var callMeta = regexp.MustCompile(`("requestId":)"[A-Z2-7]{26}"|("timing":)\{[^}]*\}`)

// withoutCallMeta returns an answer with the same id and times in all of them.
func withoutCallMeta(answer string) string {
	return callMeta.ReplaceAllString(answer, `$1$2"-"`)
}

func converse(t *testing.T, w *wire, requests string) string {
	t.Helper()
	var answers strings.Builder
	for request := range strings.Lines(requests) {
		request, silent := strings.CutPrefix(strings.TrimSuffix(request, "\n"), "-")
		w.send(request)
		if !silent {
			answers.WriteString(evidenceKey.ReplaceAllString(withoutCallMeta(w.next()), "-KEY.txt") + "\n")
		}
	}
	return answers.String()
}
