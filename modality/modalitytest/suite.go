package modalitytest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// A suite is the state of one run.
type suite struct {
	Fixture
	resolver citekit.Resolver
	modality citekit.Modality

	path     string   // the source as a file
	pristine []byte   // a copy of Source
	temp     string   // directory of temporary files during the run
	work     []string // entries of the working directory at the start

	measure  sync.Once
	measured *citekit.Extent // see extent
}

func newSuite(t testing.TB, r citekit.Resolver, f Fixture) *suite {
	t.Helper()
	if len(f.Good) == 0 || f.Good[0].Location.IsWhole() {
		t.Fatal("modalitytest: the fixture needs a good case with a selector, first")
	}
	s := &suite{Fixture: f, resolver: r, modality: f.Good[0].Location.Modality, pristine: bytes.Clone(f.Source)}
	name := f.Name
	if name == "" {
		name = "source"
	}
	s.path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(s.path, f.Source, 0o600); err != nil {
		t.Fatal(err)
	}
	s.temp = t.TempDir()
	for _, variable := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(variable, s.temp)
	}
	s.work = fileNames(".")
	return s
}

// whole is the location without a selector.
func (s *suite) whole() citekit.Location { return citekit.Location{Modality: s.modality} }

// first is the first good request; it has a selector.
func (s *suite) first() citekit.Request { return s.Good[0].request() }

func (c Case) request() citekit.Request {
	return citekit.Request{Location: c.Location, Mode: c.Mode}
}

// A sourceKind is one of the kinds of sources that a resolver may get.
type sourceKind struct {
	name string
	open func(testing.TB) *citekit.Source
}

func (s *suite) sourceKinds() []sourceKind {
	return []sourceKind{
		{"memory", func(testing.TB) *citekit.Source { return s.memory(s.Source, true) }},
		{"memory of unknown version", func(testing.TB) *citekit.Source { return s.memory(s.Source, false) }},
		{"file", s.file},
	}
}

// memory returns a source over data. Its version is its hash, or unknown.
func (s *suite) memory(data []byte, versioned bool) *citekit.Source {
	return s.over(bytes.NewReader(data), data, versioned)
}

func (s *suite) over(r io.ReaderAt, data []byte, versioned bool) *citekit.Source {
	info := citekit.SourceInfo{Name: s.Name, Size: int64(len(data))}
	if versioned {
		sum := sha256.Sum256(data)
		info.Hash = hex.EncodeToString(sum[:])
	}
	return citekit.NewSource(r, info)
}

// file returns a source over an open file whose version is its identity.
func (s *suite) file(t testing.TB) *citekit.Source {
	f, err := os.Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	return citekit.NewSource(f, citekit.SourceInfo{
		Name: s.Name, Size: int64(len(s.Source)), Identity: "file of " + s.Name,
	})
}

// An outcome is the result of one call. Data is the content of the Body.
type outcome struct {
	data    []byte
	extract *citekit.Content
	err     error
}

const maxEvidence = 1 << 30

var errPanic = errors.New("modalitytest: panic")

// catch, when deferred, reports a panic of a call, which becomes its error.
func catch(t testing.TB, call string, err *error) {
	t.Helper()
	if p := recover(); p != nil {
		t.Errorf("%s: panic: %v\n%s", call, p, debug.Stack())
		*err = errPanic
	}
}

// cancelled returns a context that is done.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// matches reports whether an error matches one of some.
func matches(err error, some ...error) bool {
	return slices.ContainsFunc(some, func(target error) bool { return errors.Is(err, target) })
}

// resolve makes one call and reads and closes its Body, piece bytes at a
// time. A panic is reported and becomes an error.
func (s *suite) resolve(t testing.TB, ctx context.Context, src *citekit.Source, req citekit.Request, piece int) (out outcome) {
	t.Helper()
	defer catch(t, label(req.Location), &out.err)
	out.extract, out.err = s.call(ctx, src, req)
	if out.err != nil {
		if out.extract != nil && out.extract.Body != nil {
			t.Errorf("%v: a Body beside the error %v", label(req.Location), out.err)
		}
		return out
	}
	if out.extract == nil || out.extract.Body == nil {
		return out
	}
	var held bytes.Buffer
	body := struct{ io.Reader }{io.LimitReader(out.extract.Body, maxEvidence)}
	_, out.err = io.CopyBuffer(struct{ io.Writer }{&held}, body, make([]byte, piece))
	out.data = held.Bytes()
	if err := out.extract.Body.Close(); err != nil && out.err == nil {
		t.Errorf("%v: Close: %v, want no error", label(req.Location), err)
	}
	return out
}

// Sizes of the pieces in which a Body is read.
const (
	largePiece = 1 << 16
	smallPiece = 509
)

// inspect checks the form of an outcome without an error. It reports whether
// the outcome can be inspected further.
func (s *suite) inspect(t testing.TB, loc citekit.Location, out outcome, mayBeEmpty bool) bool {
	t.Helper()
	x := out.extract
	switch {
	case x == nil:
		t.Errorf("%v: neither an extract nor an error", label(loc))
		return false
	case x.Body == nil:
		t.Errorf("%v: the content has no Body", label(loc))
		return false
	case x.Size != -1 && x.Size != int64(len(out.data)):
		t.Errorf("%v: Size is %d, but the Body has %d bytes", label(loc), x.Size, len(out.data))
	case len(out.data) == 0 && !mayBeEmpty:
		t.Errorf("%v: success with an empty Body", label(loc))
	}
	inspectTypes(t, loc, x)
	s.inspectActual(t, loc, x.Actual)
	return true
}

func (s *suite) inspectActual(t testing.TB, loc citekit.Location, actual *citekit.Location) {
	t.Helper()
	if actual == nil {
		return
	}
	if err := actual.Validate(); err != nil {
		t.Errorf("%v: the actual location is invalid: %v", label(loc), err)
	}
	if !s.belongs(loc) || actual.Modality != s.modality && actual.Modality != loc.Modality {
		t.Errorf("%v: the actual location is of modality %s", label(loc), actual.Modality)
	}
	if actual.Equal(loc) {
		t.Errorf("%v: the actual location is the one requested; it should be nil", label(loc))
	}
}

// label shows a location in a message: its modality and what its address has
// after "#", such as "chat [message=3]".
func label(loc citekit.Location) string {
	return fmt.Sprintf("%s [%s]", loc.Modality, plain.Shorten(cmp.Or(loc.String(), loc.VirtualAddress, "whole"), 200))
}

func fileNames(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	slices.Sort(names)
	return names
}
