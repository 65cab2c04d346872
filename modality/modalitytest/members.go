package modalitytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
)

// A place is a place to read: a source, its resolver, and the location in it.
type place struct {
	resolver citekit.Resolver
	src      *citekit.Source
	loc      citekit.Location
	members  []*citekit.Source // opened for it, last first
}

func (p place) close() {
	for _, m := range p.members {
		m.Close()
	}
}

// in opens the member of a location, as a Library does.
func (s *suite) in(ctx context.Context, src *citekit.Source, loc citekit.Location) (p place, err error) {
	p = place{resolver: s.resolver, src: src, loc: loc}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if loc.Member == "" || s.Members == nil {
		return p, nil
	}
	p.loc = loc.In("")
	for name := range strings.SplitSeq(loc.Member, selector.MemberSeparator) {
		opener, ok := p.resolver.(citekit.MemberOpener)
		if !ok {
			return p, fmt.Errorf("no members: %w", errors.ErrUnsupported)
		}
		member, err := opener.OpenMember(ctx, p.src, name)
		if err != nil {
			return p, err
		}
		p.src, p.members = member, append([]*citekit.Source{member}, p.members...)
		is, err := s.Members.Detect(ctx, member)
		if err != nil {
			return p, err
		}
		if p.resolver = s.Members[is]; p.resolver == nil {
			return p, fmt.Errorf("no resolver for %s: %w", is, errors.ErrUnsupported)
		}
	}
	if p.resolver = s.Members[loc.Modality]; p.resolver == nil {
		return p, fmt.Errorf("no resolver for %s: %w", loc.Modality, errors.ErrUnsupported)
	}
	return p, nil
}

// call resolves a request.
func (s *suite) call(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	p, err := s.in(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	req.Location = p.loc
	x, err := p.resolver.Resolve(ctx, p.src, req)
	if err != nil || x == nil || x.Body == nil {
		p.close()
		return x, err
	}
	if len(p.members) > 0 {
		inside := *x
		inside.Body = &memberBody{x.Body, p.close}
		return &inside, nil
	}
	return x, nil
}

// A memberBody closes the members from which it is read.
type memberBody struct {
	io.ReadCloser
	then func()
}

func (c *memberBody) Close() error {
	defer c.then()
	return c.ReadCloser.Close()
}

// text reads the text at a location.
func (s *suite) text(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		p, err := s.in(ctx, src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		defer p.close()
		reader, ok := p.resolver.(citekit.TextReader)
		if !ok {
			yield(citekit.TextRun{}, fmt.Errorf("no text: %w", errors.ErrUnsupported))
			return
		}
		for run, err := range reader.ReadText(ctx, p.src, p.loc) {
			if loc.Member != "" && err == nil {
				run.Location = run.Location.In(loc.Member)
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

// belongs reports whether a location is of a modality that may occur: that of
// the source, or that of a member.
func (s *suite) belongs(loc citekit.Location) bool {
	return loc.Modality == s.modality || loc.Member != "" && loc.Modality.Valid()
}

// checkMembers opens the members in the good cases, and other names.
func (s *suite) checkMembers(t testing.TB) {
	opener, ok := s.resolver.(citekit.MemberOpener)
	if !ok {
		return
	}
	for _, name := range s.LargeMembers {
		m, err := opener.OpenMember(t.Context(), s.memory(s.Source, true), name)
		s.inspectNoMember(t, name, m, err, citekit.ErrTooLarge)
	}
	seen := make(map[string]bool)
	for _, c := range s.Good {
		name, _, _ := strings.Cut(c.Location.Member, selector.MemberSeparator)
		if name != "" && !seen[name] {
			seen[name] = true
			s.inspectMember(t, opener, name)
			s.inspectOthers(t, opener, name)
		}
	}
}

// inspectMember opens a member from all kinds of sources.
func (s *suite) inspectMember(t testing.TB, opener citekit.MemberOpener, name string) {
	t.Helper()
	var before []byte
	for i, kind := range s.sourceKinds() {
		src := kind.open(t)
		m, err := opener.OpenMember(t.Context(), src, name)
		if err != nil {
			t.Errorf("member %q from %s: %v, want no error", name, kind.name, err)
			src.Close()
			continue
		}
		data, err := io.ReadAll(m.Reader())
		switch {
		case err != nil:
			t.Errorf("member %q from %s: %v, want no error", name, kind.name, err)
		case int64(len(data)) != m.Size():
			t.Errorf("member %q from %s has %d bytes and says %d", name, kind.name, len(data), m.Size())
		case i > 0 && !bytes.Equal(data, before):
			t.Errorf("member %q from %s: not the bytes it had before", name, kind.name)
		case m.Name() != path.Base(m.Name()) || m.Name() == "":
			t.Errorf("member %q is named %q, want the last element of its name", name, m.Name())
		}
		before = data
		m.Close()
		src.Close()
	}
}

// inspectOthers opens members by names that do not exist.
func (s *suite) inspectOthers(t testing.TB, opener citekit.MemberOpener, name string) {
	t.Helper()
	src := s.memory(s.Source, true)
	m, err := opener.OpenMember(cancelled(), src, name)
	s.inspectNoMember(t, name, m, err, context.Canceled)

	like := name + "_"
	m, err = opener.OpenMember(t.Context(), src, like)
	s.inspectNoMember(t, like, m, err, citekit.ErrRange)
	if base := strings.TrimSuffix(name, "/"); err != nil && base == name && !strings.Contains(err.Error(), name) {
		t.Errorf("member %q: the error %q does not name %q", like, err, name)
	}
	for _, other := range []string{"", "../" + name, "/" + name, "no/such/thing.txt", "./" + name, strings.Repeat("x/", 1000)} {
		m, err := opener.OpenMember(t.Context(), src, other)
		s.inspectNoMember(t, other, m, err, citekit.ErrRange, citekit.ErrSyntax, errors.ErrUnsupported)
	}
}

// inspectNoMember checks the error for a name that does not exist.
func (s *suite) inspectNoMember(t testing.TB, name string, m *citekit.Source, err error, want ...error) {
	t.Helper()
	if err == nil {
		t.Errorf("member %q was opened, want the error %q", label(citekit.Document.Member(name)), want[0])
		m.Close()
		return
	}
	s.inspectRefusal(t, citekit.Document.Member(name), outcome{err: err}, want...)
}
