package slides_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/slides"
)

// outcome returns the error of mapping a source and resolving a slide of it.
func outcome(t testing.TB, data []byte, n int) (mapped, resolved error) {
	t.Helper()
	var r slides.Resolver
	_, mapped = r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
	c, resolved := r.Resolve(t.Context(), source(data), citekit.Request{Location: pages(n, n)})
	if resolved == nil {
		defer c.Body.Close()
		out, err := io.ReadAll(c.Body)
		if err != nil {
			return mapped, err
		}
		checkPackage(t, out)
	}
	return mapped, resolved
}

func TestBadSources(t *testing.T) {
	sharedtest.NotShort(t)
	good := newDeck().bytes()
	with := func(change func(*deck)) []byte {
		d := newDeck()
		change(d)
		return d.bytes()
	}
	deep := strings.Repeat("<a>", 2000) + strings.Repeat("</a>", 2000)
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":      {nil, citekit.ErrFormat},
		"text":       {[]byte("Slide 1"), citekit.ErrFormat},
		"PDF":        {[]byte("%PDF-1.7\n"), citekit.ErrFormat},
		"truncated":  {good[:len(good)/2], citekit.ErrFormat},
		"other kind": {with(func(d *deck) { d.types[main], d.parts[main] = "application/x", "<w/>" }), citekit.ErrFormat},
		"doctype": {with(func(d *deck) {
			d.parts[slideName(2)] = `<!DOCTYPE x [<!ENTITY a "b">]>` + d.parts[slideName(2)]
		}), citekit.ErrFormat},
		"not XML":  {with(func(d *deck) { d.parts[slideName(2)] = "<p:sld" }), citekit.ErrFormat},
		"deep":     {with(func(d *deck) { d.parts[slideName(2)] = deep }), citekit.ErrTooLarge},
		"bomb":     {with(func(d *deck) { d.parts[slideName(2)] = strings.Repeat(" ", 70<<20) }), citekit.ErrTooLarge},
		"no slide": {with(func(d *deck) { delete(d.parts, slideName(2)); d.names = remove(d.names, slideName(2)) }), citekit.ErrFormat},
	} {
		mapped, resolved := outcome(t, c.data, 2)
		if !errors.Is(resolved, c.want) || mapped != nil && !errors.Is(mapped, c.want) {
			t.Errorf("%s: mapping gives %v, resolving %v, want %v", name, mapped, resolved, c.want)
		}
	}
}

func remove(names []string, name string) []string {
	var rest []string
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}

// TestMissingSlide counts a slide that is not there, and maps the others.
func TestMissingSlide(t *testing.T) {
	d := newDeck()
	d.names = remove(d.names, slideName(2))
	data := d.bytes()
	var r slides.Resolver
	extent, err := r.Measure(t.Context(), source(data))
	if err != nil || extent.Pages != 6 {
		t.Errorf("%d pages, %v", extent.Pages, err)
	}
	m, err := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	if m.Metadata["incomplete"] == nil || m.Nodes[1].Children[0].Location.Pages[0].First != 3 {
		t.Errorf("metadata %v", m.Metadata)
	}
	if got := texts(t, data, pages(3, 3))[0]; got != wantTexts[2] {
		t.Errorf("slide 3 is %q", got)
	}
}

// TestCycles has relationships that lead in circles, to themselves, to the main
// part and to what is missing.
func TestCycles(t *testing.T) {
	sharedtest.Once(t)
	d := newDeck()
	for n := 1; n <= 6; n++ {
		for _, target := range []string{main, slideName(n), slideName(n%6 + 1), "ppt/slideMasters/slideMaster1.xml", "ppt/nowhere.xml", "ppt/viewProps.xml", "ppt/notesSlides/notesSlide6.xml"} {
			d.rel(slideName(n), "image", target)
		}
	}
	d.rel("ppt/theme/theme1.xml", "theme", "ppt/theme/theme1.xml")
	data := d.bytes()
	for n := 1; n <= 5; n++ {
		if mapped, resolved := outcome(t, data, n); mapped != nil || resolved != nil {
			t.Errorf("slide %d: %v, %v", n, mapped, resolved)
		}
		out, _ := cut(t, data, pages(n, n))
		for name, content := range doctest.Unzip(t, out) {
			if strings.Contains(content, "Secret6") {
				t.Errorf("slide %d: %s has Secret6", n, name)
			}
		}
	}
}

// TestMissingPicture removes what names a part that the source lacks.
func TestMissingPicture(t *testing.T) {
	d := newDeck()
	d.names = remove(d.names, "ppt/media/image2.png")
	out, changes := cut(t, d.bytes(), pages(2, 2))
	checkPackage(t, out)
	if want := "references of slide 2 to parts that the source lacks removed"; len(changes) == 0 || changes[0] != want {
		t.Errorf("%q", changes)
	}
}

// TestDamagedParts cuts presentations in which one part, not a slide, is not
// well-formed: it stays as it is, or is left out if it tells of other slides,
// and the text is the same.
func TestDamagedParts(t *testing.T) {
	sharedtest.Once(t)
	want := texts(t, newDeck().bytes(), pages(4, 4))
	for name, change := range map[string]string{
		"ppt/slideMasters/slideMaster1.xml": "a master is damaged in the source, and stays as it is",
		"ppt/slideMasters/slideMaster2.xml": "a master is damaged in the source, and stays as it is",
		"ppt/slideLayouts/slideLayout4.xml": "a layout is damaged in the source, and stays as it is",
		"ppt/comments/comment4.xml":         "a list of comments is damaged in the source, and stays as it is",
		"ppt/commentAuthors.xml":            "the list of those who commented is damaged in the source, and left out",
		"ppt/presProps.xml":                 "the list of properties is damaged in the source, and left out",
	} {
		d := newDeck()
		d.parts[name] = strings.Replace(d.parts[name], "><", " <", 1)
		data := d.bytes()
		out, changes := cut(t, data, pages(4, 4))
		parts := doctest.Unzip(t, out)
		switch stays := strings.HasSuffix(change, "as it is"); {
		case strings.HasSuffix(name, "slideMaster1.xml"): // of no slide that is kept
			if parts[name] != "" || slices.Contains(changes, change) {
				t.Errorf("%s: %q", name, changes)
			}
		case !slices.Contains(changes, change) || stays != (parts[name] == d.parts[name]):
			t.Errorf("%s: %q", name, changes)
		}
		if got := texts(t, out, pages(1, 1)); !slices.Equal(got, want) {
			t.Errorf("%s: the text is %q, want %q", name, got, want)
		}
		for n := 1; n <= 6; n++ {
			for part, content := range parts {
				if n != 4 && strings.Contains(content, fmt.Sprint("Secret", n)) {
					t.Errorf("%s: %s has Secret%d", name, part, n)
				}
			}
		}
	}
}

// TestLargeCut writes a cut while it is read.
func TestLargeCut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	d := newDeck()
	d.parts["ppt/media/image2.png"] = strings.Repeat("0123456789abcdef", 70<<16)
	var r slides.Resolver
	c, err := r.Resolve(t.Context(), source(d.bytes()), citekit.Request{Location: pages(2, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if c.Size != -1 {
		t.Errorf("size %d", c.Size)
	}
	out, err := io.ReadAll(c.Body)
	if err != nil {
		t.Fatal(err)
	}
	checkPackage(t, out)
	if err := c.Body.Close(); err != nil {
		t.Error(err)
	}
	c, err = r.Resolve(t.Context(), source(d.bytes()), citekit.Request{Location: pages(2, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Body.Read(make([]byte, 10)); err != nil {
		t.Error(err)
	}
	if err := c.Body.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzSlide reads a slide of any content, and holds cuts to what evidence
// obeys.
func FuzzSlide(f *testing.F) {
	d := newDeck()
	for n := 1; n <= 6; n++ {
		f.Add(d.parts[slideName(n)], n)
	}
	f.Fuzz(func(t *testing.T, content string, n int) {
		n = max(n%6, -n%6) + 1
		d := newDeck()
		d.parts[slideName(n)] = content
		data := d.bytes()
		mapped, resolved := outcome(t, data, n)
		for _, err := range []error{mapped, resolved} {
			if err != nil && citekit.CodeOf(err) == message.CodeInternal {
				t.Errorf("an error of no kind: %v", err)
			}
		}
		if resolved != nil {
			return
		}
		out, _ := cut(t, data, pages(n, n))
		if got, want := texts(t, out, pages(1, 1))[0], texts(t, data, pages(n, n))[0]; got != want {
			t.Errorf("the text of the cut is %q, want %q", got, want)
		}
	})
}

// FuzzMain does so with the main part of a presentation.
func FuzzMain(f *testing.F) {
	f.Add(newDeck().parts[main])
	f.Fuzz(func(t *testing.T, content string) {
		d := newDeck()
		d.parts[main] = content
		for n := 1; n <= 2; n++ {
			for _, err := range errs(outcome(t, d.bytes(), n)) {
				if err != nil && citekit.CodeOf(err) == message.CodeInternal {
					t.Errorf("an error of no kind: %v", err)
				}
			}
		}
	})
}

func errs(a, b error) []error { return []error{a, b} }

// presentations makes those that the benchmarks measure, of n slides.
var presentations = map[string]func(n int) []byte{"pptx": manySlides, "odp": manyODPSlides}

// BenchmarkSlide resolves a slide of presentations of three sizes, cold.
func BenchmarkSlide(b *testing.B) {
	benchmark(b, func(r *slides.Resolver, src *citekit.Source, n int) error {
		c, err := r.Resolve(b.Context(), src, citekit.Request{Location: pages(n/2, n/2)})
		if err == nil {
			_, err = io.Copy(io.Discard, c.Body)
		}
		return err
	})
}

// BenchmarkMap maps presentations of three sizes.
func BenchmarkMap(b *testing.B) {
	benchmark(b, func(r *slides.Resolver, src *citekit.Source, _ int) error {
		_, err := r.Map(b.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		return err
	})
}

func benchmark(b *testing.B, run func(r *slides.Resolver, src *citekit.Source, n int) error) {
	for format, slidesOf := range presentations {
		for _, n := range []int{10, 100, 1000} {
			data := slidesOf(n)
			b.Run(fmt.Sprintf("%s/%d", format, n), func(b *testing.B) {
				for b.Loop() {
					if err := run(new(slides.Resolver), source(data), n); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// manySlides returns a presentation of n slides with a table each.
func manySlides(n int) []byte {
	d := newDeck()
	var list bytes.Buffer
	rows := make([][]string, 20)
	for i := range rows {
		rows[i] = []string{fmt.Sprint("row ", i), "a cell with some words", "another"}
	}
	for i := 7; i <= n; i++ {
		d.add(slideName(i), "slide", xmlHead+"<p:sld"+spaces+">"+tree(shape(2, "title", fmt.Sprint("Title ", i)), frame(3, "drawingml/2006/table", table(rows...)))+"</p:sld>")
		d.rel(slideName(i), "slideLayout", "ppt/slideLayouts/slideLayout1.xml")
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="%s"/>`, 300+i, d.rel(main, "slide", slideName(i)))
	}
	d.parts[main] = strings.Replace(d.parts[main], "</p:sldIdLst><p:sldSz", list.String()+"</p:sldIdLst><p:sldSz", 1)
	return d.bytes()
}
