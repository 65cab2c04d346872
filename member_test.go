package citekit_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/workspace"
)

// A bundle is a resolver of documents that hold members: lines "name=text", in
// which "|" stands for the end of a line.
type bundle struct {
	lineResolver
	opened, closed atomic.Int32
	version        string
}

func (b *bundle) Version() string { return "bundle/" + b.version }

func (b *bundle) Detect(_ context.Context, src *citekit.Source) (bool, error) {
	return filepath.Ext(src.Name()) == ".bundle", nil
}

// Resolve implements [citekit.Resolver].
func (b *bundle) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	req.Location.Modality = citekit.Text
	return b.lineResolver.Resolve(ctx, src, req)
}

func (b *bundle) OpenMember(ctx context.Context, src *citekit.Source, name string) (*citekit.Source, error) {
	data := make([]byte, src.Size())
	if _, err := src.ReadAt(data, 0); err != nil && src.Size() > 0 && err.Error() != "EOF" {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		key, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if names = append(names, key); key != name {
			continue
		}
		b.opened.Add(1)
		text = strings.NewReplacer("|", "\n", "^", "|").Replace(text)
		return citekit.NewSource(strings.NewReader(text), citekit.SourceInfo{
			Name: filepath.Base(name), Size: int64(len(text)), Closed: func() { b.closed.Add(1) },
		}), nil
	}
	return nil, fmt.Errorf("no member '%s' among %v: %w", name, names, citekit.ErrRange)
}

const bundled = "poems/a.txt=one|two|three\ndeep.bundle=b.txt=x^y^z|last.bundle=c.txt=no\npicture.gif=GIF89a\x01\x00\x01\x00\x80\x00\x00"

// newBundle returns a library over a bundle of members, with a map.
func newBundle(t *testing.T) (*citekit.Library, *bundle, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"all.bundle":  bundled,
		"flat.txt":    "one\n",
		"other.thing": "x",
		".resource_maps/all.json": `{"resource_id":"all","type":"document","title":"All","source_path":"all.bundle","nodes":[
			{"id":"a","title":"a","location":{"modality":"text","member":"poems/a.txt"}},
			{"id":"second","title":"second","location":{"modality":"text","member":"poems/a.txt","lines":[2,2]}}]}`,
		".resource_maps/flat.json": `{"resource_id":"flat","type":"text","title":"Flat","source_path":"flat.txt","nodes":[]}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := new(bundle)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Document: b, citekit.Text: new(textLines), citekit.Image: new(lineResolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	return lib, b, dir
}

// A textLines also reads and measures text.
type textLines struct{ lineResolver }

func (r *textLines) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		content, err := r.Resolve(ctx, src, citekit.Request{Location: loc})
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		data := make([]byte, content.Size)
		content.Body.Read(data)
		if loc.IsWhole() {
			loc.Lines = citekit.Range{First: 1, Last: max(1, strings.Count(string(data), "\n"))}
		}
		yield(citekit.TextRun{Text: string(data), Location: loc}, nil)
	}
}

func TestMembers(t *testing.T) {
	lib, b, _ := newBundle(t)
	for _, test := range []struct{ address, want string }{
		{"text://all#member=poems/a.txt&lines=2-3", "two\nthree"},
		{"text://all#member=poems/a.txt", "one\ntwo\nthree"},
		{"doc://all", bundled},
		{"text://all#member=deep.bundle%21/b.txt&lines=3", "z"},
		{"doc://all#member=deep.bundle", "b.txt=x|y|z\nlast.bundle=c.txt=no"},
		{"doc://all#member=deep.bundle%21/last.bundle", "c.txt=no"},
	} {
		a := parse(t, test.address)
		for range 2 {
			e, err := lib.ResolveAddress(t.Context(), a, nil)
			if err != nil {
				t.Errorf("%s: %v", test.address, err)
				continue
			}
			if got := read(t, e.OutputPath); got != test.want {
				t.Errorf("%s is %q, want %q", test.address, got, test.want)
			}
			if e.Address.Location.Member != a.Location.Member || e.SourceHash == "" {
				t.Errorf("%s: %+v", test.address, e)
			}
		}
	}
	if opened, closed := b.opened.Load(), b.closed.Load(); opened != closed || opened != 7 {
		t.Errorf("%d members opened and %d closed, want 7 as evidence is made once", opened, closed)
	}
}

func TestMembersCannotBeRead(t *testing.T) {
	lib, b, _ := newBundle(t)
	for _, test := range []struct {
		address string
		want    error
		says    string
	}{
		{"text://all#member=a.txt", citekit.ErrRange, "no member 'a.txt' among [poems/a.txt"},
		{"text://all#member=deep.bundle%21/c.txt", citekit.ErrRange, "no member 'c.txt'"},
		{"text://all#member=poems/a.txt%21/x", errors.ErrUnsupported, "members of a text source"},
		{"text://flat#member=x", errors.ErrUnsupported, "members of a text source"},
		{"image://all#member=poems/a.txt&bbox=0,0,0.5,0.5", errors.ErrUnsupported, "member 'poems/a.txt' is a text: use text://all#member=poems/a.txt"},
		{"text://all#member=picture.gif&lines=1-2", errors.ErrUnsupported, "member 'picture.gif' is an image: use image://all#member=picture.gif"},
		{"text://all#member=poems/a.txt&lines=9-10", citekit.ErrRange, "lines 9-10 of 3"},
	} {
		_, err := lib.ResolveAddress(t.Context(), parse(t, test.address), nil)
		if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.says) {
			t.Errorf("%s: %v, want %q", test.address, err, test.says)
		}
	}
	if opened, closed := b.opened.Load(), b.closed.Load(); opened != closed {
		t.Errorf("%d members opened and %d closed", opened, closed)
	}
}

func TestMemberOfNodes(t *testing.T) {
	lib, _, dir := newBundle(t)
	e, err := lib.Resolve(t.Context(), "all", "second", nil)
	if err != nil || read(t, e.OutputPath) != "two\n" {
		t.Fatalf("a node in a member: %v, %v", e, err)
	}
	e, err = lib.ResolveAddress(t.Context(), citekit.Address{Resource: "all", Location: citekit.Text.Lines(1, 1).In("poems/a.txt")}, nil)
	if err != nil || e.Address.String() != "text://all#member=poems/a.txt&lines=1-1" {
		t.Errorf("an address without a modality: %v, %v", e, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "all.bundle"), []byte("poems/a.txt=other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.Resolve(t.Context(), "all", "second", nil); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("a member of a source that changed: %v", err)
	}
}

func TestMemberText(t *testing.T) {
	lib, b, _ := newBundle(t)
	var got []string
	for run, err := range lib.ReadText(t.Context(), "all", citekit.Location{Modality: citekit.Text}.In("deep.bundle!/b.txt")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, citekit.Address{Resource: "all", Location: run.Location}.String()+" "+run.Text)
	}
	if want := "text://all#member=deep.bundle!/b.txt&lines=1-2 x\ny\nz"; len(got) != 1 || got[0] != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if opened, closed := b.opened.Load(), b.closed.Load(); opened != closed {
		t.Errorf("%d members opened and %d closed", opened, closed)
	}
	if _, err := preview.New(lib).Make(t.Context(), parse(t, "text://all#member=poems/a.txt"), nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a preview: %v", err)
	}
}

func TestMemberOfFile(t *testing.T) {
	lib, b, _ := newBundle(t)
	loc := citekit.Text.Lines(2, 2).In("poems/a.txt")
	e, err := lib.ResolveFile(t.Context(), "all.bundle", loc, &citekit.ResolveOptions{Doubt: true})
	if err != nil || read(t, e.OutputPath) != "two\n" || e.Address.String() != "text://all#member=poems/a.txt&lines=2-2" {
		t.Errorf("part of a member of a file: %v, %v", e, err)
	}
	if _, err := lib.ResolveFile(t.Context(), "flat.txt", loc, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a member of a text: %v", err)
	}
	if opened, closed := b.opened.Load(), b.closed.Load(); opened != closed {
		t.Errorf("%d members opened and %d closed", opened, closed)
	}
}

func TestMemberVersions(t *testing.T) {
	lib, b, _ := newBundle(t)
	a := parse(t, "text://all#member=poems/a.txt")
	first, err := lib.ResolveAddress(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.version = "2"
	again, err := lib.ResolveAddress(t.Context(), a, nil)
	if err != nil || again.Cached || again.Key == first.Key {
		t.Errorf("evidence of what opens members otherwise: %+v, %v", again, err)
	}
}

func TestMembersVirtually(t *testing.T) {
	lib, _, _ := newBundle(t)
	virtual := &citekit.ResolveOptions{Virtual: true}
	if e, err := lib.ResolveAddress(t.Context(), parse(t, "text://all#member=poems/a.txt&lines=1-2"), virtual); err != nil {
		t.Errorf("an address: %v, %v", e, err)
	}
	for _, address := range []string{"image://all#member=poems/a.txt", "image://all#member=deep.bundle"} {
		if _, err := lib.ResolveAddress(t.Context(), parse(t, address), virtual); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
