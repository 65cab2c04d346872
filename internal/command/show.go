package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/preview"
)

// Sides of a picture on a terminal, in pixels: a page is readable at the larger one.
const (
	leastShown = 128
	mostShown  = 1200
)

// showOptions are those of a picture for the terminal.
func (s *session) showOptions() *preview.Options {
	return &preview.Options{Side: term.Side(s.stdout, leastShown, mostShown)}
}

// draw makes a picture of evidence for the terminal.
func (s *session) draw(ctx context.Context, lib *citekit.Library, e found, part filePart) (*preview.Preview, error) {
	if e.file == "" {
		return preview.New(lib).Make(ctx, e.Address, s.showOptions())
	}
	return s.drawFile(ctx, lib, e.Address.Location, part)
}

// drawFile makes a picture of part of a file that has no map.
func (s *session) drawFile(ctx context.Context, lib *citekit.Library, loc citekit.Location, part filePart) (p *preview.Preview, err error) {
	resolver, err := lib.Resolver(loc.Modality)
	if err != nil {
		return nil, err
	}
	previewer, ok := resolver.(preview.Previewer)
	if !ok || loc.Member != "" {
		return nil, fmt.Errorf("a picture of %s source: %w", message.Article(loc.Modality), errors.ErrUnsupported)
	}
	f, err := os.Open(part.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	src := citekit.NewSource(f, citekit.SourceInfo{Name: filepath.Base(part.path), Size: info.Size(), Identity: part.path, Declared: part.kind})
	opts, err := s.showOptions().WithDefaults()
	if err != nil {
		return nil, err
	}
	err = lib.WithSlot(ctx, loc.Modality, func(ctx context.Context) error {
		p, err = previewer.Preview(ctx, src, loc, opts)
		return err
	})
	return p, err
}

// noPictures says why no pictures are shown.
func (s *session) noPictures() error {
	if !term.IsTTY(s.stdout) {
		return errors.New("the output is not a terminal, so it has no pictures")
	}
	return errors.New("this terminal shows no pictures; kitty, Ghostty, iTerm2, WezTerm and those with sixels, such as foot, do")
}

// show shows a picture on the terminal, or says why not and how else to see it.
func (s *session) show(e found, how term.Pictures) {
	err := e.undrawn
	s.out.Flush()
	switch {
	case how == term.NoPictures:
		err = s.noPictures()
	case err == nil:
		err = how.Show(s.stdout, e.picture.Data)
	}
	if err != nil {
		other := "--open opens the file"
		if e.file == "" {
			other = "'citekit view " + e.Address.String() + "' shows it in a browser, " + other
		}
		s.warn("--show: " + plainMessage(err) + "; " + other)
	}
}
