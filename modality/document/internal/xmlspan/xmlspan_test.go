package xmlspan_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

const sample = `<?xml version="1.0"?><!-- <no> --><w:a xmlns:w="urn:w" xmlns="urn:d" x="1 &lt; 2">one<w:b w:v='>' /><c>two &amp; <![CDATA[<three>]]></c></w:a>`

func TestScanner(t *testing.T) {
	s := xmlspan.New(sample)
	var got []string
	for s.Next() {
		switch s.Kind {
		case xmlspan.Text:
			got = append(got, fmt.Sprintf("%d %q", s.Depth, s.Value()))
		case xmlspan.Start:
			got = append(got, fmt.Sprintf("%d <%s %s x=%s v=%s> %q", s.Depth, s.Space, s.Local, s.Get("", "x"), s.Get("urn:w", "v"), sample[s.Pos:s.Stop]))
		case xmlspan.End:
			got = append(got, fmt.Sprintf("%d </%s> %q", s.Depth, s.Local, sample[s.ElementPos():s.Stop]))
		}
	}
	want := []string{
		`1 <urn:w a x=1 < 2 v=> "<w:a xmlns:w=\"urn:w\" xmlns=\"urn:d\" x=\"1 &lt; 2\">"`,
		`1 "one"`,
		`2 <urn:w b x= v=>> "<w:b w:v='>' />"`,
		`2 </b> "<w:b w:v='>' />"`,
		`2 <urn:d c x= v=> "<c>"`,
		`2 "two & "`,
		`2 "<three>"`,
		`2 </c> "<c>two &amp; <![CDATA[<three>]]></c>"`,
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if strings.Join(got[:len(got)-1], "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]error{
		"":                              xmlspan.ErrMalformed,
		"text":                          xmlspan.ErrMalformed,
		"<a>":                           xmlspan.ErrMalformed,
		"<a></b>":                       xmlspan.ErrMalformed,
		"</a>":                          xmlspan.ErrMalformed,
		"<a/><b/>":                      xmlspan.ErrMalformed,
		"<a b='>":                       xmlspan.ErrMalformed,
		"<a <b>":                        xmlspan.ErrMalformed,
		"<a><!-- </a>":                  xmlspan.ErrMalformed,
		"<!DOCTYPE a><a/>":              xmlspan.ErrDoctype,
		"<!DOCTYPE a [<!ENTITY b 'b'>]": xmlspan.ErrDoctype,
		strings.Repeat("<a>", 10_000):   xmlspan.ErrDepth,
	} {
		s := xmlspan.New(text)
		for s.Next() {
		}
		if !errors.Is(s.Err(), want) {
			t.Errorf("%.40q: %v, want %v", text, s.Err(), want)
		}
	}
	s := xmlspan.New("<!DOCTYPE html PUBLIC 'a>' 'b'><html/>")
	s.Doctype = true
	for s.Next() {
	}
	if s.Err() != nil {
		t.Errorf("a document type that is allowed: %v", s.Err())
	}
}

func TestSkip(t *testing.T) {
	s := xmlspan.New("<a><b><b/>x</b><c/></a>")
	s.Next()
	s.Next()
	if !s.Skip() || !s.Is("", "b") || s.Depth != 2 || s.ElementPos() != 3 {
		t.Errorf("%v %s %d %d", s.Kind, s.Local, s.Depth, s.ElementPos())
	}
	if !s.Next() || !s.Is("", "c") || !s.Skip() || s.Kind != xmlspan.End {
		t.Errorf("%v %s", s.Kind, s.Local)
	}
	if _, local := s.Parent(); local != "a" {
		t.Errorf("the parent is %q", local)
	}
}

func TestFragment(t *testing.T) {
	text := "<a xmlns:p='urn:p'><b/><p:c>x</p:c><p:d/></a>"
	s := xmlspan.New(text)
	s.Next()
	f := s.Fragment(strings.Index(text, "<p:c"), strings.Index(text, "</a>"))
	var got []string
	for f.Next() {
		got = append(got, fmt.Sprint(f.Kind, f.Space, f.Local, f.Depth, text[f.Pos:f.Stop]))
	}
	if want := "[1urn:pc1<p:c> 3urn:pc1x 2urn:pc1</p:c> 1urn:pd1<p:d/> 2urn:pd1]"; fmt.Sprint(got) != want || f.Err() != nil {
		t.Errorf("%v, %v; want %v", got, f.Err(), want)
	}
}

func TestSplice(t *testing.T) {
	got := xmlspan.Splice("0123456789", 1, 9, []xmlspan.Edit{
		{Pos: 6, Stop: 7}, {Pos: 3, Stop: 5, Text: "x"}, {Pos: 4, Stop: 4, Text: "no"}, {Pos: 3, Stop: 3, Text: "y"}, {Pos: 0, Stop: 2}, {Pos: 9, Stop: 9, Text: "!"},
	})
	if want := "12yx578!"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDecode(t *testing.T) {
	utf16 := func(text string, high, low int) (b []byte) {
		for _, r := range "\ufeff" + text {
			pair := [2]byte{}
			pair[high], pair[low] = byte(r>>8), byte(r)
			b = append(b, pair[:]...)
		}
		return b
	}
	declared := `<?xml version="1.0" encoding="UTF-16"?><a>ä</a>`
	for name, data := range map[string][]byte{
		"little": utf16(declared, 1, 0),
		"big":    utf16(declared, 0, 1),
		"latin":  []byte("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4</a>"),
		"utf-8":  []byte("<a>ä</a>"),
	} {
		if got, err := xmlspan.Decode(string(data)); err != nil || got != "<a>ä</a>" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := xmlspan.Decode(`<?xml version="1.0" encoding="EBCDIC"?><a/>`); !errors.Is(err, xmlspan.ErrMalformed) {
		t.Errorf("another encoding: %v", err)
	}
}

// FuzzScanner holds the scanner to encoding/xml: what both take has the same
// elements and the same text.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{sample, "<a/>", "<a>&#x41;&amp;</a>", "<!DOCTYPE a><a/>", "<a xmlns:b='c'><b:d b:e=\"f\"/></a>", "<a><![CDATA[x]]></a>", "<:></:>", "<a:></a:>", "<:a xmlns:='b' :c='d'/>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := xmlspan.New(text)
		var ours strings.Builder
		at := 0
		for s.Next() {
			if s.Pos < at || s.Stop < s.Pos || s.Stop > len(text) {
				t.Fatalf("a token at %d-%d after byte %d", s.Pos, s.Stop, at)
			}
			at = s.Pos
			switch s.Kind {
			case xmlspan.Start:
				for a := range s.Attrs() {
					if xmlspan.Unescape(text[a.ValuePos:a.ValueStop]) != a.Value {
						t.Fatalf("the value of an attribute is not at its place")
					}
				}
				fmt.Fprintf(&ours, "<%s>", s.Local)
			case xmlspan.End:
				ours.WriteString("</>")
			case xmlspan.Text:
				ours.WriteString(s.Value())
			}
		}
		theirs, ok := reference(text)
		if !ok || s.Err() != nil {
			return
		}
		if got := strings.ReplaceAll(ours.String(), "\r", "\n"); strings.ReplaceAll(got, "\n\n", "\n") != strings.ReplaceAll(theirs, "\n\n", "\n") {
			t.Errorf("%q, want %q", got, theirs)
		}
	})
}

// reference reads a document with encoding/xml.
func reference(text string) (string, bool) {
	d := xml.NewDecoder(strings.NewReader(text))
	var b strings.Builder
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), true
		}
		if err != nil {
			return "", false
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			fmt.Fprintf(&b, "<%s>", token.Name.Local)
		case xml.EndElement:
			depth--
			b.WriteString("</>")
		case xml.CharData:
			if depth > 0 {
				b.Write(token)
			}
		case xml.Directive:
			return "", false
		}
	}
}
