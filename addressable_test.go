package citekit_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/workspace"
)

var addressLike = regexp.MustCompile("[A-Za-z0-9+.-]*://[^\\s\"`)]*")

// FuzzPrintedAddresses checks that what looks like an address, in the context
// of any map, is one.
func FuzzPrintedAddresses(f *testing.F) {
	for _, seed := range []string{
		`{"resource_id":"x","source_path":"s","nodes":[]}`,
		`{"resource_id":"x","type":"","nodes":[{"id":"a","location":{"modality":"text","lines":[1,2]}}]}`,
		`{"resource_id":"x","type":"no type","nodes":[{"id":"a","location":{"modality":"document","pages":[1]}}]}`,
		`{"resource_id":"x","type":"http","nodes":[{"id":"a","location":{"modality":"http"}}]}`,
		`{"resource_id":"","type":"text","nodes":[{"id":"a","location":{"lines":[1,2]}}]}`,
		`{"resource_id":"a/b","type":"text","nodes":[]}`,
		`{"resource_id":"x","type":"virtual","nodes":[{"id":"a","location":{"modality":"virtual","virtual_address":"https://example.org/a b"}}]}`,
		`{"resource_id":"x","type":"virtual","nodes":[{"id":"a","location":{"modality":"virtual","virtual_address":"virtual://b/c  d` + "`" + `"}}]}`,
		`{"resource_id":"x","source_path":"a.pdf","nodes":[{"id":"a","location":{"modality":"midi","start":1,"bbox":[0,0,1,1]}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := citekit.ParseMap(data)
		if err != nil {
			return
		}
		m.Title = "" // free text may hold anything
		for n := range m.All() {
			n.ID, n.Title, n.Summary = "n", "", ""
			checkPrinted(t, m.Address(n).String())
		}
		if strings.Contains(m.ResourceID, ":/") {
			return // the id itself is shown, too
		}
		for _, format := range []contents.DigestFormat{contents.Markdown, contents.JSON} {
			c, err := contents.DigestMaps([]*citekit.ResourceMap{m}, &contents.DigestOptions{Format: format, MaxTokens: 1 << 30})
			if err != nil {
				continue
			}
			text := c.Text
			if format == contents.JSON {
				var any any
				if err := json.Unmarshal([]byte(text), &any); err != nil {
					t.Fatal(err)
				}
				eachString(any, func(s string) { checkPrinted(t, s) })
				continue
			}
			for _, found := range addressLike.FindAllString(text, -1) {
				if !strings.Contains(text, "virtual://") { // whose rest is free
					checkPrinted(t, strings.TrimSuffix(found, ")"))
				}
			}
		}
	})
}

func eachString(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachString(e, f)
		}
	case map[string]any:
		for _, e := range v {
			eachString(e, f)
		}
	}
}

// checkPrinted checks that s is an address in its canonical form, if it looks
// like one.
func checkPrinted(t *testing.T, s string) {
	t.Helper()
	if !strings.Contains(s, "://") {
		return
	}
	a, err := citekit.ParseAddress(s)
	if err != nil || a.String() != s {
		t.Errorf("%q is printed; it parses to %q, %v", s, a, err)
	}
}

// TestNoAddress checks what stands for the address of what has none.
func TestNoAddress(t *testing.T) {
	for _, a := range []citekit.Address{
		{}, {Resource: "x"}, {Resource: "a/b", Location: citekit.Document.Pages(1, 2)}, {Resource: "x", Location: citekit.Location{Modality: "http"}},
		{Resource: "x", Version: "no", Location: citekit.Location{Modality: citekit.Text}},
		{Resource: "x", Location: citekit.Location{Modality: citekit.Text, Pages: []citekit.Range{{First: 1, Last: 1}}}},
		{Resource: "x", Location: citekit.Location{Modality: citekit.Virtual, VirtualAddress: strings.Repeat(" ", 8000)}},
	} {
		if s := a.String(); strings.Contains(s, "://") {
			t.Errorf("%q stands for %+v", s, a)
		}
		if _, err := a.MarshalText(); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%+v as text: %v", a, err)
		}
	}
	many := citekit.Location{Modality: citekit.Document}
	for page := range 500 {
		many.Pages = append(many.Pages, citekit.Range{First: 2*page + 1, Last: 2*page + 1})
	}
	long := &citekit.ResolveError{Op: "resolve", Address: citekit.Address{Resource: "book", Location: many}, Err: citekit.ErrRange}
	for _, found := range addressLike.FindAllString(long.Error(), -1) {
		checkPrinted(t, found)
	}
}

// TestMapWithoutType checks that a map without a type is the resource that its
// nodes, or its source, say.
func TestMapWithoutType(t *testing.T) {
	for source, want := range map[string]string{
		`"source_path":"s","nodes":[{"id":"a","location":{"modality":"document","pages":[1]}}]`: "x, doc://x\n",
		`"source_path":"s.pdf","nodes":[]`: "x, doc://x\n",
		`"source_path":"s","nodes":[]`:     "x, no address: the map says no type\n",
		`"source_path":"s.pdf","nodes":[{"id":"a","location":{"modality":"document"}},{"id":"b","location":{"modality":"text"}}]`: "x, no address: the map says no type\n",
	} {
		m, err := citekit.ParseMap([]byte(`{"resource_id":"x",` + source + `}`))
		if err != nil {
			t.Fatal(err)
		}
		c, err := contents.DigestMaps([]*citekit.ResourceMap{m}, nil)
		if err != nil || !strings.Contains(c.Text, want) {
			t.Errorf("%s: %q, %v", source, c.Text, err)
		}
	}
}

func TestLocationString(t *testing.T) {
	for want, loc := range map[string]citekit.Location{
		"pages=3-5": citekit.Document.Pages(3, 5), "pages=3": citekit.Document.Pages(3, 3), "lines=10-25": citekit.Text.Lines(10, 25), "t=1.5-20": citekit.Video.Seconds(1.5, 20),
		"t=2-": citekit.Video.Seconds(2, 0), "bbox=0.1,0.2,0.5,1": citekit.Image.Region(.1, .2, .5, 1), "": {},
	} {
		if got := loc.String(); got != want {
			t.Errorf("%+v is %q, want %q", loc, got, want)
		}
		parsed, _, err := citekit.ParseFragment(want)
		if parsed.Modality = loc.Modality; err != nil || !parsed.Equal(loc) {
			t.Errorf("%q parses to %+v, %v", want, parsed, err)
		}
	}
}

// TestEmptyModality checks that a location without a modality is one of the
// resource, for everyone who takes one.
func TestEmptyModality(t *testing.T) {
	const unknown = citekit.Modality("")
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte("one\ntwo\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(lineResolver)}, nil)
	m := &citekit.ResourceMap{ResourceID: "poem", Type: citekit.Text, SourcePath: "poem.txt"}
	if err := lib.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	e, err := lib.ResolveAddress(t.Context(), citekit.Address{Resource: "poem", Location: unknown.Lines(2, 2)}, nil)
	if err != nil || e.Address.String() != "text://poem#lines=2-2" {
		t.Errorf("ResolveAddress: %+v, %v", e, err)
	}
	e, err = lib.ResolveFile(t.Context(), "poem.txt", unknown.Lines(2, 2), nil)
	if err != nil || e.Address.String() != "text://poem#lines=2-2" {
		t.Errorf("ResolveFile: %+v, %v", e, err)
	}
	for _, err := range lib.ReadText(t.Context(), "poem", unknown.Lines(2, 2)) {
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "text of a text source") {
			t.Errorf("ReadText: %v", err)
		}
	}
	if _, err := lib.ResolveAddress(t.Context(), citekit.Address{Resource: "poem", Location: unknown.Pages(1, 1)}, nil); !errors.Is(err, citekit.ErrSyntax) || strings.Contains(err.Error(), "://") {
		t.Errorf("pages of a text: %v", err)
	}
	if _, err := ingest.Run(t.Context(), lib, nil, nil); !errors.Is(err, citekit.ErrSyntax) || !strings.Contains(err.Error(), "no paths") {
		t.Errorf("Ingest of nothing: %v", err)
	}
	m.Nodes = []*citekit.Node{{ID: "a", Location: unknown.Lines(1, 1)}}
	if err := lib.Save(t.Context(), m); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a map with such a node: %v", err)
	}
}
