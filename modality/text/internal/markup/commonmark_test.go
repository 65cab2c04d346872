package markup_test

import (
	"bytes"
	"encoding/xml"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// TestCommonMark compares the headings of every Markdown file at hand with
// those that the reference implementation of GFM finds.
func TestCommonMark(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	cmark := sharedtest.Tool(t, "cmark-gfm")
	files := realFiles(t, ".md", ".markdown")
	var count tally
	for _, name := range files {
		src, _ := readText(name)
		want, ok := cmarkTitles(t, cmark, src)
		if !ok {
			t.Logf("%s: cmark-gfm writes no XML for it", name)
			continue
		}
		count.agree(t, name, titlesOf(t, markup.Markdown, src), want)
	}
	count.report(t, len(files)/1000+1)
}

var yamlMatter = regexp.MustCompile(`\A---\n(\w[\w-]*:.*\n)(.*\n)*?(---|\.\.\.)\n`)

// cmarkTitles returns the headings of the document that cmark finds in src. Front
// matter, which is no Markdown, is made blank lines before.
func cmarkTitles(t *testing.T, cmark string, src []byte) ([]title, bool) {
	t.Helper()
	if matter := yamlMatter.Find(src); matter != nil {
		src = append(bytes.Repeat([]byte("\n"), bytes.Count(matter, []byte("\n"))), src[len(matter):]...)
	}
	cmd := exec.Command(cmark, "-t", "xml", "--sourcepos", "-e", "table", "-e", "strikethrough")
	cmd.Stdin = bytes.NewReader(src)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Headings []xmlHeading `xml:"heading"`
	}
	if err := xml.Unmarshal(out, &doc); err != nil {
		return nil, false
	}
	titles := make([]title, len(doc.Headings))
	for i, h := range doc.Headings {
		line, _, _ := strings.Cut(h.Position, ":")
		number, _ := strconv.Atoi(line)
		titles[i] = title{h.Level, number, strings.Join(strings.Fields(h.text.String()), " ")}
	}
	return nest(titles), true
}

// An xmlHeading is a heading in the XML of cmark.
type xmlHeading struct {
	Level    int
	Position string
	text     strings.Builder
}

func (h *xmlHeading) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	for _, a := range start.Attr {
		switch a.Name.Local {
		case "level":
			h.Level, _ = strconv.Atoi(a.Value)
		case "sourcepos":
			h.Position = a.Value
		}
	}
	inside := ""
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			if inside == "softbreak" || inside == "linebreak" {
				h.text.WriteByte(' ')
			}
		case xml.EndElement:
			if token.Name.Local == start.Name.Local {
				return nil
			}
			inside = ""
		case xml.CharData:
			if inside == "text" || inside == "code" {
				h.text.Write(token)
			}
		}
	}
}
