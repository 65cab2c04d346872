package e2e

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/verify"
)

// TestReadParts checks that the text of an address is that of the part it names,
// for each way to name one: what contents reads is what the resolver reads, a quote
// of the part holds, a quote of another part does not, and a part that does not
// exist is an error rather than the whole text, or none.
func TestReadParts(t *testing.T) {
	table := "name,count\nheron,214\nstork,12\n\"grebe,\ncrested\",7\n"
	twice := "name,note,other\nana,it is final,it is final\nbob,no,no\ncyd,it is final,yes\n"
	mail := "From: Ann <ann@example.org>\r\nSubject: Counts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n" +
		"--x\r\nContent-Type: text/plain\r\n\r\nThe heron count is done.\r\n--x\r\nContent-Type: text/plain; name=b.txt\r\n\r\nStorks were rare.\r\n--x--\r\n"
	box := "From a@example.org Mon Jun  3 10:00:01 2024\nSubject: One\n\nHerons first.\n\nFrom a@example.org Mon Jun  3 10:00:01 2024\nSubject: Two\n\nStorks second.\n"
	page := "<html><body><h1>Birds</h1>\n<p>Herons fish.</p>\n<p>Storks nest.</p><p>Herons wade.</p><p>Herons wade.</p>\n<table><tr><td>grebe</td><td>7</td></tr></table>\n<p>Fish &amp; frogs.</p><p>Geese <b>go</b>\nsouth &mdash; far.</p><p>It is F&#105;nal.</p><p>it is final.</p></body></html>\n"
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("in/table.csv")
	if err == nil {
		_, err = w.Write([]byte(table))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "quickstart", "samples", "guide.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	lib := mapped(t, map[string][]byte{
		"guide.pdf": guide,
		"table.csv": []byte(table), "twice.csv": []byte(twice), "mail.eml": []byte(mail), "box.mbox": []byte(box), "page.html": []byte(page), "all.zip": archive.Bytes(),
		"shop.db": sqlitetest.Make(t, "create table birds(name text, count int); insert into birds values('heron',214),('stork',12),('grebe',7); create table towns(name text); insert into towns values('Ora');")[0],
	})
	reader, verifier := contents.New(lib, nil), verify.New(lib, nil)
	read := func(address string) (string, error) {
		got, err := reader.Read(t.Context(), contents.Request{IDs: []string{address}})
		if err != nil {
			t.Fatal(err)
		}
		return got.Items[0].Text, got.Items[0].Err
	}
	for _, c := range []struct{ address, has, hasNot string }{
		{"text://table#rows=2", "heron", "stork"},
		{"text://table#rows=4", "crested", "stork"},
		{"text://table#rows=2-3", "stork", "crested"},
		{"text://table#rows=2&cols=count", "214", "heron"},
		{"text://table#lines=3", "stork", "heron"},
		{"text://all#member=in/table.csv&rows=2", "heron", "stork"},
		{"text://mail#part=1", "heron count", "Storks were"},
		{"text://mail#part=2", "Storks were", "heron count"},
		{"text://mail#lines=1-2", "Subject: Counts", "heron count"},
		{"text://mail#lines=7-9", "heron count", "Ann"},
		{"text://mail#part=1&lines=1", "heron count", "Storks were"},
		{"text://box#message=2", "Storks second", "Herons first"},
		{"text://box#message=1&lines=1-2", "Subject: One", "Herons first"},
		{"text://box#message=1&lines=3", "Herons first", "Subject"},
		{"text://box#lines=4", "Herons first", "Storks"},
		{"text://page#blocks=2", "Herons fish", "Storks nest"},
		{"text://page#blocks=6&cells=A1", "grebe", "7"},
		{"doc://shop#table=birds&rows=2", "stork", "heron"},
		{"doc://shop#table=birds&rows=1-2", "heron", "grebe"},
		{"doc://shop#table=towns", "Ora", "heron"},
		{"doc://shop#table=birds&rows=1&cols=name", "heron", "214"},
	} {
		a, err := citekit.ParseAddress(c.address)
		if err != nil {
			t.Fatal(err)
		}
		text, err := read(c.address)
		if err != nil || !strings.Contains(text, c.has) || strings.Contains(text, c.hasNot) {
			t.Errorf("%s: %q, %v", c.address, text, err)
		}
		resolved := ""
		for run, err := range lib.ReadText(t.Context(), a.Resource, a.Location) {
			if err != nil {
				t.Fatalf("%s: %v", c.address, err)
			}
			resolved += run.Text
		}
		if strings.TrimSpace(text) != strings.TrimSpace(resolved) {
			t.Errorf("%s: contents has %q, the resolver %q", c.address, text, resolved)
		}
		for quote, holds := range map[string]bool{c.has: true, c.hasNot: false} {
			verdict, err := verifier.Quote(t.Context(), verify.Request{Quote: quote, Address: a})
			if err != nil || verdict.Problem != nil || (verdict.Class == verify.Exact) != holds {
				t.Errorf("%q at %s: %+v, %v", quote, c.address, verdict, err)
			}
		}
	}
	if text, err := read("doc://guide#pages=1&bbox=0,0,0.01,0.01"); err != nil || text != "" {
		t.Errorf("an empty corner: %q, %v", text, err)
	}
	for _, address := range []string{
		"text://table#rows=9", "text://table#lines=9", "text://table#rows=2&cols=nope", "text://all#member=in/table.csv&rows=9", "doc://all#member=none",
		"text://mail#part=7", "text://box#message=9", "text://page#blocks=99", "text://page#blocks=6&cells=Z9", "text://page#rows=1",
		"doc://shop#table=none", "doc://shop#table=birds&rows=9", "doc://shop#table=birds&cols=none",
	} {
		if text, err := read(address); err == nil || text != "" {
			t.Errorf("%s: %q, %v", address, text, err)
		}
		a, err := citekit.ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		if verdict, err := verifier.Quote(t.Context(), verify.Request{Quote: "heron", Address: a}); err == nil && verdict.Problem == nil {
			t.Errorf("%s: a quote has the verdict %+v", address, verdict)
		}
	}
	// The same words beside the address, or other ones in the source for those
	// that are read: the verdict is about the address.
	for _, c := range []struct{ address, quote, told string }{
		{"text://twice#rows=4", "it is final", "text://twice#rows=4"},
		{"text://twice#rows=2&cols=other", "it is final", "text://twice#rows=2&cols=other"},
		{"text://twice#rows=4&cols=other", "yes", "text://twice#rows=4&cols=other"},
		{"text://page#blocks=5", "Herons wade", "text://page#blocks=5"},
		{"text://page#blocks=7", "Fish & frogs.", "text://page#blocks=7"},
		{"text://page#blocks=8", "Geese go south — far.", "text://page#blocks=8"},
		{"text://page#blocks=9", "It is Final.", "text://page#blocks=9"},
	} {
		a, err := citekit.ParseAddress(c.address)
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := verifier.Quote(t.Context(), verify.Request{Quote: c.quote, Address: a})
		if err != nil || verdict.Class != verify.Exact || verdict.Address.String() != c.told {
			t.Errorf("%q at %s: %+v, %v", c.quote, c.address, verdict, err)
		}
	}
}
