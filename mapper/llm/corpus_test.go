package llm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/modality"
)

func TestMapPDFByItsText(t *testing.T) {
	sharedtest.NotShort(t)
	f, err := os.Open(sharedtest.Corpus(t, "pdf/linearized-objstm-30p.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src := citekit.NewSource(f, citekit.SourceInfo{Name: "a.pdf", Size: info.Size()})
	model := answers(`{"nodes":[{"level":1,"title":"First half","type":"section","pages":"1-15"},{"level":1,"title":"Second half","type":"section","pages":"16-30"}]}`)
	got, err := llm.New(model, modality.All(), nil).Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	if outline(got.Nodes) != "section First half pages=1-15\nsection Second half pages=16-30\n" {
		t.Error(outline(got.Nodes))
	}
	for page := 1; page <= 30; page++ {
		if !strings.Contains(model.text(0), fmt.Sprintf("\n[page %d]\n", page)) {
			t.Errorf("page %d has no mark", page)
		}
	}
	enriched, err := llm.Enrich(structural(func() (*citekit.Draft, error) {
		return &citekit.Draft{Nodes: got.Nodes}, nil
	}), model, modality.All(), nil).Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	if text := model.text(len(model.requests) - 1); !strings.Contains(text, "[node 2] section, pages=16-30\ntitle: Second half\ntext: ") {
		t.Errorf("%v\n%s", enriched.Metadata, text)
	}
}
