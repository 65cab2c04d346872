package epub_test

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/epub"
)

// A packageDocument is what the checks read of one (EPUB 3.3, section 5).
type packageDocument struct {
	Unique     string   `xml:"unique-identifier,attr"`
	Identifier []string `xml:"metadata>identifier"`
	Items      []struct {
		ID         string `xml:"id,attr"`
		Href       string `xml:"href,attr"`
		MediaType  string `xml:"media-type,attr"`
		Properties string `xml:"properties,attr"`
	} `xml:"manifest>item"`
	Spine struct {
		TOC  string `xml:"toc,attr"`
		Refs []struct {
			ID string `xml:"idref,attr"`
		} `xml:"itemref"`
	} `xml:"spine"`
}

// broken returns which rules of EPUB a book breaks: of the container, of the
// manifest and the spine, and of what its contents link to.
func broken(members map[string]string) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if members["mimetype"] != "application/epub+zip" {
		say("the mimetype is %q", members["mimetype"])
	}
	var container struct {
		Root struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	if err := xml.Unmarshal([]byte(members["META-INF/container.xml"]), &container); err != nil {
		say("the container: %v", err)
	}
	root := container.Root.Path
	var doc packageDocument
	if err := xml.Unmarshal([]byte(members[root]), &doc); err != nil {
		return append(all, fmt.Sprintf("the package document: %v", err))
	}
	items, listed, navs := make(map[string]string), make(map[string]bool), 0
	for _, it := range doc.Items {
		name, _ := target(root, it.Href)
		if _, there := members[name]; !there {
			say("item %s is not there", it.Href)
		}
		if items[it.ID] != "" || listed[name] || it.MediaType == "" {
			say("item %s is there twice or has no media type", it.Href)
		}
		items[it.ID], listed[name] = name, true
		if slices.Contains(strings.Fields(it.Properties), "nav") {
			navs++
			all = append(all, dangling(members, name, "href")...)
		}
	}
	if navs != 1 {
		say("%d navigation documents", navs)
	}
	if ncx := items[doc.Spine.TOC]; doc.Spine.TOC != "" && ncx == "" {
		say("the NCX is not in the manifest")
	} else if ncx != "" {
		all = append(all, dangling(members, ncx, "src")...)
	}
	if len(doc.Spine.Refs) == 0 {
		say("the spine is empty")
	}
	for _, ref := range doc.Spine.Refs {
		if items[ref.ID] == "" {
			say("the spine has %s, which is no item", ref.ID)
		}
	}
	for name := range members {
		if !listed[name] && name != root && name != "mimetype" && !strings.HasPrefix(name, "META-INF/") {
			say("%s is not in the manifest", name)
		}
	}
	return all
}

// target returns the member and the fragment that a link of another leads to.
func target(from, href string) (name, fragment string) {
	u, err := url.Parse(href)
	if err != nil || u.IsAbs() {
		return "", ""
	}
	if u.Path == "" {
		return from, u.Fragment
	}
	return path.Join(path.Dir(from), u.Path), u.Fragment
}

// dangling returns the links of a member that lead to no member, or to no
// element of one.
func dangling(members map[string]string, from, attr string) (all []string) {
	d := xml.NewDecoder(strings.NewReader(members[from]))
	for {
		token, err := d.Token()
		if err != nil {
			if token == nil && err.Error() != "EOF" {
				all = append(all, fmt.Sprintf("%s: %v", from, err))
			}
			return all
		}
		start, _ := token.(xml.StartElement)
		for _, a := range start.Attr {
			if a.Name.Local != attr || strings.Contains(a.Value, "://") {
				continue
			}
			name, fragment := target(from, a.Value)
			text, there := members[name]
			if !there || fragment != "" && !strings.Contains(text, `id="`+fragment+`"`) {
				all = append(all, fmt.Sprintf("%s leads to %s, which is not there", from, a.Value))
			}
		}
	}
}

// TestCutsAreValid checks the rules of EPUB on the cuts of books: of each part,
// and of some blocks of each. What the book itself breaks may stay broken, and
// a cited part that is the table of contents keeps its links, which are reported.
func TestCutsAreValid(t *testing.T) {
	ahead := with(t, map[string]string{"OPS/book.opf": strings.Replace(opf, "<itemref", `<itemref idref="nav"/><itemref`, 1)})
	for name, data := range map[string][]byte{"book": pack(t, files()), "contents first": ahead, "plain": book(t, 6)} {
		extent, err := new(epub.Resolver).Measure(t.Context(), source(data))
		if err != nil {
			t.Fatal(err)
		}
		cuts, before := 0, broken(unpack(t, data))
		for part := 1; part <= extent.Parts; part++ {
			locs := []citekit.Location{at(part), parts(part, min(part+1, extent.Parts)), parts(1, part)}
			for n := 1; n <= 8; n++ {
				locs = append(locs, at(part, n, n), at(part, 1, n))
			}
			for _, loc := range locs {
				if _, err := new(epub.Resolver).Resolve(t.Context(), source(data), citekit.Request{Location: loc}); err != nil {
					continue // it has fewer blocks, or is not there
				}
				members, changes := cut(t, data, loc)
				cuts++
				for _, what := range broken(members) {
					reported := strings.Contains(what, "leads to") && loc.Blocks.IsZero() && loc.Parts().First == 1 && len(changes) > 0
					if !slices.Contains(before, what) && !(reported && name == "contents first") {
						t.Errorf("%s, %v: %s", name, loc, what)
					}
				}
			}
		}
		if cuts < 20 {
			t.Errorf("%s: only %d cuts", name, cuts)
		}
	}
}

// TestBroken checks that the checks find what is broken.
func TestBroken(t *testing.T) {
	good, _ := cut(t, pack(t, files()), at(2))
	if all := broken(good); len(all) > 0 {
		t.Fatalf("a good book: %q", all)
	}
	for name, change := range map[string][3]string{
		"no mimetype":       {"mimetype", "application/epub+zip", ""},
		"no part":           {"OPS/book.opf", "c2.xhtml", "c9.xhtml"},
		"no navigation":     {"OPS/book.opf", `properties="nav"`, ""},
		"a spine of others": {"OPS/book.opf", `<itemref idref="c2"`, `<itemref idref="c9"`},
		"a link to nothing": {"OPS/nav.xhtml", "c2.xhtml#s2", "c2.xhtml#s9"},
		"an NCX to nothing": {"OPS/toc.ncx", "c2.xhtml", "c9.xhtml"},
	} {
		members, _ := cut(t, pack(t, files()), at(2))
		before := members[change[0]]
		members[change[0]] = strings.ReplaceAll(before, change[1], change[2])
		if members[change[0]] == before || len(broken(members)) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
}
