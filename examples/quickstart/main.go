// Quickstart resolves a node of each modality in small sample files, and
// prints where the evidence is and how to cite it. It needs no network, no key
// and no other program.
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
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

//go:generate go run ./internal/gen samples
//go:embed samples samples/.resource_maps
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
	for _, part := range []struct{ resource, node string }{
		{"guide", "spring-and-neap"}, // two pages of a PDF
		{"clock", "middle"},          // a second and a half of a video
		{"tones", "g"},               // one of four tones
		{"chart", "first-spring"},    // a region of an image
		{"notes", "way.poles"},       // three lines of text
		{"guide", "springs"},         // an address elsewhere, which has no file
	} {
		evidence, err := lib.Resolve(ctx, part.resource, part.node, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n  cite as  %s\n", evidence.Node.Title, evidence.Address)
		if evidence.OutputPath != "" {
			fmt.Fprintf(out, "  %d bytes  %s\n", evidence.Size, evidence.OutputPath)
		}
	}
	return nil
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
