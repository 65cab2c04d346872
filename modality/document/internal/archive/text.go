package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/selector"
)

// ReadText implements [citekit.TextReader] for a whole archive. It yields the
// text of the members that are texts or documents, in archive order. Members that
// cannot be read are left out.
//
// Once MaxUnpacked bytes are unpacked, compressed members that are larger than
// the rest are left out, too. Then the last error, which follows the text of all
// other members, matches [citekit.ErrTooLarge].
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		l, err := r.list(ctx, src)
		if err == nil {
			err = checkWhole(l, loc)
		}
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		if isDeep(ctx) {
			return
		}
		k := r.newVisitor(ctx, l)
		for _, e := range l.entries {
			if e.folder {
				continue
			}
			if more, err := k.readText(ctx, e, yield); err != nil {
				yield(citekit.TextRun{}, err)
				return
			} else if !more {
				return
			}
		}
		if n := len(k.unread) + k.unreadMore; n > 0 {
			yield(citekit.TextRun{}, fmt.Errorf("at most %d bytes of an archive are unpacked, which leaves out the text of %s; read each by its address: %w",
				cmp.Or(r.MaxUnpacked, defaultUnpacked), message.Count(n, "member"), citekit.ErrTooLarge))
		}
	}
}

// readText yields the text of a member, and reports whether to continue.
func (k *visitor) readText(ctx context.Context, e *entry, yield func(citekit.TextRun, error) bool) (more bool, err error) {
	f, err := k.open(ctx, e)
	if err != nil {
		if ends(ctx, err) {
			return false, err
		}
		return true, nil
	}
	defer f.src.Close()
	reader, ok := k.r.Members[f.modality].(citekit.TextReader)
	if !ok || !hasWords(f.modality) {
		return true, nil
	}
	if !f.whole {
		k.leaveUnread(e)
		return true, nil
	}
	for run, err := range reader.ReadText(k.deeper(ctx), f.src, citekit.Location{Modality: f.modality}) {
		switch {
		case err == nil:
		case ends(ctx, err):
			return false, err
		case errors.Is(err, citekit.ErrTooLarge):
			k.leaveUnread(e)
			return true, nil
		default:
			return true, nil
		}
		run.Location = within(e.name, f.modality, run.Location)
		if !yield(run, nil) {
			return false, nil
		}
	}
	return true, nil
}

// hasWords reports whether the text of members of a modality is part of the text of
// an archive. Recognising text in pictures and speech in recordings would take too
// long.
func hasWords(m citekit.Modality) bool { return m == citekit.Text || m == citekit.Document }

// within turns a location in a member into a location in the archive.
func within(name string, modality citekit.Modality, loc citekit.Location) citekit.Location {
	if loc.Member != "" {
		name += selector.MemberSeparator + loc.Member
	}
	if loc.Modality == "" {
		loc.Modality = modality
	}
	return loc.In(name)
}
