// Quickstart maps small sample files of each modality, shows the maps as an
// agent would read them, resolves parts, and prints where the evidence is and
// how to cite it. It needs no network, no key and no other program.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

//go:generate go run ./internal/gen samples
//go:embed samples
var samples embed.FS

func main() {
	dir := flag.String("dir", "", "directory for the samples and the evidence; a new temporary one if empty")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *dir); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, dir string) error {
	dir, err := unpack(dir)
	if err != nil {
		return err
	}
	ws, err := workspace.Open(dir, nil)
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
	ids, err := lib.Resources(ctx)
	if err != nil {
		return err
	}
	maps, err := contents.DigestOf(ctx, lib, ids, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, maps.Text)
	return resolve(ctx, out, lib)
}

// resolve resolves nodes that ingest found, and addresses of other parts.
func resolve(ctx context.Context, out io.Writer, lib *citekit.Library) error {
	for _, part := range []struct{ resource, node string }{
		{"guide", "2-spring-and-neap"},               // two pages of a PDF
		{"notes", "walking-the-causeway.on-the-way"}, // ten lines of text
	} {
		evidence, err := lib.Resolve(ctx, part.resource, part.node, nil)
		if err != nil {
			return err
		}
		show(out, evidence)
	}
	for _, text := range []string{
		"video://clock#t=2.5-4",                      // a second and a half of a video
		"audio://tones#t=2-3",                        // one of four tones
		"image://chart#bbox=0.125,0.05,0.28125,0.97", // a region of an image
	} {
		address, err := citekit.ParseAddress(text)
		if err != nil {
			return err
		}
		evidence, err := lib.ResolveAddress(ctx, address, nil)
		if err != nil {
			return err
		}
		show(out, evidence)
	}
	return nil
}

func show(out io.Writer, evidence *citekit.Evidence) {
	fmt.Fprintf(out, "cite as  %s\n  %d bytes  %s\n", evidence.Address, evidence.Size, evidence.OutputPath)
}

// unpack writes the samples to dir, or to a new directory that it returns.
func unpack(dir string) (string, error) {
	files, err := fs.Sub(samples, "samples")
	if err == nil && dir == "" {
		dir, err = os.MkdirTemp("", "citekit-quickstart-")
	}
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if errors.Is(err, fs.ErrExist) { // from an earlier run
		err = nil
	}
	return dir, err
}
