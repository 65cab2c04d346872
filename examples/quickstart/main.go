// Quickstart maps small sample files of each modality, shows the parts with their
// addresses, resolves some, and prints where the evidence is, how to cite it and what to
// try next. It needs no network, no key and no other program.
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
	"os/exec"
	"os/signal"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/document/pdf"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

//go:generate go run ./internal/gen samples
//go:embed samples
var samples embed.FS

func main() {
	dir := flag.String("dir", "", "directory for the samples and the evidence; a new temporary one if empty")
	view := flag.Bool("view", false, "open the samples in the browser, by the command citekit")
	flag.Parse()
	progress := io.Discard
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		progress = os.Stderr
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Stdout, progress, dir)
	if err == nil && *view {
		err = open(*dir)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run writes to out, and to progress what takes long. If dir is empty, it becomes a new
// directory.
func run(ctx context.Context, out, progress io.Writer, dir *string) error {
	if err := unpack(dir); err != nil {
		return err
	}
	ws, err := workspace.Open(*dir, nil)
	if err != nil {
		return err
	}
	compiling := func(context.Context) func() {
		fmt.Fprintln(progress, "The reader of PDF is compiled, once: some seconds.")
		return nil
	}
	// Those of the samples, so that less is compiled; modality.All returns all.
	resolvers := citekit.Resolvers{
		citekit.Document: &pdf.Resolver{Compiling: compiling},
		citekit.Video:    new(media.Resolver),
		citekit.Audio:    &media.Resolver{Modality: citekit.Audio},
		citekit.Image:    new(image.Resolver),
		citekit.Text:     new(text.Resolver),
	}
	lib := citekit.New(ws, resolvers, nil)
	defer lib.Close()
	report, err := ingest.Run(ctx, lib, []string{"."}, &ingest.Options{Each: func(item ingest.Item) {
		fmt.Fprintln(progress, item.Status, item.Path)
	}})
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return err
	}
	if err := showMaps(ctx, out, lib); err != nil {
		return err
	}
	if err := resolve(ctx, out, lib); err != nil {
		return err
	}
	fmt.Fprintf(out, `
Try next:
  go install ./cmd/citekit
  citekit --dir %[1]q search "when does the water turn"
  citekit --dir %[1]q view
`, *dir)
	return nil
}

// open shows the samples in the browser until the command is interrupted, as this
// program is.
func open(dir string) error {
	view := exec.Command("go", "run", "github.com/citekit/citekit/cmd/citekit", "--dir", dir, "view")
	view.Stdout, view.Stderr = os.Stdout, os.Stderr
	return view.Run()
}

// showMaps shows each part of each resource with its address and what it says.
func showMaps(ctx context.Context, out io.Writer, lib *citekit.Library) error {
	ids, err := lib.Resources(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		m, err := lib.Map(ctx, id)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "# %s\n", m.Title)
		for n, depth := range m.All() {
			indent := strings.Repeat("  ", depth)
			fmt.Fprintln(out, strings.TrimRight(indent+m.Address(n).String()+"  "+n.Title, " "))
			if n.Summary != "" {
				fmt.Fprintln(out, indent+"    "+n.Summary)
			}
		}
		fmt.Fprintln(out)
	}
	return nil
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

// unpack writes the samples to dir. If that is empty, it becomes a new directory.
func unpack(dir *string) error {
	files, err := fs.Sub(samples, "samples")
	if err == nil && *dir == "" {
		*dir, err = os.MkdirTemp("", "citekit-quickstart-")
	}
	if err == nil {
		err = os.CopyFS(*dir, files)
	}
	if errors.Is(err, fs.ErrExist) { // from an earlier run
		err = nil
	}
	return err
}
