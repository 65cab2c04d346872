package xmp_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/internal/xmp"
)

// packet returns a packet with what stands in its descriptions.
func packet(inside string) []byte {
	return []byte(`<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">` +
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/">` + inside + `</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`)
}

const described = `<rdf:Description rdf:about="">`

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, inside, title string
		creators            []string
	}{
		{name: "lists", title: "A title", creators: []string{"One", "Two & Three"},
			inside: described + `<dc:title><rdf:Alt><rdf:li xml:lang="x-default"> A title
				</rdf:li></rdf:Alt></dc:title><dc:creator><rdf:Seq><rdf:li>One</rdf:li><rdf:li>Two &amp; Three</rdf:li></rdf:Seq></dc:creator></rdf:Description>`},
		{name: "the default language comes second", title: "Default",
			inside: described + `<dc:title><rdf:Alt><rdf:li xml:lang="de">Anders</rdf:li><rdf:li xml:lang="x-default">Default</rdf:li></rdf:Alt></dc:title></rdf:Description>`},
		{name: "no default language", title: "Anders",
			inside: described + `<dc:title><rdf:Alt><rdf:li xml:lang="de">Anders</rdf:li><rdf:li xml:lang="fr">Autre</rdf:li></rdf:Alt></dc:title></rdf:Description>`},
		{name: "attributes", title: "Short", creators: []string{"One"},
			inside: `<rdf:Description dc:title="Short" dc:creator=" One "/>`},
		{name: "no list", title: "Plain", inside: described + `<dc:title>Plain</dc:title></rdf:Description>`},
		{name: "empty items", title: "Second", creators: []string{"Two"},
			inside: described + `<dc:title><rdf:Alt><rdf:li/><rdf:li>Second</rdf:li></rdf:Alt></dc:title><dc:creator><rdf:Seq><rdf:li> </rdf:li><rdf:li>Two</rdf:li></rdf:Seq></dc:creator></rdf:Description>`},
		{name: "a comment inside", title: "Two parts", inside: described + `<dc:title>Two <!-- x -->parts</dc:title></rdf:Description>`},
		{name: "several descriptions", title: "First", creators: []string{"One", "Two"},
			inside: `<rdf:Description dc:title="First" dc:creator="One"/><rdf:Description dc:title="Second" dc:creator="Two"/>`},
		{name: "of something else", inside: described + `<xmpMM:Ingredients><rdf:Bag><rdf:li><rdf:Description dc:title="Of a part"><dc:creator>Another</dc:creator></rdf:Description></rdf:li></rdf:Bag></xmpMM:Ingredients></rdf:Description>`},
		{name: "in a structure", inside: described + `<xmpMM:DerivedFrom rdf:parseType="Resource"><dc:title>Of the original</dc:title></xmpMM:DerivedFrom></rdf:Description>`},
		{name: "damage", title: "Before", inside: `<rdf:Description dc:title="Before"><dc:creator><rdf:Seq><rdf:li>Cut o`},
		{name: "an entity", inside: described + `<dc:title>&xxe;</dc:title></rdf:Description>`},
		{name: "too deep", title: "Before", inside: `<rdf:Description dc:title="Before">` + strings.Repeat("<a>", 20) + strings.Repeat("</a>", 20) + `<dc:creator>After</dc:creator></rdf:Description>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := xmp.Read(packet(c.inside))
			if got := p.Text(xmp.DublinCore, "title"); got != c.title {
				t.Errorf("title %q, want %q", got, c.title)
			}
			if got := p.List(xmp.DublinCore, "creator"); !slices.Equal(got, c.creators) {
				t.Errorf("creators %q, want %q", got, c.creators)
			}
		})
	}
	if got := (xmp.Packet{}).Text(xmp.DublinCore, "title"); got != "" {
		t.Errorf("the zero Packet has the title %q", got)
	}
}

// FuzzRead checks that any bytes are read, and that texts are trimmed and no
// longer than what they stand in.
func FuzzRead(f *testing.F) {
	f.Add(packet(`<rdf:Description dc:title="a"><dc:creator><rdf:Seq><rdf:li>b</rdf:li></rdf:Seq></dc:creator></rdf:Description>`))
	f.Add(packet(described + `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">a</rdf:li></rdf:Alt></dc:title></rdf:Description>`))
	f.Add([]byte(`</a>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := xmp.Read(data)
		total := 0
		for _, v := range append(p.List(xmp.DublinCore, "creator"), p.Text(xmp.DublinCore, "title")) {
			total += len(v)
			if v != strings.TrimSpace(v) || !utf8.ValidString(v) {
				t.Errorf("value %q", v)
			}
		}
		if total > 3*len(data) {
			t.Errorf("%d bytes from %d", total, len(data))
		}
	})
}
