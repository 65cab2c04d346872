package render_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/render"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestPDF lays out lines of an HTML page, if LibreOffice is installed; else the
// error says how to install it.
func TestPDF(t *testing.T) {
	if testing.Short() {
		t.Skip("runs LibreOffice: not with -short")
	}
	dir := t.TempDir()
	page := "<!DOCTYPE html><title>t</title><p>Lighthouse keepers wind the clockwork.</p>\n"
	if err := os.WriteFile(filepath.Join(dir, "page.html"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	e, err := lib.ResolveFile(t.Context(), "page.html", citekit.Text.Lines(1, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	e.OutputPath = "bucket:/content" // as of a store without files
	laid, err := render.PDF(t.Context(), lib, e)
	if errors.Is(err, errors.ErrUnsupported) && strings.Contains(err.Error(), "install") {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(laid.OutputPath)
	if err != nil || !strings.HasPrefix(string(data), "%PDF-") || laid.MediaType != "application/pdf" || int64(len(data)) != laid.Size {
		t.Errorf("%v: %d bytes of %s, %v", laid.OutputPath, len(data), laid.MediaType, err)
	}
	if len(laid.Changes) != 1 || !strings.Contains(laid.Changes[0], "laid out by LibreOffice") {
		t.Errorf("changes: %q", laid.Changes)
	}
	if again, err := render.PDF(t.Context(), lib, e); err != nil || !again.Cached || again.OutputPath != laid.OutputPath {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	if same, err := render.PDF(t.Context(), lib, laid); err != nil || same != laid {
		t.Errorf("of a PDF: %+v, %v", same, err)
	}
}

// TestPDFOfOther checks evidence that cannot be laid out.
func TestPDFOfOther(t *testing.T) {
	if _, err := render.PDF(t.Context(), nil, &citekit.Evidence{Name: "a.mp4", MediaType: "video/mp4"}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
