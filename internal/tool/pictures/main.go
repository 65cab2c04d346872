// Pictures draws the pictures of the README from the samples of
// examples/quickstart: a session in a terminal, by running it; a page with a
// quote marked, and the contact sheet of a clip, as agents see them.
//
//	go run ./internal/tool/pictures
//
// The clip needs ffmpeg. The same samples and the same citekit give the same
// bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/workspace"
)

const samples = "examples/quickstart/samples"

func main() {
	program := flag.String("citekit", "", "program to run; built from this repository if empty")
	dir := flag.String("dir", "docs/pictures", "directory to write to")
	clip := flag.Bool("clip", true, "also draw the clip, which needs ffmpeg")
	flag.Parse()
	if err := run(context.Background(), *program, *dir, *clip); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, program, dir string, clip bool) error {
	scratch, err := os.MkdirTemp("", "citekit-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if program == "" {
		program = filepath.Join(scratch, "bin", "citekit")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/citekit").CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	tides := filepath.Join(scratch, "tides")
	if err := os.CopyFS(tides, os.DirFS(samples)); err != nil {
		return err
	}
	steps, err := record(ctx, program, tides)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "terminal.svg"), cast(steps), 0o644); err != nil {
		return err
	}
	return drawEvidence(ctx, tides, dir, clip)
}

// drawEvidence draws the page and the clip.
func drawEvidence(ctx context.Context, tides, dir string, clip bool) error {
	ws, err := workspace.Open(tides, nil)
	if err != nil {
		return err
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	report, err := ingest.Run(ctx, lib, []string{"."}, nil)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return err
	}
	maker := preview.New(lib)
	page := citekit.Address{Resource: "guide", Location: citekit.Document.Pages(3, 3)}
	boxes, err := marked(ctx, lib, maker, page, "At new", "spring tide.")
	if err != nil {
		return err
	}
	page.Location.Box = citekit.Box{X2: 1, Y2: 0.35}
	if err := picture(ctx, maker, page, preview.Options{Side: 560, Boxes: boxes}, filepath.Join(dir, "page")); err != nil {
		return err
	}
	if !clip {
		return nil
	}
	seconds := citekit.Address{Resource: "clock", Location: citekit.Video.Seconds(2.5, 7)}
	return picture(ctx, maker, seconds, preview.Options{Side: 420}, filepath.Join(dir, "clip"))
}

// marked returns where on a page the words from first to last stand.
func marked(ctx context.Context, lib *citekit.Library, maker *preview.Maker, page citekit.Address, first, last string) ([]citekit.Box, error) {
	var text strings.Builder
	for run, err := range lib.ReadText(ctx, page.Resource, page.Location) {
		if err != nil {
			return nil, err
		}
		text.WriteString(run.Text)
	}
	before, rest, ok := strings.Cut(text.String(), first)
	middle, _, found := strings.Cut(rest, last)
	if !ok || !found {
		return nil, fmt.Errorf("the page does not say %q", first+" … "+last)
	}
	return maker.Boxes(ctx, page, len(before), len(before+first+middle+last))
}

// picture writes what is seen at an address to a file of that name, with the
// extension of its type.
func picture(ctx context.Context, maker *preview.Maker, a citekit.Address, opts preview.Options, name string) error {
	made, err := maker.Make(ctx, a, &opts)
	if err != nil {
		return err
	}
	return os.WriteFile(name+strings.Replace("."+strings.TrimPrefix(made.MediaType, "image/"), ".jpeg", ".jpg", 1), made.Data, 0o644)
}
