package textlayer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/citekit/citekit"
)

// writeBytes is how much of a layer is passed to the workspace at a time.
const (
	writeBytes = 256 << 10
	minWrite   = 16 << 10 // of small sources
)

// read reads the text of a source and stores it as a layer. If the text is not
// to be stored, read returns the places of its runs. It releases the slot of
// the Library once everything is read: the workspace then waits for its disk
// without the slot.
func (s *Store) read(ctx context.Context, o *origin) (*index, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	body, w := io.Pipe()
	ended := make(chan error, 1)
	var small *index
	go func() {
		var err error
		small, err = s.build(limited, o, w)
		w.CloseWithError(err)
		ended <- err
	}()
	first := make([]byte, 1)
	n, err := body.Read(first)
	if err == io.EOF { // the text is small
		return small, <-ended
	}
	in := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(first[:n]), body), writeBytes)
	_, err = s.lib.Workspace().StoreEvidence(ctx, o.key(), o.meta(), in)
	body.CloseWithError(errNotStored) // ends the reading if it still runs
	if err != nil {
		cancel()
	}
	if failed := <-ended; failed != nil && errors.Is(err, failed) {
		return nil, failed
	}
	return nil, err
}

var errNotStored = errors.New("the text cannot be stored")

// build writes the layer of an origin to w, or writes nothing and returns the
// places of its runs.
func (s *Store) build(ctx context.Context, o *origin, w io.Writer) (small *index, err error) {
	progress := s.progress(ctx, o)
	err = s.lib.WithSlot(ctx, o.modality, func(ctx context.Context) error {
		out := bufio.NewWriterSize(w, int(min(writeBytes, minWrite+o.src.Size())))
		b := newBuilder(out, o, &s.opts)
		for run, err := range o.runs(ctx) {
			if err == nil {
				err = b.add(run)
			} else if errors.Is(err, citekit.ErrTooLarge) && b.leaveRest() {
				break // the resolver reads no more of it
			}
			if err != nil {
				return err
			}
			progress(ctx, run.Location)
			if b.isFull() {
				break
			}
		}
		if err := errors.Join(ctx.Err(), o.checkUnchanged()); err != nil {
			return err
		}
		if small = b.small(); small != nil {
			return nil
		}
		if err := b.finish(); err != nil {
			return err
		}
		return out.Flush()
	})
	return small, err
}

// progress returns a function that reports the progress of reading. The length
// of the source need not be known.
func (s *Store) progress(ctx context.Context, o *origin) func(context.Context, citekit.Location) {
	tell := s.opts.Progress
	if tell == nil {
		return func(context.Context, citekit.Location) {}
	}
	extent, _ := s.lib.MeasureSource(ctx, o.modality, o.src)
	of := max(extent.Pages, extent.Lines, int(extent.Duration))
	return func(ctx context.Context, loc citekit.Location) {
		done := max(loc.Lines.Last, int(loc.Time.End))
		if n := len(loc.Pages); n > 0 {
			done = loc.Pages[n-1].Last
		}
		tell(ctx, Progress{Resource: o.resource, Done: done, Of: of})
	}
}
