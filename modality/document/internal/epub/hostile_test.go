package epub_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/epub"
)

// tries uses a source in all ways and returns the errors, in the order of
// mapping, reading and cutting its first part.
func tries(t testing.TB, data []byte) (errs [3]error) {
	t.Helper()
	r := new(epub.Resolver)
	_, errs[0] = r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
	for _, err := range r.ReadText(t.Context(), source(data), citekit.Location{Modality: citekit.Document}) {
		errs[1] = err
	}
	_, errs[2] = r.Resolve(t.Context(), source(data), citekit.Request{Location: at(1)})
	for _, err := range errs {
		if err != nil && !isKnown(err) {
			t.Errorf("an error that is not known: %v", err)
		}
	}
	return errs
}

func isKnown(err error) bool {
	return errors.Is(err, citekit.ErrFormat) || errors.Is(err, citekit.ErrTooLarge) || errors.Is(err, citekit.ErrRange) || errors.Is(err, errors.ErrUnsupported)
}

func TestHostile(t *testing.T) {
	deep := "<html><body>" + strings.Repeat("<div>", 100_000) + "deep"
	entities := `<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]><html><body><p>&b;&x;</p></body></html>`
	var cyclic strings.Builder
	for range 1000 {
		cyclic.WriteString("<li><a href='nav.xhtml#x'>again</a><ol>")
	}
	many := strings.Repeat(`<itemref idref="c1"/>`, 70_000)
	read := [3]error{}
	damaged := [3]error{citekit.ErrFormat, citekit.ErrFormat, citekit.ErrFormat}
	for name, c := range map[string]struct {
		changed map[string]string
		want    [3]error
	}{
		"no container":     {map[string]string{"META-INF/container.xml": ""}, damaged},
		"no package":       {map[string]string{"OPS/book.opf": ""}, damaged},
		"no spine":         {map[string]string{"OPS/book.opf": strings.ReplaceAll(opf, "spine", "spin")}, damaged},
		"nothing in it":    {map[string]string{"OPS/book.opf": "<package/>"}, damaged},
		"package outside":  {map[string]string{"META-INF/container.xml": strings.Replace(container, "OPS/", "../../OPS/", 1)}, damaged},
		"missing part":     {map[string]string{"OPS/c1.xhtml": ""}, [3]error{nil, nil, citekit.ErrFormat}},
		"part outside":     {map[string]string{"OPS/book.opf": strings.Replace(opf, "c1.xhtml", "../../../etc/passwd", 1)}, [3]error{nil, nil, citekit.ErrFormat}},
		"part from afar":   {map[string]string{"OPS/book.opf": strings.Replace(opf, "c1.xhtml", "http://example.com/c1.xhtml", 1)}, [3]error{nil, nil, citekit.ErrFormat}},
		"resource outside": {map[string]string{"OPS/c1.xhtml": strings.Replace(c1, "style.css", "../../../../style.css", 1)}, read},
		"deep":             {map[string]string{"OPS/c1.xhtml": deep}, [3]error{nil, citekit.ErrTooLarge, citekit.ErrTooLarge}},
		"deep contents":    {map[string]string{"OPS/nav.xhtml": `<html xmlns:epub="x"><nav epub:type="toc"><ol>` + cyclic.String()}, [3]error{citekit.ErrTooLarge, nil, citekit.ErrTooLarge}},
		"entities":         {map[string]string{"OPS/c1.xhtml": entities}, read},
		"import of itself": {map[string]string{"OPS/more.css": `@import "style.css"; @import "more.css"`}, read},
		"fallback cycle":   {map[string]string{"OPS/book.opf": strings.Replace(opf, `href="c1.xhtml" media-type="application/xhtml+xml"`, `href="c1.xhtml" media-type="x/y" fallback="c1"`, 1)}, read},
		"many parts":       {map[string]string{"OPS/book.opf": strings.Replace(opf, "<itemref", many+"<itemref", 1)}, [3]error{citekit.ErrTooLarge, citekit.ErrTooLarge, citekit.ErrTooLarge}},
		"empty part":       {map[string]string{"OPS/c1.xhtml": " "}, read},
		"unclosed":         {map[string]string{"OPS/c1.xhtml": `<html><body><p class="a`, "OPS/style.css": `url( "`}, read},
	} {
		t.Run(name, func(t *testing.T) {
			got := tries(t, with(t, c.changed))
			for i, err := range got {
				if !errors.Is(err, c.want[i]) {
					t.Errorf("%s: %v, want %v", []string{"Map", "ReadText", "Resolve"}[i], err, c.want[i])
				}
			}
		})
	}
}

func TestEntitiesAreNotKnown(t *testing.T) {
	data := with(t, map[string]string{"OPS/c1.xhtml": `<!DOCTYPE html [<!ENTITY b "bomb">]><html><body><p>&b;&eacute;</p></body></html>`})
	if text, _ := readAll(t, data, at(1)); text != "&b;é\n" {
		t.Errorf("the text is %q", text)
	}
}

// TestBombs has members that unpack to far more than they are.
func TestBombs(t *testing.T) {
	mib := 1 << 20
	if !sharedtest.Long() {
		mib /= 32
		epub.DivideLimits(t, 32)
	}
	zeros := strings.Repeat("\x00", 40*mib)
	data := with(t, map[string]string{"OPS/c1.xhtml": "<p>" + zeros, "OPS/font.woff": zeros})
	if errs := tries(t, data); errs[0] != nil || !errors.Is(errs[1], citekit.ErrTooLarge) || !errors.Is(errs[2], citekit.ErrTooLarge) {
		t.Errorf("a part of 40 MiB: %v", errs)
	}
	members := files()
	members["OPS/c1.xhtml"] = "<p>x</p>" + strings.Repeat(" ", 20*mib)
	items, refs := "", ""
	for i := range 15 {
		name := fmt.Sprintf("x%d", i)
		members["OPS/"+name+".xhtml"] = members["OPS/c1.xhtml"]
		items += `<item id="` + name + `" href="` + name + `.xhtml" media-type="application/xhtml+xml"/>`
		refs += `<itemref idref="` + name + `"/>`
	}
	members["OPS/book.opf"] = strings.Replace(strings.Replace(opf, "<itemref", refs+"<itemref", 1), "<item ", items+"<item ", 1)
	if errs := tries(t, pack(t, members)); errs[0] != nil || !errors.Is(errs[1], citekit.ErrTooLarge) {
		t.Errorf("15 parts of 20 MiB: %v", errs)
	}
}

func TestNotABook(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, _ := w.Create("word/document.xml")
	io.WriteString(f, "<w/>")
	w.Close()
	for name, data := range map[string][]byte{"nothing": nil, "PDF": []byte("%PDF-1.7"), "another ZIP": out.Bytes()} {
		for i, err := range tries(t, data) {
			if !errors.Is(err, citekit.ErrFormat) {
				t.Errorf("%s: try %d: %v", name, i, err)
			}
		}
	}
}

// FuzzPart reads and cuts a part of any bytes.
func FuzzPart(f *testing.F) {
	for _, seed := range []string{c1, c2, c3, nav, "<svg><a href='#x'/></svg>", "<p>a<![CDATA[b]]>c<li>d</p><table><td>e"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		members := files()
		members["OPS/c1.xhtml"] = string(content)
		data := pack(t, members)
		tries(t, data)
		r := new(epub.Resolver)
		var runs []citekit.TextRun
		for run, err := range r.ReadText(t.Context(), source(data), at(1)) {
			if err == nil {
				runs = append(runs, run)
			}
		}
		for _, run := range runs[:min(len(runs), 3)] {
			x, err := r.Resolve(t.Context(), source(data), citekit.Request{Location: run.Location})
			if err != nil {
				t.Fatalf("%v is read and not resolved: %v", run.Location, err)
			}
			evidence, _ := io.ReadAll(x.Body)
			got := ""
			for again, err := range r.ReadText(t.Context(), source(evidence), at(1)) {
				if err != nil {
					t.Fatal(err)
				}
				got += again.Text
			}
			if got != run.Text {
				t.Errorf("%v: the evidence says %q, not %q", run.Location, got, run.Text)
			}
			cfi, err := r.CFI(t.Context(), source(data), run.Location)
			if err != nil {
				t.Fatal(err)
			}
			if loc, err := r.FromCFI(t.Context(), source(data), cfi); err != nil || !loc.Equal(run.Location) && !strings.HasSuffix(cfi, "!)") { // a drawing is all of its part
				t.Errorf("%v becomes %s and that %v, %v", run.Location, cfi, loc, err)
			}
		}
	})
}

// FuzzPackage reads a package document and a table of contents of any bytes.
func FuzzPackage(f *testing.F) {
	f.Add([]byte(opf), []byte(nav), []byte(ncx))
	f.Fuzz(func(t *testing.T, opf, nav, ncx []byte) {
		members := files()
		members["OPS/book.opf"], members["OPS/nav.xhtml"], members["OPS/toc.ncx"] = string(opf), string(nav), string(ncx)
		data := pack(t, members)
		errs := tries(t, data)
		if errs[0] != nil {
			return
		}
		r := new(epub.Resolver)
		draft, err := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range draft.Nodes[:min(len(draft.Nodes), 3)] {
			if _, err := r.Resolve(t.Context(), source(data), citekit.Request{Location: n.Location}); err != nil && !isKnown(err) {
				t.Fatalf("%v: %v", n.Location, err)
			}
		}
	})
}

// book returns a book of parts of about ten kilobytes. The contents lead into every
// second part.
func book(tb testing.TB, parts int) []byte {
	var manifest, spine, entries strings.Builder
	members := map[string]string{"META-INF/container.xml": container}
	paragraph := "<p>" + strings.Repeat("All work and no play makes Jack a <i>dull</i> boy. ", 10) + "</p>\n"
	for i := range parts {
		fmt.Fprintf(&manifest, `<item id="c%d" href="c%d.xhtml" media-type="application/xhtml+xml"/>`, i, i)
		fmt.Fprintf(&spine, `<itemref idref="c%d"/>`, i)
		fmt.Fprintf(&entries, `<li><a href="c%d.xhtml">Chapter %d</a><ol><li><a href="c%d.xhtml#s">Section</a></li></ol></li>`, i, i, i/2*2)
		members[fmt.Sprintf("OPS/c%d.xhtml", i)] = "<html><head><title>x</title></head><body><h1>Chapter</h1>" +
			strings.Repeat(paragraph, 10) + `<h2 id="s">Section</h2>` + strings.Repeat(paragraph, 10) + "</body></html>"
	}
	members["OPS/book.opf"] = `<package><manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>` +
		manifest.String() + "</manifest><spine>" + spine.String() + "</spine></package>"
	members["OPS/nav.xhtml"] = `<html><body><nav epub:type="toc"><ol>` + entries.String() + "</ol></nav></body></html>"
	return pack(tb, members)
}

func BenchmarkMap(b *testing.B) {
	for _, parts := range []int{250, 500, 1000, 2000} {
		data := book(b, parts)
		b.Run(fmt.Sprint(parts), func(b *testing.B) {
			for b.Loop() {
				if draft := mapped(b, data); len(draft.Nodes) != parts {
					b.Fatal(len(draft.Nodes))
				}
			}
		})
	}
}

func BenchmarkResolveCold(b *testing.B) {
	for _, parts := range []int{250, 1000, 4000} {
		data := book(b, parts)
		b.Run(fmt.Sprint(parts), func(b *testing.B) {
			for b.Loop() {
				if _, err := new(epub.Resolver).Resolve(b.Context(), source(data), citekit.Request{Location: at(parts/2, 5, 6)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadText(b *testing.B) {
	for _, parts := range []int{250, 500, 1000} {
		data := book(b, parts)
		b.Run(fmt.Sprint(parts), func(b *testing.B) {
			for b.Loop() {
				for _, err := range new(epub.Resolver).ReadText(b.Context(), source(data), citekit.Location{Modality: citekit.Document}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// TestPartsShareFile has books whose spine lists one file many times: it is read once.
func TestPartsShareFile(t *testing.T) {
	chapter := "<html><head><title>One</title></head><body>" + strings.Repeat("<p>A paragraph of some words.</p>", 2000) + "</body></html>"
	for _, n := range []int{50, 100, 200} {
		list := strings.ReplaceAll(opf, `<itemref idref="c1"/>`, strings.Repeat(`<itemref idref="c1"/>`, n))
		data := with(t, map[string]string{"OPS/c1.xhtml": chapter, "OPS/book.opf": list, "OPS/nav.xhtml": "", "OPS/toc.ncx": ""})
		text, _ := readAll(t, data, citekit.Location{Modality: citekit.Document})
		if got := strings.Count(text, "A paragraph of some words."); got != 2000 {
			t.Errorf("%d parts: the text has %d paragraphs, want 2000", n, got)
		}
		src := &countingReader{Reader: bytes.NewReader(data)}
		info := citekit.SourceInfo{Name: "a.epub", Size: int64(len(data))}
		draft, err := new(epub.Resolver).Map(t.Context(), citekit.NewSource(src, info), citekit.MapRequest{Modality: citekit.Document})
		if err != nil || src.read > 4*src.Size() {
			t.Errorf("%d parts: the map read %d bytes of %d, %v", n, src.read, src.Size(), err)
		}
		if err == nil && len(draft.Nodes) < n {
			t.Errorf("%d parts: %d nodes", n, len(draft.Nodes))
		}
	}
}

// A countingReader reader counts the bytes that are read.
type countingReader struct {
	*bytes.Reader
	read int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}
