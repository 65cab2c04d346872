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

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
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
			server := mcpadapter.NewServer(mcptest.StandardLibrary(t), &mcpadapter.Options{Version: "test", PageBytes: pageBytes[name]})
			got := converse(t, mcptest.Serve(t, server, transport.StreamTransport{}).Start(), string(requests.Data))
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

func converse(t *testing.T, w *mcptest.Wire, requests string) string {
	t.Helper()
	var answers strings.Builder
	for request := range strings.Lines(requests) {
		request, silent := strings.CutPrefix(strings.TrimSuffix(request, "\n"), "-")
		w.Send(request)
		if !silent {
			answers.WriteString(evidenceKey.ReplaceAllString(mcptest.WithoutCallMeta(w.Next()), "-KEY.txt") + "\n")
		}
	}
	return answers.String()
}
