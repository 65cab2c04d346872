package text

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/mail"
)

var _ citekit.MemberOpener = (*Resolver)(nil)

// mails returns the resolver of sources that are messages or mailboxes, or nil
// if src is neither.
func (r *Resolver) mails(ctx context.Context, src *citekit.Source) (*mail.Resolver, error) {
	r.prepare()
	ok, err := mail.Recognizes(ctx, src)
	if err != nil || !ok {
		return nil, err
	}
	return &r.mail, nil
}

// mustBeMail is like mails, but for a location that only a mail has: other
// sources are an error.
func (r *Resolver) mustBeMail(ctx context.Context, src *citekit.Source) (*mail.Resolver, error) {
	m, err := r.mails(ctx, src)
	if err == nil && m == nil {
		err = fmt.Errorf("parts of a text that is not mail; it has lines: %w", errors.ErrUnsupported)
	}
	return m, err
}

// unitIn returns the unit of src for a location, or nil for lines. A whole mail
// is also a unit.
func (r *Resolver) unitIn(ctx context.Context, src *citekit.Source, loc citekit.Location) (*unit, error) {
	if !loc.IsWhole() {
		return unitOf(loc), nil
	}
	m, err := r.mails(ctx, src)
	if err != nil || m == nil {
		return nil, err
	}
	return &unit{(*Resolver).resolveMail, (*Resolver).readMail}, nil
}

func (r *Resolver) resolveMail(ctx context.Context, src *citekit.Source, loc citekit.Location) (*citekit.Content, error) {
	m, err := r.mustBeMail(ctx, src)
	if err != nil {
		return nil, err
	}
	return m.Resolve(ctx, src, citekit.Request{Location: loc})
}

func (r *Resolver) readMail(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	m, err := r.mustBeMail(ctx, src)
	if err != nil {
		return err
	}
	for run, err := range m.ReadText(ctx, src, loc) {
		if err != nil {
			return err
		}
		if !yield(run) {
			return nil
		}
	}
	return nil
}

// measureMail counts the messages or the parts of a mail.
func (r *Resolver) measureMail(ctx context.Context, src *citekit.Source, e *citekit.Extent) (ok bool, err error) {
	m, err := r.mails(ctx, src)
	if err != nil || m == nil {
		return false, err
	}
	e.MediaType, e.Messages, e.Parts, err = m.Count(ctx, src)
	return true, err
}

// mapMail maps src with the resolver of mail, and adds the lines.
func (r *Resolver) mapMail(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	d, err := r.mail.Map(ctx, src, req)
	if err != nil {
		return nil, err
	}
	x, err := r.index(ctx, src)
	if err != nil {
		return nil, err
	}
	d.Metadata["lines"], err = x.count(ctx, src)
	return d, err
}

// OpenMember implements [citekit.MemberOpener]: the attachments of a mail.
func (r *Resolver) OpenMember(ctx context.Context, src *citekit.Source, name string) (*citekit.Source, error) {
	m, err := r.mails(ctx, src)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("members of a text that is not mail: %w", errors.ErrUnsupported)
	}
	return m.OpenMember(ctx, src, name)
}
