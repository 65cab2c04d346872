package slides_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/slides"
)

// TestODPBadSources checks that hostile and damaged presentations are refused by
// an error of the right kind.
func TestODPBadSources(t *testing.T) {
	const tooDeep = 2000
	body := strings.Join(odpPages(), "")
	for name, c := range map[string]struct {
		change func(files map[string]string)
		want   error
	}{
		"encrypted": {func(files map[string]string) {
			files["META-INF/manifest.xml"] = strings.Replace(files["META-INF/manifest.xml"], `media-type=""/>`, `media-type=""><manifest:encryption-data/></manifest:file-entry>`, 1)
		}, citekit.ErrEncrypted},
		"encrypted as a whole": {func(files map[string]string) {
			delete(files, "content.xml")
			delete(files, "styles.xml")
			files["encrypted-package"] = "unreadable"
			files["META-INF/manifest.xml"] = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`
		}, citekit.ErrEncrypted},
		"no manifest": {func(files map[string]string) { delete(files, "META-INF/manifest.xml") }, citekit.ErrFormat},
		"no content":  {func(files map[string]string) { delete(files, "content.xml") }, citekit.ErrFormat},
		"no chart":    {func(files map[string]string) { files["Object 1/content.xml"] = "<chart" }, citekit.ErrFormat},
		"not XML":     {func(files map[string]string) { files["content.xml"] += "<" }, citekit.ErrFormat},
		"a text": {func(files map[string]string) {
			files["content.xml"] = strings.ReplaceAll(files["content.xml"], "office:presentation", "office:text")
		}, citekit.ErrFormat},
		"two presentations": {func(files map[string]string) {
			files["content.xml"] = strings.Replace(files["content.xml"], "<office:presentation>", "<office:presentation/><office:presentation>", 1)
		}, citekit.ErrFormat},
		"the type of a text": {func(files map[string]string) {
			files["META-INF/manifest.xml"] = strings.Replace(files["META-INF/manifest.xml"], odpType, "application/vnd.oasis.opendocument.text", 1)
		}, citekit.ErrFormat},
		"deep": {func(files map[string]string) {
			files["content.xml"] = odpFiles(strings.Repeat("<draw:g>", tooDeep) + strings.Repeat("</draw:g>", tooDeep))["content.xml"]
		}, citekit.ErrTooLarge},
		"large content": {func(files map[string]string) { files["content.xml"] += strings.Repeat(" ", 70<<20) }, citekit.ErrTooLarge},
		"large chart":   {func(files map[string]string) { files["Object 1/content.xml"] += strings.Repeat(" ", 70<<20) }, citekit.ErrTooLarge},
	} {
		if testing.Short() && strings.HasPrefix(name, "large ") {
			continue // takes seconds
		}
		files := odpFiles(body)
		c.change(files)
		data := doctest.ZipMap(files)
		var r slides.Resolver
		_, mapped := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
		_, resolved := r.Resolve(t.Context(), source(data), citekit.Request{Location: pages(3, 3)})
		if !errors.Is(mapped, c.want) || !errors.Is(resolved, c.want) {
			t.Errorf("%s: mapping gives %v, resolving %v, want %v", name, mapped, resolved, c.want)
		}
	}
}

// TestODPRepeated reads a table that stands for more cells than anything may hold.
func TestODPRepeated(t *testing.T) {
	const n = 1 << 30
	cell := fmt.Sprintf(`<table:table-cell table:number-columns-repeated="%d"><text:p>x<text:s text:c="%d"/></text:p></table:table-cell>`, n, n)
	row := fmt.Sprintf(`<table:table-row table:number-rows-repeated="%d">%s</table:table-row>`, n, cell)
	data := doctest.ZipMap(odpFiles(`<draw:page><draw:frame><table:table>` + row + `</table:table></draw:frame></draw:page>`))
	all := citekit.Location{Modality: citekit.Document}
	want := texts(t, data, all)
	if size := len(strings.Join(want, "")); size < 1<<10 || size > 64<<20 {
		t.Errorf("%d bytes of text", size)
	}
	out, _ := cut(t, data, pages(1, 1))
	if got := texts(t, out, all); strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("the text of the cut has %d bytes, want %d", len(strings.Join(got, "")), len(strings.Join(want, "")))
	}
}

// TestODPMissingFiles cuts presentations that lack what nothing depends on.
func TestODPMissingFiles(t *testing.T) {
	for name, change := range map[string]string{
		"styles.xml":           "",
		"meta.xml":             "",
		"Pictures/Secret3.png": "links to missing or outside files left out",
		"Object 1/content.xml": "embedded objects left out, their pictures kept",
	} {
		files := odpFiles(strings.Join(odpPages(), ""))
		delete(files, name)
		data := doctest.ZipMap(files)
		out, changes := cut(t, data, pages(3, 3))
		if change != "" && !strings.Contains(strings.Join(changes, "; "), change) {
			t.Errorf("without %s: %q, want %q", name, changes, change)
		}
		got, want := texts(t, out, pages(1, 1))[0], texts(t, data, pages(3, 3))[0]
		if got != want || !strings.Contains(got, "Secret3") {
			t.Errorf("without %s: %q, want %q", name, got, want)
		}
	}
}

// FuzzODP puts other XML in the place of the content and the styles: whatever is
// read has cuts that are read.
func FuzzODP(f *testing.F) {
	own := odpFiles(strings.Join(odpPages(), ""))
	f.Add(own["content.xml"], own["styles.xml"])
	f.Fuzz(func(t *testing.T, content, styles string) {
		files := maps.Clone(own)
		files["content.xml"], files["styles.xml"] = content, styles
		data := doctest.ZipMap(files)
		for n := 1; n <= 2; n++ {
			var r slides.Resolver
			_, mapped := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
			c, resolved := r.Resolve(t.Context(), source(data), citekit.Request{Location: pages(n, n)})
			for _, err := range errs(mapped, resolved) {
				if err != nil && citekit.CodeOf(err) == message.CodeInternal {
					t.Errorf("an error of no kind: %v", err)
				}
			}
			if resolved != nil {
				return
			}
			c.Body.Close()
			out, _ := cut(t, data, pages(n, n))
			if got := texts(t, out, citekit.Location{Modality: citekit.Document}); len(got) != 1 {
				t.Errorf("a cut of one slide has %d", len(got))
			}
		}
	})
}

// manyODPSlides returns a presentation of n slides with a table each.
func manyODPSlides(n int) []byte {
	cell := `<table:table-cell><text:p>a cell with some words</text:p></table:table-cell>`
	table := `<draw:frame><table:table>` + strings.Repeat(`<table:table-row>`+strings.Repeat(cell, 3)+`</table:table-row>`, 20) + `</table:table></draw:frame>`
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, `<draw:page draw:name="page%d" draw:master-page-name="Master0">%s%s</draw:page>`, i+1, odpBox("title", fmt.Sprint("Title ", i+1)), table)
	}
	return doctest.ZipMap(odpFiles(body.String()))
}
