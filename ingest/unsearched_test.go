package ingest_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestUnsearched has an archive whose text is more than is unpacked, twice.
func TestUnsearched(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, strings.Repeat(name+"\n", 100))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archives := &document.Archive{MaxUnpacked: 700}
	archives.Members = citekit.Resolvers{citekit.Document: archives, citekit.Text: new(text.Resolver)}
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.zip", b.Bytes())
	ws.AddSource("copy.zip", b.Bytes())
	lib := citekit.New(ws, archives.Members, nil)
	defer lib.Close()
	for _, path := range []string{"a.zip", "copy.zip"} {
		report, err := ingest.Run(t.Context(), lib, []string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if item := report.Items[0]; item.Unsearched != 2 || item.Err != nil {
			t.Errorf("%s: %+v", path, item)
		}
	}
}
