package preview

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
)

// A Maker makes previews of resources in a library. Make one with [New]. It is
// safe for concurrent use.
type Maker struct {
	lib     *citekit.Library
	flights concurrent.Group[*Preview]
	boxed   concurrent.Cache[[]citekit.Box]
	layouts concurrent.Cache[[]PageLayout]
	tables  concurrent.Cache[[]Table]
}

// New returns a Maker of previews over a library.
func New(lib *citekit.Library) *Maker {
	m := &Maker{lib: lib}
	m.boxed.MaxCost, m.layouts.MaxCost, m.tables.MaxCost = maxPlaces, maxPlaces, maxPlaces
	return m
}

// maxPlaces is how much memory boxes, layouts and tables may take that are kept between calls, in
// bytes each.
const maxPlaces = 8 << 20

const maxBytes = 32 << 20 // of a picture

// Make returns a picture of the pages, frames or sound at an address. An empty
// modality means that of the resource. A nil opts means the defaults. Previews
// are stored with the evidence, so that each is made only once.
//
// The error is a [*citekit.ResolveError] that wraps an error of
// [citekit.Library.Open], or one described at [Previewer] or
// [Options.WithDefaults].
func (m *Maker) Make(ctx context.Context, a citekit.Address, opts *Options) (*Preview, error) {
	p, err := m.preview(ctx, a, opts)
	if err == nil {
		return p, nil
	}
	var failed *citekit.ResolveError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return nil, &citekit.ResolveError{Op: "preview", Address: a, Err: err}
}

// An evidenceLeaser is a workspace that processes share, as package workspace has it.
type evidenceLeaser interface {
	LeaseEvidence(ctx context.Context, key string) (stored *citekit.StoredEvidence, release func(), err error)
}

func (m *Maker) preview(ctx context.Context, a citekit.Address, options *Options) (*Preview, error) {
	opts, err := options.WithDefaults()
	if err != nil {
		return nil, err
	}
	opened, err := m.lib.Open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer opened.Source.Close()
	modality := opened.Location.Modality
	resolver, err := m.lib.Resolver(modality)
	if err != nil {
		return nil, err
	}
	previewer, ok := resolver.(Previewer)
	if !ok {
		return nil, fmt.Errorf("a picture of %s source: %w", message.Article(modality), errors.ErrUnsupported)
	}
	j := job{opened, previewer, opts, keyOf(opened, m.lib.Resolvers().Version(modality), opts)}
	if p, err := m.kept(ctx, j.key); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return p, localfile.WithoutPath(err)
	}
	p, err := m.flights.Do(ctx, j.key, func(ctx context.Context) (*Preview, error) {
		if leaser, ok := m.lib.Workspace().(evidenceLeaser); ok { // other processes may draw it
			stored, release, err := leaser.LeaseEvidence(ctx, j.key)
			defer release()
			if err == nil && stored != nil {
				if p, err := m.kept(ctx, j.key); err == nil {
					return p, nil
				}
			}
		}
		return m.draw(ctx, j)
	})
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	shared := *p
	return &shared, nil
}

// Boxes returns the positions of a part of the text of a page: the bytes
// [start, end) of the text that [citekit.Library.ReadText] yields for the
// address, which must select one page. There is a box for each line, in text
// order, and none for text that was recognised in a picture.
//
// The error is a [*citekit.ResolveError]. It wraps an error of
// [citekit.Library.Open] or of [Boxer], or, for a modality without pages, an
// error matching [errors.ErrUnsupported].
func (m *Maker) Boxes(ctx context.Context, a citekit.Address, start, end int) ([]citekit.Box, error) {
	boxes, err := m.boxes(ctx, a, start, end)
	if err != nil {
		var failed *citekit.ResolveError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, &citekit.ResolveError{Op: "find the place of a text", Address: a, Err: localfile.WithoutPath(err)}
	}
	return boxes, nil
}

// Layout returns the sizes of the pages at an address, 1 to [MaxLayouts], and, if lines is
// true, where their lines stand. Errors are as for [Maker.Boxes].
func (m *Maker) Layout(ctx context.Context, a citekit.Address, lines bool) (pages []PageLayout, err error) {
	err = m.read(ctx, a, func(ctx context.Context, r citekit.Resolver, opened *citekit.Opened) error {
		layouter, ok := r.(Layouter)
		if !ok {
			return fmt.Errorf("the layout of %s source: %w", message.Article(opened.Location.Modality), errors.ErrUnsupported)
		}
		pages, err = m.layouts.Get(ctx, m.placeKey(opened, fmt.Sprint(lines)), func(ctx context.Context) ([]PageLayout, int64, error) {
			found, err := layouter.Layout(ctx, opened.Source, opened.Location, lines)
			cost := int64(200)
			for _, p := range found {
				cost += int64(len(p.Lines)+2) * 48
			}
			return found, cost, err
		})
		pages = slices.Clone(pages)
		return err
	})
	var failed *citekit.ResolveError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return nil, &citekit.ResolveError{Op: "find the layout", Address: a, Err: localfile.WithoutPath(err)}
	}
	return pages, nil
}

func (m *Maker) boxes(ctx context.Context, a citekit.Address, start, end int) (boxes []citekit.Box, err error) {
	err = m.read(ctx, a, func(ctx context.Context, r citekit.Resolver, opened *citekit.Opened) error {
		boxer, ok := r.(Boxer)
		if !ok {
			return fmt.Errorf("where the text of %s source stands: %w", message.Article(opened.Location.Modality), errors.ErrUnsupported)
		}
		boxes, err = m.boxed.Get(ctx, m.placeKey(opened, fmt.Sprint(start, end)), func(ctx context.Context) ([]citekit.Box, int64, error) {
			found, err := boxer.Boxes(ctx, opened.Source, opened.Location, start, end)
			return found, int64(len(found)+4) * 32, err
		})
		boxes = slices.Clone(boxes)
		return err
	})
	return boxes, err
}

// placeKey identifies a place in a version of a source, and what is asked of it; "" if
// the version is not known.
func (m *Maker) placeKey(o *citekit.Opened, asked string) string {
	version := o.Source.Version()
	if version == "" {
		return ""
	}
	return strings.Join([]string{version, o.Source.Name(), m.lib.Resolvers().Version(o.Location.Modality), o.Location.String(), asked}, "\n")
}

// read calls f with the source of an address, within the limits of the library.
func (m *Maker) read(ctx context.Context, a citekit.Address, f func(context.Context, citekit.Resolver, *citekit.Opened) error) error {
	opened, err := m.lib.Open(ctx, a)
	if err != nil {
		return err
	}
	defer opened.Source.Close()
	resolver, err := m.lib.Resolver(opened.Location.Modality)
	if err != nil {
		return err
	}
	return m.lib.WithSlot(ctx, opened.Location.Modality, func(ctx context.Context) error {
		if err := f(ctx, resolver, opened); err != nil {
			return err
		}
		return opened.Source.CheckUnchanged()
	})
}

// A job is the input of one preview.
type job struct {
	*citekit.Opened
	previewer Previewer
	opts      Options
	key       string
}

// draw makes a preview within the limits of the library, and stores it.
func (m *Maker) draw(ctx context.Context, j job) (p *Preview, err error) {
	loc := j.Location
	err = m.lib.WithSlot(ctx, loc.Modality, func(ctx context.Context) error {
		if p, err = j.previewer.Preview(ctx, j.Source, loc, j.opts); err != nil {
			return err
		}
		return j.Source.CheckUnchanged()
	})
	if err != nil {
		return nil, err
	}
	if len(p.Data) == 0 || len(p.Data) > maxBytes {
		return nil, fmt.Errorf("a preview of %d bytes; at most %d: %w", len(p.Data), maxBytes, citekit.ErrTooLarge)
	}
	located := *p
	located.Shown = make([]citekit.Location, len(p.Shown))
	for i, shown := range p.Shown {
		located.Shown[i] = j.Located(shown)
	}
	return &located, m.keep(ctx, j, &located)
}
